package message

import (
	"context"

	"countersign/internal/store"
)

// Directories are the directories of banks in force of a realm, at most one of a scheme. Error: store.ErrNoRealm.
func (r *Reader) Directories(ctx context.Context, realm string) ([]store.DirectorySummary, error) {
	return r.db.Directories(ctx, realm)
}
