package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// Checkpoint is the newest checkpoint of a realm's audit trail, as it is stored: countersign check verifies it.
type Checkpoint struct {
	Size int64 // how many rows and documents it is over; 0 for none
	Root string
	At   time.Time
}

// Checkpoint reads the newest checkpoint of a realm; the zero Checkpoint if nothing is sealed.
func (r *Reader) Checkpoint(ctx context.Context, realm string) (Checkpoint, error) {
	var newest Checkpoint
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		row, err := q.AuditCheckpointNewest(ctx, realm)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		newest = Checkpoint{Size: row.Size, At: row.At.UTC()}
		if lines := strings.Split(row.Note, "\n"); len(lines) > 2 {
			newest.Root = lines[2]
		}
		return err
	})
	return newest, err
}
