package store_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"countersign/internal/demo"
	"countersign/internal/postgres"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAStandbyIsNoticed: with a slot it is a risk, without one a doubt, because a base backup looks the same. A synchronous one is neither.
func TestAStandbyIsNoticed(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context(), postgres.Config{
		DataDir: filepath.Join(t.TempDir(), "data"), Log: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"wal_level": "replica"},
	})
	must(t, err)
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	must(t, store.Migrate(t.Context(), server.URL("postgres")))
	db, err := store.Open(t.Context(), store.Config{URL: server.URL("postgres"), TokenKeys: storetest.Keys(t)})
	must(t, err)
	t.Cleanup(db.Close)
	owner, err := pgx.Connect(t.Context(), server.URL("postgres"))
	must(t, err)
	look := func(want store.Durability) {
		t.Helper()
		var found store.Durability
		for late := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			found, err = db.Durability(t.Context())
			must(t, err)
			if strings.Contains(found.Risk, want.Risk) && strings.Contains(found.Doubt, want.Doubt) &&
				(found.Risk == "") == (want.Risk == "") && (found.Doubt == "") == (want.Doubt == "") {
				return
			}
			if time.Now().After(late) {
				t.Fatalf("found %+v, want %+v", found, want)
			}
		}
	}
	look(store.Durability{})
	standby := replicate(t, server.URL("postgres"), owner, "")
	look(store.Durability{Doubt: "replicates without a slot"})
	must(t, standby.Close(t.Context()))
	look(store.Durability{})
	_, err = owner.Exec(t.Context(), "SELECT pg_create_physical_replication_slot('standby')")
	must(t, err)
	standby = replicate(t, server.URL("postgres"), owner, "SLOT standby ")
	look(store.Durability{Risk: "none is synchronous"})
	must(t, standby.Close(t.Context()))
	_, err = owner.Exec(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = 'other'")
	must(t, err)
	_, err = owner.Exec(t.Context(), "SELECT pg_reload_conf()")
	must(t, err)
	replicate(t, server.URL("postgres"), owner, "")
	look(store.Durability{})
}

// replicate connects to the server as a standby does.
func replicate(t *testing.T, url string, owner *pgx.Conn, slot string) *pgconn.PgConn {
	t.Helper()
	config, err := pgconn.ParseConfig(url)
	must(t, err)
	config.RuntimeParams["replication"] = "true"
	conn, err := pgconn.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	var at string
	must(t, owner.QueryRow(t.Context(), "SELECT pg_current_wal_flush_lsn()::text").Scan(&at))
	conn.Frontend().SendQuery(&pgproto3.Query{String: "START_REPLICATION " + slot + "PHYSICAL " + at})
	must(t, conn.Frontend().Flush())
	return conn
}

// TestStatisticsAreMadeWhereTheServerHasNone: after a crash or a restore it knows of no analysis. Small tables stay without: statistics of a
// few rows would give plans that read the whole table while it grows.
func TestStatisticsAreMadeWhereTheServerHasNone(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	must(t, demo.Ensure(t.Context(), db.Provisioner(t)))
	owner := db.Owner(t)
	_, err := owner.Exec(t.Context(), `ALTER TABLE login_throttle SET (autovacuum_enabled = off);
		INSERT INTO login_throttle SELECT 'demo', sha256(n::text::bytea), 1, now(), now() FROM generate_series(1, 20000) n;
		SELECT pg_stat_reset()`)
	must(t, err)
	made, err := db.Database.MakeStatistics(t.Context())
	must(t, err)
	if !slices.Equal(made, []string{"login_throttle"}) {
		t.Errorf("statistics are made of %v", made)
	}
	var known int
	must(t, owner.QueryRow(t.Context(), "SELECT count(*) FROM pg_stats WHERE tablename = 'login_throttle'").Scan(&known))
	if known == 0 {
		t.Error("the planner knows nothing of the table")
	}
	made, err = db.Database.MakeStatistics(t.Context())
	must(t, err)
	if len(made) > 0 {
		t.Errorf("statistics are made again of %v", made)
	}
}
