package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// named is a value that a user stores under a name: a saved view or a template.
type named struct {
	db    *Database
	realm string
	what  string
	taken error // another one of theirs has the name
}

// change runs a statement that changes a named value; none is the error when no row was changed.
func (n named) change(ctx context.Context, none error, change func(*dbsqlc.Queries) (int64, error)) error {
	err := n.db.InRealm(ctx, n.realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		rows, err := change(q)
		if err == nil && rows == 0 {
			return none
		}
		return err
	})
	var refused *pgconn.PgError
	switch {
	case err == nil || errors.Is(err, none):
		return err
	case errors.As(err, &refused) && refused.Code == pgerrcode.UniqueViolation:
		return n.taken
	}
	return fmt.Errorf("change a %s: %w", n.what, err)
}
