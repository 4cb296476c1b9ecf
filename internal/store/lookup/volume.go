package lookup

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Volume is what one scheme moved in one hour.
type Volume struct {
	Scheme rulebook.Scheme
	Hour   time.Time // its beginning, UTC
	Count  int64
	Amount money.Amount
}

// VolumeByHour lists the payments made in each hour since a time, without those closed before their release and incoming ones that were
// refused, by scheme, currency and time. Hours without payments are left out. It looks at the 10,000 newest payments.
func (r *Reader) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	var list []Volume
	err := r.read(ctx, realm, store.Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.VolumeByHour(ctx, realm, since)
		if err != nil {
			return fmt.Errorf("count by hour: %w", err)
		}
		for _, row := range rows {
			amount, err := money.FromMinor(money.Currency(row.Currency), row.Total)
			if err != nil {
				continue // what is in no currency is withheld, and no volume
			}
			list = append(list, Volume{Scheme: rulebook.Scheme(row.Scheme), Hour: row.Hour.UTC(), Count: row.Payments, Amount: amount})
		}
		return nil
	})
	return list, err
}
