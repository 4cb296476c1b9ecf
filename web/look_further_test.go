package web_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// TestLookingFurtherFindsEverything: a list that looked at so many messages goes on behind them, and the pages together hold each message
// that is meant, once.
func TestLookingFurtherFindsEverything(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	q := newQueue(t, 20_000, 400)
	q.spread(t)
	for name, c := range map[string]struct {
		ask  store.Filter
		want int
	}{
		"the oldest":            {store.Filter{Scheme: "sct-inst"}, 1},
		"every one that failed": {store.Filter{States: []payment.State{payment.StateFailed}, AmountFrom: 2000}, 19},
		"everything made in an old hour": {
			store.Filter{
				CreatedFrom: time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC),
				CreatedTo:   time.Date(2026, time.October, 1, 1, 0, 0, 0, time.UTC),
			},
			3600,
		},
		"a text": {store.Filter{Search: store.Search{Text: "peter haller"}}, 20_001},
	} {
		seen := map[uuid.UUID]bool{}
		c.ask.PageSize = 100
		for pages := 0; ; pages++ {
			list, next, err := q.reader.Page(t.Context(), demo.Realm, c.ask)
			must(t, err)
			for _, m := range list {
				if seen[m.InternalID] {
					t.Fatalf("%s: %s came twice", name, m.InternalID)
				}
				seen[m.InternalID] = true
			}
			if next == uuid.Nil {
				break
			}
			if pages > 400 {
				t.Fatalf("%s: no end", name)
			}
			c.ask.Before = next
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d messages, want %d", name, len(seen), c.want)
		}
	}
}
