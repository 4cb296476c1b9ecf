package store

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store/internal/dbsqlc"
)

// CleanupLimits holds the times before which rows are deleted.
type CleanupLimits struct {
	Ended     time.Time // families, access tokens and sessions that ended before; sign-ins at a provider stay an hour longer
	Forgotten time.Time // names whose last try was before
}

// Clean deletes ended rows of every realm, in small transactions, and returns their number (the tokens of a family are deleted uncounted).
func (t *Tokens) Clean(ctx context.Context, limits CleanupLimits) (int64, error) {
	realms, err := t.db.Realms(ctx)
	if err != nil {
		return 0, err
	}
	var total int64
	for _, realm := range realms {
		dropped, err := t.cleanRealm(ctx, realm, limits)
		total += dropped
		if err != nil {
			return total, fmt.Errorf("clean the tokens of %s: %w", realm, err)
		}
	}
	return total, nil
}

func (t *Tokens) cleanRealm(ctx context.Context, realm string, limits CleanupLimits) (int64, error) {
	steps := []func(*dbsqlc.Queries) (int64, error){
		func(q *dbsqlc.Queries) (int64, error) {
			return q.AccessTokenDropExpired(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.FamilyDropEnded(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.UserSessionDropOver(ctx, realm, limits.Ended, DropBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.OuterSignInDropOver(ctx, realm, limits.Ended.Add(-outerSignInKept), DropBatch)
		},
		func(q *dbsqlc.Queries) (int64, error) {
			return q.ThrottleDropForgotten(ctx, realm, limits.Forgotten, DropBatch)
		},
	}
	var total int64
	for _, step := range steps {
		dropped, err := t.db.dropIn(ctx, realm, step)
		total += dropped
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
