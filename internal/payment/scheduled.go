package payment

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
)

// waitsFor reports whether the content of an instruction requests a later day than today. The column ExecutionDay is not trusted.
func (m Message) waitsFor(today time.Time) bool {
	day := m.OrderedDay()
	return !day.IsZero() && calendar.Compare(day, today) > 0
}

// OrderedDay is the requested execution date in the content of an instruction, at midnight UTC; zero for none.
func (m Message) OrderedDay() time.Time {
	if m.Kind != KindInstruction {
		return time.Time{}
	}
	doc, err := DocumentOf(m)
	if err != nil || len(doc.PaymentInformation) == 0 {
		return time.Time{}
	}
	return rulebook.ExecutionDay(&doc.PaymentInformation[0])
}

// IsForLaterThan reports for lists and pages whether a payment is for a later day than that of the time in Zurich.
func (m Message) IsForLaterThan(at time.Time) bool {
	return !m.ExecutionDay.IsZero() && calendar.Compare(m.ExecutionDay, at.In(i18n.Zone())) > 0
}

// Release releases a scheduled payment on its day, after all checks of an approval by the terms in force then: policy, second factor,
// rules, account, bank and limits. A refusal ends it: Failed, with the code and the text of the finding.
//
// Errors: ErrIllegalMove in another state, WithheldError, an error without a kind before its day.
func (m Message) Release(on ApprovalContext, at time.Time) (Transition, error) {
	if m.State != StateScheduled {
		return Transition{}, ErrIllegalMove
	}
	err := m.Trusted()
	switch {
	case err != nil:
		return Transition{}, err
	case m.Approvals() < m.ApprovalsRequired:
		return Transition{}, &WithheldError{Message: m}
	case m.waitsFor(on.Today):
		return Transition{}, fmt.Errorf("the execution day of %s has not come", m.InternalID)
	}
	by := identity.Gateway(identity.ChannelClock)
	err = m.mayRelease(on, at)
	if refused, is := errors.AsType[*RefusalError](err); is {
		t, err := m.transition(ActionCancel, StateFailed, by, at)
		t.reason = refused.Findings[0].Text.AtMost(MaxReason)
		t.changes = Changes{StatusCode: refused.Findings[0].Code, StatusText: t.reason.String()}
		return t, err
	}
	if err != nil {
		return Transition{}, err
	}
	t, err := m.transition(ActionRelease, StateApproved, by, at)
	if err == nil {
		t.releaseBy(m.Decisions, on)
	}
	return t, err
}

// mayRelease checks a scheduled payment as its approvals were checked. Error: RefusalError.
func (m Message) mayRelease(on ApprovalContext, at time.Time) error {
	if on.Policy.ApprovalsRequired > m.ApprovalsRequired {
		return refusePolicy(pointerInternalID, i18n.Text("The current policy requires %s, but this payment was entered under a policy that required %s. Enter the payment again.").
			With(approvals(on.Policy.ApprovalsRequired), approvals(m.ApprovalsRequired)))
	}
	for _, d := range m.Decisions {
		if on.StepUp && d.FactorUse == uuid.Nil {
			return refusePolicy(pointerInternalID, "The current policy requires a second factor, but a checker approved this payment without "+
				"one. Enter the payment again.")
		}
	}
	err := m.StillHolds(on, at)
	if err == nil {
		err = m.withinLimits(on.Limits)
	}
	return err
}

// releaseBy adds the release by these approvals, under seal, with the used amounts of the limits.
func (t *Transition) releaseBy(approvals []Decision, on ApprovalContext) {
	release := t.message.release(approvals, t.at, on.Seal)
	t.release, t.changes.AcceptedAt = &release, t.at
	if t.message.Kind.Limited() {
		t.uses = rulebook.LimitUses(t.message.Summary.Amount, on.Limits)
	}
}
