package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// cleanupBatch keeps each deletion short.
const cleanupBatch = 1000

// CleanupLimits says what is old enough to go.
type CleanupLimits struct {
	Ended     time.Time // families and access tokens that ended before
	Forgotten time.Time // names whose last try was before
}

// CleanTokens drops what has ended from every realm, in small transactions, and returns the number of rows it dropped itself (the
// tokens of a family go along uncounted).
func (d *Database) CleanTokens(ctx context.Context, limits CleanupLimits) (int64, error) {
	realms, err := dbsqlc.New(d.pool).RealmList(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the realms: %w", err)
	}
	var total int64
	for _, realm := range realms {
		dropped, err := d.cleanRealm(ctx, realm.Realm, limits)
		total += dropped
		if err != nil {
			return total, fmt.Errorf("clean the tokens of %s: %w", realm.Realm, err)
		}
	}
	return total, nil
}

func (d *Database) cleanRealm(ctx context.Context, realm string, limits CleanupLimits) (int64, error) {
	steps := []func(*dbsqlc.Queries) (int64, error){
		func(q *dbsqlc.Queries) (int64, error) {
			return q.AccessTokenDropExpired(ctx, realm, limits.Ended, cleanupBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.FamilyDropEnded(ctx, realm, limits.Ended, cleanupBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.ThrottleDropForgotten(ctx, realm, limits.Forgotten, cleanupBatch)
		},
	}
	var total int64
	for _, step := range steps {
		for dropped := int64(cleanupBatch); dropped == cleanupBatch; {
			err := d.inRealm(ctx, realm, changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
				var err error
				dropped, err = step(q)
				return err
			})
			if err != nil {
				return total, err
			}
			total += dropped
		}
	}
	return total, nil
}
