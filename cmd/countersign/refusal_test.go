package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// keyIn makes a key file as an operator should.
func keyIn(t *testing.T, folder string) string {
	t.Helper()
	secret := make([]byte, keyring.KeyBytes)
	_, _ = rand.Read(secret)
	return secretIn(t, folder, hex.EncodeToString(secret), 0o600)
}

// secretIn writes a file with a secret.
func secretIn(t *testing.T, folder, secret string, mode os.FileMode) string {
	t.Helper()
	file, err := os.CreateTemp(folder, "secret")
	must(t, err)
	_, err = file.WriteString(secret + "\n")
	must(t, err)
	must(t, file.Chmod(mode))
	must(t, file.Close())
	return file.Name()
}

var logins atomic.Int64

// loginOf makes a database login with the given attributes and memberships, and returns its URL. It goes with the tests' own server.
func loginOf(t *testing.T, db *storetest.DB, attributes string) string {
	t.Helper()
	name := fmt.Sprintf("service_%d_%d", os.Getpid(), logins.Add(1))
	_, err := db.Owner(t).Exec(t.Context(), "CREATE ROLE "+name+" LOGIN PASSWORD '"+name+"' "+attributes)
	must(t, err)
	address, err := url.Parse(db.OwnerURL)
	must(t, err)
	address.User = url.UserPassword(name, name) // a private cluster asks for no password, another server may
	return address.String()
}

// otherKeyOf makes a key file with another key under an id.
func otherKeyOf(t *testing.T, id string) string {
	t.Helper()
	secret := make([]byte, keyring.KeyBytes)
	_, _ = rand.Read(secret)
	return secretIn(t, t.TempDir(), id+" "+hex.EncodeToString(secret), 0o600)
}

// bankSecret is the key of tokens that bank seals with.
var bankSecret = rand.Text() + rand.Text() + rand.Text()

// bankKeyIn makes a file with the key of tokens that bank seals with.
func bankKeyIn(t *testing.T, folder string) string {
	t.Helper()
	return secretIn(t, folder, bankKey(), 0o600)
}

func bankKey() string {
	secret := sha256.Sum256([]byte(bankSecret))
	return "bank-1 " + hex.EncodeToString(secret[:])
}

// bank provisions a realm of an operator with one open Swiss account.
func bank(t *testing.T, db *storetest.DB, passwordHash string) {
	t.Helper()
	by := db.Provisioner(t)
	var err error
	by.Keys, err = keyring.Parse([]byte(bankKey()), "")
	must(t, err)
	must(t, store.ApplyRealm(t.Context(), by, store.RealmDefinition{
		Realm: "bank", Name: "A bank", Mark: "BK", MadeBy: store.MadeByOperator,
		Life: store.TokenLife{Access: time.Minute, Refresh: time.Minute, Absolute: time.Minute},
		People: []store.PersonDefinition{{DisplayName: "M", Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
			{Name: "m", PasswordHash: passwordHash, Status: administration.StatusActive, Roles: []identity.Role{identity.RoleMaker}},
		}}},
		DebtorAccounts: demo.Realms()[0].DebtorAccounts[:1],
	}))
}

// safe are the settings of a gateway that serves.
func safe(t *testing.T, databaseURL string) []string {
	t.Helper()
	folder := t.TempDir()
	return []string{
		"COUNTERSIGN_LISTEN=" + freeAddress(t), "COUNTERSIGN_DATABASE_URL=" + databaseURL, "COUNTERSIGN_ENVIRONMENT=PROD",
		"COUNTERSIGN_RELEASE_KEY_FILE=" + keyIn(t, folder), "COUNTERSIGN_TOKEN_KEY_FILE=" + bankKeyIn(t, folder),
		"COUNTERSIGN_CLEARING_TOKEN_FILE=" + secretIn(t, folder, strings.Repeat("tok-", 5), 0o600),
		"COUNTERSIGN_CLEARING_SIC_URL=https://clearing.invalid/sic", "COUNTERSIGN_CLEARING_SCT_URL=https://clearing.invalid/sct",
	}
}

// refusedWith starts serve and holds that it ends with the sentence, without ever listening.
func refusedWith(t *testing.T, settings []string, want string) {
	t.Helper()
	p := start(t, settings, "serve")
	code, said := p.wait(t), p.output.String()
	if code != exitFailed || !strings.Contains(said, "countersign: ") || !strings.Contains(said, want) {
		t.Errorf("ends with %d, want %q in:\n%s", code, want, said)
	}
	if strings.Contains(said, "countersign is up") || strings.Contains(said, "goroutine ") {
		t.Errorf("it listened, or says too much:\n%s", said)
	}
}

// TestServeRefusesUnsafeSettings needs no database: these are told before it is asked.
func TestServeRefusesUnsafeSettings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	key := keyIn(t, folder)
	open := keyIn(t, folder)
	must(t, os.Chmod(open, 0o644))
	shared := keyIn(t, folder)
	must(t, os.Chmod(shared, 0o660))
	zeros := secretIn(t, folder, strings.Repeat("00", keyring.KeyBytes), 0o600)
	pattern := secretIn(t, folder, strings.Repeat("0123456789abcdef", 4), 0o600)
	for name, test := range map[string]struct {
		with []string
		want string
	}{
		"no database there": {[]string{"COUNTERSIGN_DATABASE_WAIT=0s"}, "open the database (is it running, and is COUNTERSIGN_DATABASE_URL right?)"},
		"one key for both": {
			[]string{"COUNTERSIGN_RELEASE_KEY_FILE=" + key, "COUNTERSIGN_TOKEN_KEY_FILE=" + key},
			"holds a key of COUNTERSIGN_RELEASE_KEY_FILE",
		},
		"one key for the audit": {
			[]string{"COUNTERSIGN_RELEASE_KEY_FILE=" + key, "COUNTERSIGN_AUDIT_KEY_FILE=" + key}, "holds a key of another file",
		},
		"a key others read":      {[]string{"COUNTERSIGN_RELEASE_KEY_FILE=" + open}, "is open to others (mode 0644): run chmod 600"},
		"a key the group writes": {[]string{"COUNTERSIGN_TOKEN_KEY_FILE=" + shared}, "is open to others (mode 0660): run chmod 600"},
		"a key of zeros":         {[]string{"COUNTERSIGN_RELEASE_KEY_FILE=" + zeros}, "was not made by chance"},
		"a key of a pattern":     {[]string{"COUNTERSIGN_TOKEN_KEY_FILE=" + pattern}, "was not made by chance"},
		"a folder for a key":     {[]string{"COUNTERSIGN_TOKEN_KEY_FILE=" + folder}, "is no file"},
		"the demo's token": {
			[]string{"COUNTERSIGN_CLEARING_TOKEN_FILE=" + secretIn(t, folder, "demo-clearing", 0o600)},
			"the clearing token has 13 characters",
		},
		"a token others read": {
			[]string{"COUNTERSIGN_CLEARING_TOKEN_FILE=" + secretIn(t, folder, strings.Repeat("x", 20), 0o604)},
			"COUNTERSIGN_CLEARING_TOKEN_FILE: the token file",
		},
		"no token": {[]string{"COUNTERSIGN_CLEARING_TOKEN_FILE="}, "name the file that holds it"},
		"plain clearing": {
			[]string{"COUNTERSIGN_CLEARING_SCT_URL=http://clearing.invalid/sct"},
			"COUNTERSIGN_CLEARING_SCT_URL: documents would travel to clearing.invalid without TLS",
		},
		"a plain broker": {[]string{
			"COUNTERSIGN_CLEARING_TRANSPORT=amqp",
			"COUNTERSIGN_CLEARING_AMQP_URL=amqp://u:leaked@broker.invalid:5672", "COUNTERSIGN_CLEARING_AMQP_SIC_OUT=o",
			"COUNTERSIGN_CLEARING_AMQP_SIC_IN=i",
		}, "COUNTERSIGN_CLEARING_AMQP_URL: documents would travel to broker.invalid:5672 without TLS"},
		"no TLS on all addresses": {[]string{"COUNTERSIGN_TLS=false", "COUNTERSIGN_LISTEN=0.0.0.0:0"}, "COUNTERSIGN_ALLOW_PLAIN_HTTP=true"},
		"no TLS, no host":         {[]string{"COUNTERSIGN_TLS=false", "COUNTERSIGN_LISTEN=:0"}, "COUNTERSIGN_ALLOW_PLAIN_HTTP=true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedWith(t, append(safe(t, "postgres://nobody@127.0.0.1:1/none"), test.with...), test.want)
		})
	}
}

func TestServeRefusesAnUnsafeLogin(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	bank(t, db, "x")
	owner := fmt.Sprintf("owner_%d", os.Getpid())
	_, err := db.Owner(t).Exec(t.Context(), "CREATE ROLE "+owner+"; ALTER TABLE draft OWNER TO "+owner)
	must(t, err)
	refusedWith(t, safe(t, db.OwnerURL), "the database login postgres is a superuser")
	for name, test := range map[string]struct{ attributes, want string }{
		"a superuser":                    {"SUPERUSER", "is a superuser"},
		"one that bypasses":              {"BYPASSRLS IN ROLE countersign_app", "has BYPASSRLS"},
		"one that makes roles":           {"CREATEROLE IN ROLE countersign_app", "has CREATEROLE"},
		"one that becomes the superuser": {"IN ROLE countersign_app, postgres", "can become postgres, which is a superuser"},
		"one that becomes a table's own": {"IN ROLE countersign_app, " + owner, "can become " + owner + ", which owns"},
		"one that reads every realm": {
			"IN ROLE countersign_app, countersign_reader",
			"can become countersign_reader, which reads the rows of every realm",
		},
		"one that may run programs": {
			"IN ROLE countersign_app, pg_execute_server_program",
			"can become pg_execute_server_program, which can reach",
		},
		"one that gains nothing by SET":   {"NOINHERIT IN ROLE countersign_app, postgres", "can become postgres"},
		"one that is not the application": {"", "run GRANT countersign_app TO"},
	} {
		refusedWith(t, safe(t, loginOf(t, db, test.attributes)), test.want)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	giver := loginOf(t, db, "IN ROLE countersign_app")
	address, err := url.Parse(giver)
	must(t, err)
	_, err = db.Owner(t).Exec(t.Context(), "GRANT countersign_app TO "+address.User.Username()+" WITH ADMIN OPTION")
	must(t, err)
	refusedWith(t, safe(t, giver), "has ADMIN OPTION")
}

func TestServeRefusesADatabaseThatDoesNotFit(t *testing.T) {
	t.Parallel()
	fresh := func(t *testing.T, passwordHash string) (db *storetest.DB, url string) {
		db = storetest.New(t)
		if passwordHash != "" {
			bank(t, db, passwordHash)
		}
		return db, loginOf(t, db, "IN ROLE countersign_app")
	}
	t.Run("the demo's realms", func(t *testing.T) {
		t.Parallel()
		db, url := fresh(t, "")
		must(t, demo.Ensure(t.Context(), db.Provisioner(t)))
		refusedWith(t, safe(t, url), "the demo's realm demo with public passwords: set up a database of its own for PROD")
	})
	t.Run("the demo's password", func(t *testing.T) {
		t.Parallel()
		_, url := fresh(t, demo.UserPasswordHash)
		refusedWith(t, safe(t, url), "an account of realm bank has the demo's public password")
	})
	t.Run("a scheme without clearing", func(t *testing.T) {
		t.Parallel()
		_, url := fresh(t, "x")
		refusedWith(t, append(safe(t, url), "COUNTERSIGN_CLEARING_SIC_URL="), "no clearing for sic-inst, in which realm bank has open accounts")
	})
	t.Run("a server that does not sync", func(t *testing.T) {
		t.Parallel()
		_, url := fresh(t, "x")
		refusedWith(t, safe(t, url), "fsync of the server is off")
	})
	t.Run("another token key under the same id", func(t *testing.T) {
		t.Parallel()
		_, url := fresh(t, "x")
		another := otherKeyOf(t, "bank-1")
		refusedWith(t, append(safe(t, url), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TOKEN_KEY_FILE="+another),
			"COUNTERSIGN_TOKEN_KEY_FILE: the key bank-1 in the key file is not the one that sealed the people and policies of realm bank")
	})
	t.Run("a token key that is gone", func(t *testing.T) {
		t.Parallel()
		_, url := fresh(t, "x")
		refusedWith(t, append(safe(t, url), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TOKEN_KEY_FILE="+keyIn(t, t.TempDir())),
			"the key bank-1 is not in the key file, and it sealed everybody and every policy of realm bank: nobody could sign in")
	})
	t.Run("an older schema", func(t *testing.T) {
		t.Parallel()
		db, url := fresh(t, "")
		db.Database.Close()
		stepBack(t, db.OwnerURL)
		refusedWith(t, safe(t, url), "the schema is older than this program: run countersign migrate")
	})
	t.Run("a newer schema", func(t *testing.T) {
		t.Parallel()
		db, url := fresh(t, "")
		_, err := db.Owner(t).Exec(t.Context(), nextMigration+"; "+contract)
		must(t, err)
		refusedWith(t, safe(t, url), "the schema is newer than this program")
	})
	t.Run("no schema", func(t *testing.T) {
		t.Parallel()
		db, _ := fresh(t, "")
		name := fmt.Sprintf("empty_%d", os.Getpid())
		_, err := db.Owner(t).Exec(t.Context(), "CREATE DATABASE "+name)
		must(t, err)
		defer func() { _, _ = db.Owner(t).Exec(t.Context(), "DROP DATABASE "+name+" WITH (FORCE)") }()
		url := loginOf(t, db, "IN ROLE countersign_app")
		path, query, _ := strings.Cut(url, "?")
		refusedWith(
			t, safe(t, path[:strings.LastIndex(path, "/")+1]+name+"?"+query), "the database has no schema yet: run countersign migrate first",
		)
	})
}

// TestServeServesWhatIsSafe holds the other side: nothing of the above stands in the way of a gateway as it should be, nor of the
// explicit words for plain networks. In TEST the demo's traces are a warning.
func TestServeServesWhatIsSafe(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	bank(t, db, demo.UserPasswordHash)
	settings := append(safe(t, loginOf(t, db, "IN ROLE countersign_app")), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TLS=false",
		"COUNTERSIGN_CLEARING_SCT_URL=http://127.0.0.1:1/sct", "COUNTERSIGN_CLEARING_SIC_URL=http://clearing.invalid/sic",
		"COUNTERSIGN_ALLOW_PLAIN_CLEARING=true")
	p := start(t, settings, "serve")
	p.answers(t, "http://"+strings.TrimPrefix(settings[0], "COUNTERSIGN_LISTEN=")+"/readyz")
	if said := p.output.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "the demo's public password") ||
		!strings.Contains(said, "fsync of the server is off") {
		t.Errorf("no warning:\n%s", said)
	}
	if code := p.terminate(t); code != 0 {
		t.Errorf("ends with %d", code)
	}
}

// nextMigration is a migration of the next version, and contract ends the work of programs that do not know it.
const (
	nextMigration = "ALTER TABLE message ADD COLUMN of_next text; CREATE INDEX of_next ON message (of_next); " +
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"
	contract = "INSERT INTO schema_contract (version, compatible_from) VALUES (99999, 99998)"
)

// TestAProgramServesTheSchemaOfTheNextVersion: a migration that only adds leaves a running program ready, and another one starts.
func TestAProgramServesTheSchemaOfTheNextVersion(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	bank(t, db, "x")
	settings := append(safe(t, loginOf(t, db, "IN ROLE countersign_app")), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TLS=false")
	running := freeAddress(t)
	p := start(t, append(settings, "COUNTERSIGN_LISTEN="+running), "serve")
	p.answers(t, "http://"+running+"/readyz")
	_, err := db.Owner(t).Exec(t.Context(), nextMigration)
	must(t, err)
	again := freeAddress(t)
	start(t, append(settings, "COUNTERSIGN_LISTEN="+again), "serve").answers(t, "http://"+again+"/readyz")
	for range 3 {
		time.Sleep(time.Second) // it looks at the database every other moment
		p.answers(t, "http://"+running+"/readyz")
	}
	if strings.Contains(p.output.String(), "schema") {
		t.Errorf("the running program finds fault with the schema:\n%s", p.output)
	}
}

// TestReadinessNeedsClearingAndTheSchema changes the database under a gateway that serves it.
func TestReadinessNeedsClearingAndTheSchema(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	settings := append(safe(t, loginOf(t, db, "IN ROLE countersign_app")), "COUNTERSIGN_ENVIRONMENT=TEST", "COUNTERSIGN_TLS=false",
		"COUNTERSIGN_CLEARING_SIC_URL=")
	p := start(t, settings, "serve")
	address := "http://" + strings.TrimPrefix(settings[0], "COUNTERSIGN_LISTEN=") + "/readyz"
	p.answers(t, address)
	bank(t, db, "x")
	notReady(t, address, `"clearing":"no clearing for sic-inst, in which realm bank has open accounts`)
	_, err := db.Owner(t).Exec(t.Context(), nextMigration+"; "+contract)
	must(t, err)
	notReady(t, address, `"schema":"newer: the schema is newer than this program`)
	_, err = db.Owner(t).Exec(t.Context(), "DELETE FROM schema_contract; DELETE FROM goose_db_version WHERE version_id IN (99999, 7)")
	must(t, err)
	notReady(t, address, `"schema":"older: the schema is older than this program: run countersign migrate`)
}

// notReady asks a gateway for its readiness until it is not ready for this reason: it looks by itself every other moment and answers what
// it saw last.
func notReady(t *testing.T, address, want string) {
	t.Helper()
	var status int
	var said string
	if !poll(func() bool {
		answer, err := http.Get(address)
		must(t, err)
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		must(t, answer.Body.Close())
		status, said = answer.StatusCode, string(body)
		return status == http.StatusServiceUnavailable && strings.Contains(said, want)
	}) {
		t.Errorf("%d %s, want 503 with %s", status, said, want)
	}
}
