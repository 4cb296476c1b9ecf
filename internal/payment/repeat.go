package payment

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
)

// RepeatError reports that the same person took the same step on the same content before. Nothing is done again; a caller who missed the
// first answer gets it once more. It wraps the refusal for callers that do not repeat.
type RepeatError struct {
	// Message is the message as the step left it, once a service has looked up that moment; as it is now before.
	Message Message
	// Taken is the step.
	Taken   Taken
	refusal error
}

// Taken identifies a step in a message's life: the action, the person and the time. Zero fields match nothing.
type Taken struct {
	Action   Action
	Version  int
	PersonID uuid.UUID
	Reason   string // the words given for it
	At       time.Time
}

func (e *RepeatError) Error() string { return "This was done before: " + e.refusal.Error() }

func (e *RepeatError) Unwrap() error { return e.refusal }

// orRepeat returns a RepeatError when this person gave the same verdict on the present content with the same words before, and otherwise
// the refusal unchanged. A message that cannot be trusted repeats nothing.
func (m Message) orRepeat(refusal error, v Verdict, said Decision) error {
	if m.MayDecide(v.By) != nil || m.Trusted() != nil {
		return refusal
	}
	named := v.ContentHash != nil && *v.ContentHash == m.ContentHash
	unnamed := v.ContentHash == nil && (said.Action == ActionReject || m.Version == 1)
	if !named && !unnamed || v.Version != 0 && v.Version != m.Version {
		return refusal
	}
	for _, d := range m.Decisions {
		words := d.Reason == said.Reason && d.Remark == strings.TrimSpace(said.Remark)
		if d.PersonID == v.By.PersonID && d.Action == said.Action && words {
			return &RepeatError{Message: m, refusal: refusal, Taken: Taken{
				Action: d.Action, Version: m.Version, PersonID: d.PersonID, Reason: d.Reason + d.Remark, At: d.DecidedAt,
			}}
		}
	}
	return refusal
}

// repeatedWords returns a RepeatError when the message is in the state after the action; a service compares person and words with its
// history. In another state it returns a StateError.
func (m Message) repeatedWords(action Action, led State, by identity.Principal, words string) error {
	wanted := StateApprovalPending
	if action == ActionAnswer {
		wanted = StateQuestion
	}
	refusal := &StateError{Message: m, Wanted: wanted}
	if m.State != led {
		return refusal
	}
	return &RepeatError{Message: m, refusal: refusal, Taken: Taken{
		Action: action, Version: m.Version, PersonID: by.PersonID, Reason: words, At: m.StateSince,
	}}
}

// RepeatedAmendment returns a RepeatError when this person already stored the same order as the current version; nil
// for a new order. An order that names the version it replaces is never a repeat, nor is one that a later order
// replaced.
func (m Message) RepeatedAmendment(by identity.Principal, order InstructionInput) error {
	byOther := len(m.Makers) == 0 || m.Makers[len(m.Makers)-1] != by.PersonID
	if order.Replaces != 0 || m.Version < 2 || byOther || m.Kind != KindInstruction || m.Trusted() != nil {
		return nil
	}
	present, err := DocumentOf(m)
	if err != nil {
		return err
	}
	is, err := OrderFingerprint(m.Scheme, present)
	if err != nil {
		return err
	}
	asked, err := OrderFingerprint(m.Scheme, order.Document)
	if err != nil || is != asked {
		return nil //nolint:nilerr // what cannot be written is no repeat: the rules will say what is wrong with it
	}
	return &RepeatError{Message: m, refusal: &ContentError{Message: m}, Taken: Taken{
		Action: ActionAmend, Version: m.Version, PersonID: by.PersonID, Reason: order.Note,
	}}
}

// AsOf returns the message as a step of its present version left it: the state, the number of the step and its time, without later steps.
func (m Message) AsOf(state State, sequence int, at time.Time) Message {
	m.State, m.Sequence, m.StateSince = state, sequence, at
	m.Decisions = slices.DeleteFunc(slices.Clone(m.Decisions), func(d Decision) bool { return d.DecidedAt.After(at) })
	m.AcceptedAt, m.DeliveredAt, m.SettledAt = notAfter(m.AcceptedAt, at), notAfter(m.DeliveredAt, at), notAfter(m.SettledAt, at)
	m.StatusCode, m.StatusText = "", ""
	return m
}

// notAfter is the time, or the zero time when it is later than the bound.
func notAfter(at, bound time.Time) time.Time {
	if at.After(bound) {
		return time.Time{}
	}
	return at
}
