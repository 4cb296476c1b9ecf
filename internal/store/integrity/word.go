package integrity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// foundBy reports whether the search words of a version are those that the gateway writes, or those that SQL derives from the row. The two
// may differ in letters of rare alphabets, so SQL is asked only when the first do not agree.
func (s *Snapshot) foundBy(ctx context.Context, m payment.Message, words []string) (bool, error) {
	want := strings.Split(store.Words(m), " ")
	slices.Sort(want)
	slices.Sort(words)
	if slices.Equal(slices.Compact(want), words) {
		return true, nil
	}
	same, err := s.q.WordsOfMigration(ctx, m.Realm, m.InternalID, int32(m.Version)) //nolint:gosec // counted from 1
	if err != nil {
		return false, fmt.Errorf("cut the words of a version: %w", err)
	}
	return same, nil
}
