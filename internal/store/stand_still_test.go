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

// TestWhoStandsStillLetsGoOfWhatItLocked: a gateway stands still in the middle of a transaction, and another one waits for what it has
// locked. The server ends the transaction, the other one carries on, and the first finds that nothing was changed when it goes on.
func TestWhoStandsStillLetsGoOfWhatItLocked(t *testing.T) {
	t.Parallel()
	test := servicetest.Demo(t)
	uses := store.Uses()
	delete(uses, store.ForPages) // they lock nothing, and may stand still for longer
	for use, name := range uses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			stoodStill(ctx, t, test, test.Database.For(use), use)
		})
	}
}

// stoodStill has one who locked something stand still until another one has it.
func stoodStill(ctx context.Context, t *testing.T, test *storetest.DB, d *store.Database, use store.Use) {
	t.Helper()
	other, lock := test.Connect(t), int64(use)
	err := d.InRealm(ctx, demo.Realm, store.Changing, func(q *dbsqlc.Queries) error {
		tx := store.Raw(q)
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock)
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.Exec(ctx, "SELECT pg_advisory_lock($1)", lock) // this one stands still meanwhile
		if err != nil {
			t.Errorf("the other one waits for ever: %v", err)
		}
		_, err = tx.Exec(context.Background(), "SELECT 1")
		return err
	})
	if !errors.Is(err, store.ErrBusy) && !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the one that stood still finds: %v", err)
	}
}
