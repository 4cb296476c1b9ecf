package store

import (
	"context"
)

// Directories lists the bank directories in force of a realm, at most one of a scheme. Error: ErrNoRealm.
func (r *Reader) Directories(ctx context.Context, realm string) ([]DirectorySummary, error) {
	return r.db.Directories(ctx, realm)
}
