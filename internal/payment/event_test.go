package payment_test

import (
	"slices"
	"testing"

	"countersign/internal/administration"
	"countersign/internal/payment"
)

// TestAdministrationKnowsTheNames: a webhook can ask for each event of the table of moves, a policy for each kind that people enter and
// each way to reserve funds.
func TestAdministrationKnowsTheNames(t *testing.T) {
	t.Parallel()
	var events, kinds []string
	for _, m := range payment.Moves() {
		if event := string(m.Event()); event != "" && !slices.Contains(events, event) {
			events = append(events, event)
		}
		if kind := string(m.Kind); m.Action == payment.ActionSubmit && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if events = append(events, string(payment.EventChangeApplied)); !slices.Equal(events, administration.EventTypes) {
		t.Errorf("the table of moves has the events %q, a webhook %q", events, administration.EventTypes)
	}
	policy := administration.KindPolicyCreate
	known := policy.Field("kind").Options
	slices.Sort(kinds)
	if !slices.Equal(kinds, slices.Sorted(slices.Values(known))) {
		t.Errorf("people enter %q, a policy knows %q", kinds, known)
	}
	funds := []string{string(payment.FundsPreferred), string(payment.FundsNotAsked)}
	if !slices.Equal(policy.Field("funds").Options, funds) {
		t.Errorf("a policy knows %q, payments %q", policy.Field("funds").Options, funds)
	}
}
