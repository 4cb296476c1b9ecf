package store

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/store/internal/dbsqlc"
)

// Rights reports whether rights of a realm may have changed. The answer is cached for a short time, so many open pages cost one query.
type Rights struct {
	reader  *Reader
	decided Answers[int64]
}

// NewRights makes Rights with a maximum age of their answers.
func NewRights(r *Reader, age time.Duration) *Rights {
	return &Rights{reader: r, decided: Answers[int64]{Age: age}}
}

// Decided counts the decided changes of administration of a realm. Each may change rights.
func (r *Rights) Decided(ctx context.Context, realm string, now time.Time) (int64, error) {
	return r.decided.Ask(ctx, realm, now, func(ctx context.Context) (int64, error) {
		decided, err := Read(ctx, r.reader.db, realm, func(q *dbsqlc.Queries) (int64, error) { return q.ChangesDecided(ctx, realm) })
		if err != nil {
			return 0, fmt.Errorf("count the changes that were decided: %w", err)
		}
		return decided, nil
	})
}
