package payment

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
)

// Deliver records that clearing accepted the document. ok is false without a move: it was recorded before, or the answer overtook the
// receipt. In SEPA the delivery communicates the refusal of a recall; in SIC a receipt follows. answerBy is the last day for the answer to
// a recall; other kinds ignore it.
func (m Message) Deliver(answerBy, at time.Time) (t Transition, ok bool, err error) {
	if !m.DeliveredAt.IsZero() {
		return Transition{}, false, nil
	}
	to := m.State
	switch m.State {
	case StateApproved:
		to = StateProcessing
	case StateProcessing, StateUnconfirmed:
	default:
		return Transition{}, false, nil
	}
	if m.Kind == KindResolution && m.Scheme == rulebook.SchemeSCT {
		to = StateCommunicated
	}
	t, err = m.transition(ActionDeliver, to, identity.Gateway(identity.ChannelClearing), at)
	t.changes.DeliveredAt = at
	if m.Kind == KindRecall {
		t.dueBy(answerBy)
	}
	return t, err == nil, err
}

// answered starts a transition that an answer of clearing or of another bank causes. ok is false when the message is
// already in the target state: answers may repeat.
func (m Message) answered(action Action, to State, at time.Time) (t Transition, ok bool, err error) {
	if m.State == to && action != ActionAcknowledge && m.Kind != KindPayment {
		return Transition{}, false, nil
	}
	t, err = m.transition(action, to, identity.Gateway(identity.ChannelClearing), at)
	t.changes.DeliveredAt = m.deliveredBy(at)
	return t, err == nil, err
}

// Settle records a positive answer to an instruction or return. ok is false when it is settled already. A positive answer to a failed
// message is an ErrIllegalMove, for an operator.
func (m Message) Settle(at time.Time) (t Transition, ok bool, err error) {
	return m.paid(ActionSettle, StateSettled, at)
}

// Book records that clearing confirmed the settlement of an incoming payment. ok is false when it is booked already. A confirmation of a
// failed payment is an ErrIllegalMove, for an operator.
func (m Message) Book(at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateBooked {
		return Transition{}, false, nil
	}
	t, err = m.transition(ActionBook, StateBooked, identity.Gateway(identity.ChannelClearing), at)
	t.changes.SettledAt = at
	return t, err == nil, err
}

// Report records a status of clearing that ends nothing, such as PDNG, ACSP or BLCK. ok is false when it is the status known last, or when
// the message has ended.
func (m Message) Report(status, text string, at time.Time) (t Transition, ok bool, err error) {
	if m.StatusCode == status || !Legal(Move{Kind: m.Kind, From: m.State, Action: ActionReport, To: m.State}) {
		return Transition{}, false, nil
	}
	t, err = m.transition(ActionReport, m.State, identity.Gateway(identity.ChannelClearing), at)
	t.reason = i18n.Data(text).AtMost(MaxReason)
	t.changes = Changes{StatusCode: status, StatusText: t.reason.String()}
	return t, err == nil, err
}

// paid records an answer that moves money.
func (m Message) paid(action Action, to State, at time.Time) (t Transition, ok bool, err error) {
	t, ok, err = m.answered(action, to, at)
	if ok {
		t.changes.SettledAt = at
	}
	return t, ok, err
}

// RejectByClearing records a negative answer with its ISO reason code. ok is false when the message has failed with this code already.
func (m Message) RejectByClearing(code, text string, at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateFailed && m.StatusCode == code {
		return Transition{}, false, nil
	}
	t, err = m.transition(ActionRejectByClearing, StateFailed, identity.Gateway(identity.ChannelClearing), at)
	t.reason = i18n.Data(text).AtMost(MaxReason)
	t.changes = Changes{StatusCode: code, StatusText: t.reason.String(), DeliveredAt: m.deliveredBy(at)}
	return t, err == nil, err
}

// Acknowledge records a positive receipt of clearing (camt.025): a recall is passed on, a resolution is communicated. answerBy is the last
// day for the answer to a recall; it is used when the receipt overtook the record of the delivery. Other kinds ignore it.
func (m Message) Acknowledge(answerBy, at time.Time) (t Transition, ok bool, err error) {
	to := StateAcknowledged
	switch {
	case m.Kind == KindResolution:
		to = StateCommunicated
	case m.State == StateOverdue:
		to = StateOverdue
	case m.Kind == KindRecall && (m.State == StateAccepted || m.State == StateRefused):
		return Transition{}, false, nil // the answer overtook the receipt
	}
	if m.State == to && to != StateOverdue {
		return Transition{}, false, nil
	}
	t, ok, err = m.answered(ActionAcknowledge, to, at)
	if ok && m.Kind == KindRecall && m.AnswerBy.IsZero() {
		t.dueBy(answerBy)
	}
	return t, ok, err
}

// dueBy sets the last day for the answer to a recall, and adds it to the history, against which the check compares it.
func (t *Transition) dueBy(last time.Time) {
	t.changes.AnswerBy = dayOf(last)
	t.reason = i18n.Text("An answer is due by %s.").With(i18n.Day(t.changes.AnswerBy))
}

// Accept records that the other bank sent a recalled payment back.
func (m Message) Accept(at time.Time) (t Transition, ok bool, err error) {
	return m.paid(ActionAccept, StateAccepted, at)
}

// RefuseRecall records that the other bank refused a recall, with its reason.
func (m Message) RefuseRecall(code, text string, at time.Time) (t Transition, ok bool, err error) {
	t, ok, err = m.answered(ActionRefuseRecall, StateRefused, at)
	if ok {
		t.reason = i18n.Data(text).AtMost(MaxReason)
		t.changes.StatusCode, t.changes.StatusText = code, t.reason.String()
	}
	return t, ok, err
}

// Answer records that a return or resolution answered a received recall.
func (m Message) Answer(at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateAnswered {
		return Transition{}, false, nil
	}
	t, err = m.transition(ActionAnswer, StateAnswered, identity.Gateway(identity.ChannelClearing), at)
	return t, err == nil, err
}

// deliveredBy is the time of delivery when an answer proves it: an answer means that clearing has the document.
func (m Message) deliveredBy(at time.Time) time.Time {
	if m.DeliveredAt.IsZero() {
		return at
	}
	return time.Time{}
}

// Withhold ends a released message whose stored content differs from the approved content. Nothing is sent.
func (m Message) Withhold(at time.Time) (Transition, error) {
	const text = "This payment or request was not sent, because the stored content differs from the approved content."
	t, err := m.transition(ActionWithhold, StateFailed, identity.Gateway(identity.ChannelClearing), at)
	t.reason = text
	t.changes = Changes{StatusCode: codeWithheld, StatusText: text, DeliveredAt: at}
	return t, err
}

// TimeOut records that the scheme's time passed without an answer. A message accepted further ahead than that time was accepted before the
// clock was set back: how long it waits is not known, so it counts as timed out too, which is safe (a late answer still counts). It fails
// with ErrIllegalMove before that or in another state.
func (m Message) TimeOut(limit time.Duration, at time.Time) (Transition, error) {
	waited := at.Sub(m.AcceptedAt)
	if m.AcceptedAt.IsZero() || waited < limit && waited > -limit {
		return Transition{}, ErrIllegalMove
	}
	t, err := m.transition(ActionTimeOut, StateUnconfirmed, identity.Gateway(identity.ChannelClock), at)
	t.reason = "Clearing did not answer in time. The payment could still be settled."
	t.changes.InquireAt = at
	return t, err
}

// FallDue records that a recall had no answer in time. It fails with ErrIllegalMove before the day after AnswerBy or in another state.
func (m Message) FallDue(at time.Time) (Transition, error) {
	if m.AnswerBy.IsZero() || at.Before(m.AnswerBy.AddDate(0, 0, 1)) {
		return Transition{}, ErrIllegalMove
	}
	t, err := m.transition(ActionFallDue, StateOverdue, identity.Gateway(identity.ChannelClock), at)
	t.reason = "The other bank did not answer the recall in time."
	t.changes.InquireAt = at
	return t, err
}

// Inquire records a status request and the time of the next one.
func (m Message) Inquire(next, at time.Time) (Transition, error) {
	t, err := m.transition(ActionInquire, m.State, identity.Gateway(identity.ChannelClock), at)
	t.changes = Changes{Inquired: true, InquireAt: next}
	return t, err
}
