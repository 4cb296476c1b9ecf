package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// TestOneTripDoesAllOrNothing: statements that travel together are one transaction. A later one sees what an earlier one did, one that
// finds no row leaves the others, and one that the server refuses takes all with it.
func TestOneTripDoesAllOrNothing(t *testing.T) {
	t.Parallel()
	db := servicetest.Demo(t)
	var users []uuid.UUID
	rows, err := db.Owner(t).Query(t.Context(), "SELECT user_id FROM user_account WHERE realm = $1 LIMIT 2", demo.Realm)
	if err == nil {
		users, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	}
	if err != nil || len(users) != 2 {
		t.Fatalf("%v: %v", users, err)
	}
	var found []string
	put := func(user int, theme string) store.Statement {
		return func(ctx context.Context, q *dbsqlc.Queries) error {
			return q.PreferencePut(ctx, dbsqlc.PreferencePutParams{
				Realm: demo.Realm, UserID: users[user], Theme: theme, Density: "default", Language: "en",
			})
		}
	}
	read := func(user int) store.Statement {
		return func(ctx context.Context, q *dbsqlc.Queries) error {
			row, err := q.PreferenceGet(ctx, demo.Realm, users[user])
			switch {
			case err == nil:
				found = append(found, row.Theme)
			case errors.Is(err, pgx.ErrNoRows):
				found, err = append(found, "none"), nil
			}
			return err
		}
	}
	trip := func(statements ...store.Statement) error {
		found = nil
		return db.Database.OneTrip(t.Context(), demo.Realm, store.Changing, statements...)
	}
	err = trip(read(0), put(0, "dark"), read(0), read(1))
	if err != nil || !slices.Equal(found, []string{"none", "dark", "none"}) {
		t.Fatalf("a trip of four statements read %v: %v", found, err)
	}
	err = trip(put(1, "light"), put(0, "pink"), read(1))
	if err == nil || errors.Is(err, store.ErrUnknown) {
		t.Fatalf("a statement that the server refuses: %v", err)
	}
	err = trip(read(1), read(0))
	if err != nil || !slices.Equal(found, []string{"none", "dark"}) {
		t.Errorf("after a trip that was refused there is %v: %v", found, err)
	}
}
