package integrity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// foundBy reports whether a version is found by the words that the gateway writes of it, or by those that a migration cut of what was
// stored before there were words: the two may differ in letters of rare alphabets, so the second is asked where the first does not agree.
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
