package store

import (
	"context"
	"time"

	"countersign/internal/store/internal/dbsqlc"
)

// BrokenGlass is an action of the operator in a realm with two administrators: an account became an administrator's, or got another
// password.
type BrokenGlass struct {
	User     string
	Password bool
	Reason   string
	At       time.Time
}

// BrokenGlasses lists the actions since a time, the latest first, at most ten.
func (r *Reader) BrokenGlasses(ctx context.Context, realm string, since time.Time) ([]BrokenGlass, error) {
	var list []BrokenGlass
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		rows, err := q.BreakGlassList(ctx, realm, since)
		for _, row := range rows {
			list = append(list, BrokenGlass{User: row.Name, Password: row.Deed == "password", Reason: row.Reason, At: row.At.UTC()})
		}
		return err
	})
	return list, err
}
