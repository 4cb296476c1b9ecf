package payment_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/identity"
	"countersign/internal/payment"
)

// TestWhatIsAtClearingIsNotStopped: a payment without funds ends only while clearing does not have it, once, and for a reason.
func TestWhatIsAtClearingIsNotStopped(t *testing.T) {
	t.Parallel()
	refused := payment.CoreRefusal("AM04", "No funds.")
	for name, c := range map[string]struct {
		state     payment.State
		delivered time.Time
		answer    payment.CoreAnswer
		moves     bool
		illegal   bool
	}{
		"released":              {payment.StateApproved, time.Time{}, refused, true, false},
		"at clearing":           {payment.StateProcessing, noon, refused, false, true},
		"failed before":         {payment.StateFailed, time.Time{}, refused, false, false},
		"with funds":            {payment.StateApproved, time.Time{}, payment.CoreAnswer{Outcome: payment.CoreAccepted}, false, true},
		"goes on without":       {payment.StateApproved, time.Time{}, payment.CoreUnanswered(payment.DirectionOut, true), false, true},
		"ends without":          {payment.StateApproved, time.Time{}, payment.CoreUnanswered(payment.DirectionOut, false), true, false},
		"waits for an approval": {payment.StateApprovalPending, time.Time{}, refused, false, true},
	} {
		m := pending(maker, 1)
		m.State, m.DeliveredAt = c.state, c.delivered
		taken, moves, err := m.Stop(c.answer, noon)
		if moves != c.moves || errors.Is(err, payment.ErrIllegalMove) != c.illegal {
			t.Errorf("%s: moves is %v: %v", name, moves, err)
		}
		if moves && (taken.After().State != payment.StateFailed || taken.After().StatusCode != c.answer.Code) {
			t.Errorf("%s: it is %s %s", name, taken.After().State, taken.After().StatusCode)
		}
	}
}

// TestOnlyWhatSettledIsBooked: an account's entries leave out what cannot be trusted and what has not settled.
func TestOnlyWhatSettledIsBooked(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	m.State, m.SettledAt = payment.StateSettled, noon
	if b, err := payment.BookingOf(m); err != nil || b.Credit || b.Amount != m.Summary.Amount {
		t.Errorf("a settled payment is booked as %+v: %v", b, err)
	}
	open := m
	open.State = payment.StateProcessing
	var state *payment.StateError
	if _, err := payment.BookingOf(open); !errors.As(err, &state) {
		t.Errorf("an open payment: %v", err)
	}
	m.Withheld = "It was changed."
	var withheld *payment.WithheldError
	if _, err := payment.BookingOf(m); !errors.As(err, &withheld) {
		t.Errorf("a withheld payment: %v", err)
	}
}

// TestOnlyAMakerAnswersAQuestion: a maker who neither made nor changed the payment may amend it, and answers nothing.
func TestOnlyAMakerAnswersAQuestion(t *testing.T) {
	t.Parallel()
	m := pending(maker, 1)
	asked, err := m.Ask(by(checker), "Why twice?")
	if err != nil {
		t.Fatal(err)
	}
	waiting := asked.After()
	for name, who := range map[string]identity.Principal{"another maker": person("another", identity.RoleMaker), "a checker": second} {
		var forbidden *payment.ForbiddenError
		if _, err := waiting.Reply(who, "It is not.", noon); !errors.As(err, &forbidden) {
			t.Errorf("%s answers: %v", name, err)
		}
	}
	if answered, err := waiting.Reply(maker, "It is not.", noon); err != nil || answered.After().State != payment.StateApprovalPending {
		t.Errorf("the maker answers: %v", err)
	}
}
