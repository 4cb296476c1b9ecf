package payment_test

import (
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// TestWhatAnAnswerLeaves: a settlement ends the status that clearing reported before, a refusal ends the settlement, and a status that
// comes again moves nothing.
func TestWhatAnAnswerLeaves(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Minute)
	type step func(payment.Message) (payment.Transition, bool, error)
	settle := func(m payment.Message) (payment.Transition, bool, error) { return m.Settle(later) }
	book := func(m payment.Message) (payment.Transition, bool, error) { return m.Book(later) }
	reject := func(m payment.Message) (payment.Transition, bool, error) {
		return m.RejectByClearing("AC04", "Closed.", later)
	}
	report := func(code string) step {
		return func(m payment.Message) (payment.Transition, bool, error) { return m.Report(code, "It waits.", later) }
	}
	for name, c := range map[string]struct {
		kind     payment.Kind
		from     payment.State
		take     step
		moves    bool
		to       payment.State
		code     string
		settled  time.Time // before
		settleAt time.Time // afterwards
	}{
		"ours settles":                {payment.KindInstruction, payment.StateProcessing, settle, true, payment.StateSettled, "", time.Time{}, later},
		"an incoming one is booked":   {payment.KindPayment, payment.StateAccepted, book, true, payment.StateBooked, "", time.Time{}, later},
		"a booked one is refused":     {payment.KindPayment, payment.StateBooked, reject, true, payment.StateFailed, "AC04", noon, time.Time{}},
		"another status is reported":  {payment.KindReturn, payment.StateProcessing, report("ACSP"), true, payment.StateProcessing, "ACSP", time.Time{}, time.Time{}},
		"the same status comes again": {payment.KindReturn, payment.StateProcessing, report("PDNG"), false, "", "", time.Time{}, time.Time{}},
		"a status after the end":      {payment.KindInstruction, payment.StateSettled, report("ACSP"), false, "", "", noon, time.Time{}},
	} {
		m := pending(maker, 1)
		m.Kind, m.State, m.Scheme = c.kind, c.from, rulebook.SchemeSCT
		m.StatusCode, m.StatusText, m.AcceptedAt, m.SettledAt = "PDNG", "It waits.", noon, c.settled
		taken, moves, err := c.take(m)
		if err != nil || moves != c.moves {
			t.Errorf("%s: moves is %v: %v", name, moves, err)
			continue
		}
		if !moves {
			continue
		}
		if after := taken.After(); after.State != c.to || after.StatusCode != c.code || !after.SettledAt.Equal(c.settleAt) {
			t.Errorf("%s: it is %s with the status %q, settled at %v", name, after.State, after.StatusCode, after.SettledAt)
		}
	}
}
