package store_test

import (
	"context"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// TestATextThatMeansTwoStatesFindsBoth: rejected and refused have one word in German and in French. Messages of either state are found
// wherever they stand, not only among the newest, which are looked through for any text.
func TestATextThatMeansTwoStatesFindsBoth(t *testing.T) {
	t.Parallel()
	h, ctx := servicetest.New(t), context.Background()
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
		f := store.Filter{Search: store.Search{Text: "over", Compact: "OVER", States: states}, PageSize: 10}
		list, next, err := h.Reader.Page(ctx, "demo", f)
		if err != nil || len(list) != 1 || list[0].InternalID != old.InternalID {
			t.Errorf("%v: %d messages, the next behind %s: %v", states, len(list), next, err)
		}
	}
}

// TestAPageIsNotNarrowedByWhatItsWalkDoesNotKnow: it would end before what it looks for, and pass for the last one.
func TestAPageIsNotNarrowedByWhatItsWalkDoesNotKnow(t *testing.T) {
	t.Parallel()
	h, ctx := servicetest.New(t), context.Background()
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	for range 3 {
		h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	}
	for what, f := range map[string]store.Filter{
		"end-to-end ID": {EndToEndIDs: []string{m.Summary.EndToEndID}}, "external id": {ExternalIDs: []string{m.ExternalID}},
		"global id": {GlobalID: string(m.GlobalID)}, "message": {InternalID: m.InternalID},
	} {
		f.PageSize = 1
		list, next, err := h.Reader.Page(ctx, "demo", f)
		if err == nil {
			t.Errorf("a page by %s has %d messages, the next behind %s", what, len(list), next)
		}
		list, _, _, err = h.Reader.Sorted(ctx, "demo", f, store.ListLargest, store.ListPlace{})
		if err == nil {
			t.Errorf("a sorted page by %s has %d messages", what, len(list))
		}
		list, err = h.Reader.Messages(ctx, "demo", f)
		if err != nil || len(list) != 1 || list[0].InternalID != m.InternalID {
			t.Errorf("a list by %s has %d messages: %v", what, len(list), err)
		}
	}
}
