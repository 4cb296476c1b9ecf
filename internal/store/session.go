package store

import (
	"context"
	"fmt"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// NewSessionStore keeps the portal's sessions in the database. Whoever uses it must have tokens hashed. It drops nothing by itself:
// CleanPortal does.
func NewSessionStore(db *Database) scs.Store {
	return pgxstore.NewWithCleanupInterval(db.pool, 0)
}

// CleanPortal drops sessions and drafts that are over, in small transactions, and returns the number of rows dropped. Called every few
// minutes it bounds both tables.
func (d *Database) CleanPortal(ctx context.Context, now time.Time) (int64, error) {
	total, err := inBatches(func() (int64, error) {
		return dbsqlc.New(d.pool).SessionDropExpired(ctx, now, cleanupBatch)
	})
	if err != nil {
		return total, fmt.Errorf("clean the sessions: %w", err)
	}
	realms, err := dbsqlc.New(d.pool).RealmList(ctx)
	if err != nil {
		return total, fmt.Errorf("list the realms: %w", err)
	}
	for _, realm := range realms {
		dropped, err := inBatches(func() (int64, error) { return d.dropDrafts(ctx, realm.Realm, now) })
		total += dropped
		if err != nil {
			return total, fmt.Errorf("clean the drafts of %s: %w", realm.Realm, err)
		}
	}
	return total, nil
}

func (d *Database) dropDrafts(ctx context.Context, realm string, now time.Time) (int64, error) {
	var dropped int64
	err := d.inRealm(ctx, realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		dropped, err = q.DraftDropExpired(ctx, realm, now, cleanupBatch)
		return err
	})
	return dropped, err
}

// inBatches repeats a deletion until it finds less than a full batch.
func inBatches(drop func() (int64, error)) (int64, error) {
	var total int64
	for {
		dropped, err := drop()
		total += dropped
		if err != nil || dropped < cleanupBatch {
			return total, err
		}
	}
}
