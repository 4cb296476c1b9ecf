package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/storetest"
)

// standing is what a transaction works under: as whom, for which realm, and within which limits.
const standing = `SELECT concat_ws(' ', current_user, current_setting('countersign.realm'), current_setting('lock_timeout'),
	current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'), current_setting('jit'))`

// pooled opens a database through a pooler, as a login of the test's own.
func pooled(t *testing.T, test *storetest.DB, login string) *store.Database {
	t.Helper()
	err := store.EnsureServiceLogin(t.Context(), test.OwnerURL, login)
	if err != nil {
		t.Fatal(err)
	}
	test.SettlePooled(t, login)
	through, err := store.Open(t.Context(), store.Config{
		URL: test.Pooler(t, login), Pooled: true, Seal: test.Seal, TokenKeys: storetest.Keys(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(through.Close)
	return through
}

// TestThroughAPoolerTheLimitsAreAsEver: a transaction works under the same limits, for each use, whether its connection is one of our own
// or one that a pooler lends it. One that stands still lets go of what it locked.
func TestThroughAPoolerTheLimitsAreAsEver(t *testing.T) {
	t.Parallel()
	test := servicetest.Demo(t)
	through := pooled(t, test, "countersign_pooled_limits")
	for use, name := range store.Uses() {
		of := func(d *store.Database) (said [2]string) {
			ask := func(into *string) func(*dbsqlc.Queries) error {
				return func(q *dbsqlc.Queries) error { return store.Raw(q).QueryRow(t.Context(), standing).Scan(into) }
			}
			err := errors.Join(
				d.For(use).InRealm(t.Context(), demo.Realm, store.Changing, ask(&said[0])), d.For(use).InOneOutside(t.Context(), ask(&said[1])),
			)
			if err != nil {
				t.Error(err)
			}
			return said
		}
		if direct, lent := of(test.Database), of(through); direct != lent {
			t.Errorf("%s: %q, and through a pooler %q", name, direct, lent)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stoodStill(ctx, t, test, through.For(store.ForClock), store.ForClock)
}
