package auth

import (
	"context"

	"countersign/internal/store"
)

// CleanUp deletes ended families and access tokens, and names whose failures no longer count, in every realm; it returns the number of
// deleted rows. Called every few minutes it limits the token tables: families last 12 hours, and each new name in the throttle costs a
// password check, of which few run at a time.
func (s *Service) CleanUp(ctx context.Context) (int64, error) {
	now := s.now()
	return s.tokens.Clean(ctx, store.CleanupLimits{Ended: now, Forgotten: now.Add(-failuresForgotten)})
}
