package clearing_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestThroughAPoolerAllIsAsEver runs the services, jobs and clock through a real pgbouncer that gives each transaction another connection:
// many payments at a time are made, approved, sent and settled, and nothing is mixed up. A login that does not bring its settings is
// refused.
func TestThroughAPoolerAllIsAsEver(t *testing.T) {
	t.Parallel()
	const login = "countersign_pooled"
	network := &halfDead{}
	h := servicetest.With(t, servicetest.Options{Now: runningClock(), Clearing: network, Database: func(db *storetest.DB) *store.Database {
		owner := db.Connect(t)
		_, err := owner.Exec(ctx, "DROP ROLE IF EXISTS "+login)
		must(t, err)
		must(t, store.EnsureServiceLogin(ctx, db.OwnerURL, login))
		through := db.Pooler(t, login)
		cfg := store.Config{
			URL: through, Pooled: true, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}
		_, err = store.Open(ctx, cfg)
		if err == nil || !strings.Contains(err.Error(), "ALTER ROLE") {
			t.Errorf("a login without settings: %v", err)
		}
		db.SettlePooled(t, login)
		through = db.Pooler(t, login) // with connections that know it
		cfg.URL = through
		database, err := store.Open(ctx, cfg)
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	network.house = h
	defer h.CheckInvariants(t)
	goingOn(t, h)
	var makers sync.WaitGroup
	for range 4 {
		makers.Go(func() { approveMany(t, h, rulebook.SchemeSIC, 10) })
	}
	makers.Wait()
	until(t, h, 40, "SELECT count(*) FROM message WHERE state = 'Settled'")
}
