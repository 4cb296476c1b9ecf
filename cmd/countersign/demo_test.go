package main

import (
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestATakenAddressIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for setting, arguments := range map[string][]string{
		"COUNTERSIGN_LISTEN":           {"demo"},
		"COUNTERSIGN_SIMULATOR_LISTEN": {"simulator"},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		h := newHouse(t)
		p := start(t, append(h.settings(), setting+"="+listener.Addr().String()), arguments...)
		if code := p.wait(t); code != 1 || !strings.Contains(p.output.String(), setting+" moves it") ||
			!strings.Contains(p.output.String(), listener.Addr().String()) {
			t.Errorf("%s is taken: %d %s", setting, code, p.output)
		}
		if _, err = os.Stat(filepath.Join(h.data, "postgres")); !os.IsNotExist(err) {
			t.Errorf("%s is taken, and yet a database was begun: %v", setting, err)
		}
		must(t, listener.Close())
	}
}

func TestOneFolderIsForOneDemo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	must(t, os.MkdirAll(h.data, 0o750))
	held, err := os.Create(filepath.Join(h.data, "postgres.lock"))
	must(t, err)
	must(t, syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	p := start(t, h.settings(), "demo")
	if code := p.wait(t); code != 1 || !strings.Contains(p.output.String(), "in use by another program") {
		t.Errorf("%d %s", code, p.output)
	}
	must(t, held.Close())
}

func TestTheDemoLeavesADatabaseOfOthersAsItIs(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	must(t, store.ApplyRealm(t.Context(), db.Provisioner(t), store.RealmDefinition{
		Realm: "bank", Name: "A bank", Mark: "BK", MadeBy: store.MadeByOperator,
		Life: store.TokenLife{Access: time.Minute, Refresh: time.Minute, Absolute: time.Minute},
	}))
	db.Database.Close() // nobody else holds the schema while it goes one step back
	stepBack(t, db.OwnerURL)
	before := picture(t, db)
	h := newHouse(t)
	p := start(t, append(h.settings(), "COUNTERSIGN_DATABASE_URL="+db.OwnerURL), "demo")
	if code := p.wait(t); code != 1 ||
		!strings.Contains(p.output.String(), "realm bank: the database holds a realm that the demo did not make") {
		t.Errorf("%d %s", code, p.output)
	}
	if after := picture(t, db); after != before {
		t.Errorf("the demo changed the database:\n%s\nwas\n%s", after, before)
	}
	if _, err := os.Stat(filepath.Join(h.data, "release.key")); !os.IsNotExist(err) {
		t.Errorf("a key was made: %v", err)
	}
}

// stepBack makes the schema look older than the program: its last migration counts as not applied.
func stepBack(t *testing.T, url string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
	must(t, err)
}

// picture describes a database: its schema's version, its tables with their columns, and its realms and people.
func picture(t *testing.T, db *storetest.DB) (text string) {
	t.Helper()
	err := db.Owner(t).QueryRow(t.Context(), `
		SELECT 'version ' || (SELECT max(version_id) FROM goose_db_version)
		    || E'\ncolumns ' || (SELECT string_agg(table_name || '.' || column_name, ' ' ORDER BY table_schema, table_name, column_name)
		                         FROM information_schema.columns WHERE table_schema = 'public')
		    || E'\nrealms ' || (SELECT string_agg(realm, ' ' ORDER BY realm) FROM realm) || ', people ' || (SELECT count(*) FROM person)`,
	).Scan(&text)
	must(t, err)
	return text
}
