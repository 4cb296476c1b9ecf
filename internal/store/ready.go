package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// Readiness is what the database says about the service's ability to work.
type Readiness struct {
	Reachable bool
	Schema    bool // the tables are there
	// Unguarded are the realms in which a policy for everything asks for no approval: four-eyes is off for everybody there.
	Unguarded []string
}

// Ready looks at the database. With an error, the fields say how far it came.
func (r *Reader) Ready(ctx context.Context) (Readiness, error) {
	var ready Readiness
	err := r.db.Ping(ctx)
	if err != nil {
		return ready, fmt.Errorf("reach the database: %w", err)
	}
	ready.Reachable = true
	q := dbsqlc.New(r.db.pool)
	present, err := q.SchemaPresent(ctx)
	if err != nil || !present {
		return ready, err
	}
	ready.Schema = true
	realms, err := q.RealmList(ctx)
	if err != nil {
		return ready, fmt.Errorf("list the realms: %w", err)
	}
	for _, row := range realms {
		off, err := r.unguarded(ctx, row.Realm)
		if err != nil {
			return ready, fmt.Errorf("look at the policies of %s: %w", row.Realm, err)
		}
		if off {
			ready.Unguarded = append(ready.Unguarded, row.Realm)
		}
	}
	return ready, nil
}

// unguarded reports whether the realm's policy for everything asks for no approval. A realm without one makes no messages at all
// where no narrower policy covers them.
func (r *Reader) unguarded(ctx context.Context, realm string) (bool, error) {
	off := false
	err := r.db.inRealm(ctx, realm, reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		required, err := q.PolicyForEverything(ctx, realm)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		off = err == nil && required == 0
		return err
	})
	return off, err
}
