package payment

import (
	"time"

	"countersign/internal/identity"
)

// Deliver records that clearing has taken the document. ok is false when the message has met its end already (the answer overtook
// the receipt): there is nothing to move then.
func (m Message) Deliver(at time.Time) (t Transition, ok bool, err error) {
	to := m.State
	switch m.State {
	case StateApproved:
		to = StateProcessing
	case StateProcessing, StateUnconfirmed:
		if !m.DeliveredAt.IsZero() {
			return Transition{}, false, nil
		}
	default:
		return Transition{}, false, nil
	}
	t, err = m.step(ActionDeliver, to, identity.Gateway(identity.ChannelClearing), at)
	t.changes.DeliveredAt = at
	return t, err == nil, err
}

// Settle records a positive answer of clearing. ok is false when the message is settled already: answers come more than once.
// A positive answer to a message that failed is an ErrIllegalMove: an operator must look.
func (m Message) Settle(at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateSettled {
		return Transition{}, false, nil
	}
	t, err = m.step(ActionSettle, StateSettled, identity.Gateway(identity.ChannelClearing), at)
	t.changes.SettledAt = at
	t.changes.DeliveredAt = m.deliveredBy(at)
	return t, err == nil, err
}

// Refuse records a negative answer with its ISO reason code. ok is false when the message has failed with this code already.
func (m Message) Refuse(code, text string, at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateFailed && m.StatusCode == code {
		return Transition{}, false, nil
	}
	t, err = m.step(ActionRefuse, StateFailed, identity.Gateway(identity.ChannelClearing), at)
	t.reason = text
	t.changes = Changes{StatusCode: code, StatusText: text, DeliveredAt: m.deliveredBy(at)}
	return t, err == nil, err
}

// deliveredBy is the time of delivery when an answer proves it: an answer means that clearing has the document.
func (m Message) deliveredBy(at time.Time) time.Time {
	if m.DeliveredAt.IsZero() {
		return at
	}
	return time.Time{}
}

// Withhold ends a released message whose stored content is not what was approved. Nothing is sent.
func (m Message) Withhold(at time.Time) (Transition, error) {
	const text = "Not sent: the stored content is not what was approved."
	t, err := m.step(ActionWithhold, StateFailed, identity.Gateway(identity.ChannelClearing), at)
	t.reason = text
	t.changes = Changes{StatusCode: "DS0H", StatusText: text, DeliveredAt: at}
	return t, err
}

// TimeOut records that the scheme's time passed without an answer. It fails with ErrIllegalMove before that time or in another state.
func (m Message) TimeOut(limit time.Duration, at time.Time) (Transition, error) {
	if m.AcceptedAt.IsZero() || at.Before(m.AcceptedAt.Add(limit)) {
		return Transition{}, ErrIllegalMove
	}
	t, err := m.step(ActionTimeOut, StateUnconfirmed, identity.Gateway(identity.ChannelClock), at)
	t.reason = "No answer from clearing in time. The payment may still settle."
	t.changes.InquireAt = at
	return t, err
}

// Inquire records that clearing is asked for the status, and when to ask again.
func (m Message) Inquire(next, at time.Time) (Transition, error) {
	t, err := m.step(ActionInquire, StateUnconfirmed, identity.Gateway(identity.ChannelClock), at)
	t.changes = Changes{Inquired: true, InquireAt: next}
	return t, err
}
