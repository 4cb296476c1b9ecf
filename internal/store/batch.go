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

// dropEverywhere repeats deletions in every realm, each statement in a transaction of its own, and returns the number of deleted rows. It
// continues after a failure.
func (d *Database) dropEverywhere(ctx context.Context, drops ...func(q *dbsqlc.Queries, realm string) (int64, error)) (int64, error) {
	realms, err := d.Realms(ctx)
	var total int64
	for _, realm := range realms {
		for _, drop := range drops {
			dropped, failed := DropInBatches(func() (int64, error) { return drop(d.In(realm, Changing), realm) })
			total += dropped
			err = errors.Join(err, wrapped(failed, "clean the realm "+realm))
		}
	}
	return total, err
}
