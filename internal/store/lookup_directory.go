package store

import (
	"context"
)

// Directories are the directories of banks in force of a realm, at most one of a scheme. Error: store.ErrNoRealm.
func (r *Reader) Directories(ctx context.Context, realm string) ([]DirectorySummary, error) {
	return r.db.Directories(ctx, realm)
}
