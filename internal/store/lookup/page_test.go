package lookup_test

import (
	"context"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store/lookup"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestATextThatMeansTwoStatesFindsBoth: rejected and refused have one word in German and in French. Messages of either state are found
// wherever they stand, not only among the newest, which are looked through for any text.
func TestATextThatMeansTwoStatesFindsBoth(t *testing.T) {
	t.Parallel()
	h, ctx := stationtest.New(t), context.Background()
	maker := h.Person(t, "maker1")
	old := h.Create(t, maker, rulebook.SchemeSIC)
	_, err := h.Submission.Withdraw(ctx, maker, old.InternalID, "twice")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		h.Create(t, maker, rulebook.SchemeSIC)
	}
	for _, states := range [][]payment.State{
		{payment.StateWithdrawn, payment.StateRejected}, {payment.StateRejected, payment.StateWithdrawn},
	} {
		f := lookup.Filter{Search: lookup.Search{Text: "over", Compact: "OVER", States: states}, PageSize: 10}
		list, next, err := h.Reader.Page(ctx, "demo", f)
		if err != nil || len(list) != 1 || list[0].InternalID != old.InternalID {
			t.Errorf("%v: %d messages, the next behind %s: %v", states, len(list), next, err)
		}
	}
}
