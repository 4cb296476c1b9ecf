package store

import (
	"context"

	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// LimitSet is a limit as it is to be, without its seal and without the time its daily amount counts from.
type LimitSet struct {
	Limit  dbsqlc.SpendingLimit
	Before *dbsqlc.SpendingLimit // the one in whose place it comes, under the same id; nil for none
}

// SetLimit writes a limit under its seal. A daily amount counts from the time it is set; a change of it goes on counting. It fails with
// ErrMoved when the limit before is gone.
func SetLimit(ctx context.Context, q *dbsqlc.Queries, keys keyring.Ring, set LimitSet) error {
	row := set.Limit
	if row.PerDay != nil {
		row.PerDaySince = &row.SetAt
	}
	if row.PerDay != nil && set.Before != nil && set.Before.PerDaySince != nil {
		row.PerDaySince = set.Before.PerDaySince
	}
	keyID, seal, err := Limit(row).Sealed(keys)
	if err != nil {
		return err
	}
	if set.Before == nil {
		return q.LimitInsert(ctx, dbsqlc.LimitInsertParams{
			Realm: row.Realm, LimitID: row.LimitID, LimitOf: row.LimitOf, Holder: row.Holder, Currency: row.Currency, PerPayment: row.PerPayment,
			PerDay: row.PerDay, PerDaySince: row.PerDaySince, SetAt: row.SetAt, KeyID: *keyID, Seal: seal,
		})
	}
	return One(q.LimitPut(ctx, dbsqlc.LimitPutParams{
		PerPayment: row.PerPayment, PerDay: row.PerDay, PerDaySince: row.PerDaySince, SetAt: row.SetAt, KeyID: *keyID, Seal: seal,
		Realm: row.Realm, LimitID: row.LimitID,
	}))
}
