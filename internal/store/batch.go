package store

import (
	"context"
	"errors"

	"countersign/internal/store/internal/dbsqlc"
)

// DropBatch is the largest number of rows of one deletion, to keep it short.
const DropBatch = 1000

// DropInBatches repeats a deletion of DropBatch rows until it finds fewer, and returns the number of deleted rows.
func DropInBatches(drop func() (int64, error)) (int64, error) {
	var total int64
	for {
		dropped, err := drop()
		total += dropped
		if err != nil || dropped < DropBatch {
			return total, err
		}
	}
}

// dropIn repeats a deletion in a realm, each statement in a transaction of its own, and returns the number of deleted rows.
func (d *Database) dropIn(realm string, drop func(*dbsqlc.Queries) (int64, error)) (int64, error) {
	return DropInBatches(func() (int64, error) { return drop(d.In(realm, Changing)) })
}

// dropEverywhere is dropIn for every realm; it continues after the failure of a realm.
func (d *Database) dropEverywhere(ctx context.Context, drop func(q *dbsqlc.Queries, realm string) (int64, error)) error {
	realms, err := d.Realms(ctx)
	for _, realm := range realms {
		_, dropErr := d.dropIn(realm, func(q *dbsqlc.Queries) (int64, error) { return drop(q, realm) })
		err = errors.Join(err, dropErr)
	}
	return err
}
