package auth

import (
	"context"

	"countersign/internal/store"
)

// CleanUp drops families and access tokens that have ended, and names whose failures no longer count, in every realm; it returns the
// number of rows dropped. Called every few minutes it bounds the token tables: families last 12 hours, and a new name in the throttle
// costs a password check, of which there are only so many.
func (s *Service) CleanUp(ctx context.Context) (int64, error) {
	now := s.now()
	return s.tokens.Clean(ctx, store.CleanupLimits{Ended: now, Forgotten: now.Add(-failuresForgotten)})
}
