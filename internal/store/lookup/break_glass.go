package lookup

import (
	"context"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// BrokenGlass is an administrator whom the operator brought into a realm although there were two.
type BrokenGlass struct {
	User   string
	Reason string
	At     time.Time
}

// BrokenGlasses lists them since a time, the latest first, at most ten.
func (r *Reader) BrokenGlasses(ctx context.Context, realm string, since time.Time) ([]BrokenGlass, error) {
	var list []BrokenGlass
	err := r.read(ctx, realm, store.Reading, func(q *dbsqlc.Queries) error {
		rows, err := q.BreakGlassList(ctx, realm, since)
		for _, row := range rows {
			list = append(list, BrokenGlass{User: row.Name, Reason: row.Reason, At: row.At.UTC()})
		}
		return err
	})
	return list, err
}
