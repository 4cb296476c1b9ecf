package payment

import (
	"slices"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
)

// Transition is a move a message may make, with everything the store must write for it. Only the methods of Message make one; the zero
// value is refused by the store.
type Transition struct {
	message Message
	move    Move
	actor   identity.Actor
	reason  i18n.Text
	at      time.Time

	decision *Decision
	release  *Release
	uses     []rulebook.LimitUse
	version  *NewVersion
	changes  Changes
}

// Changes are the facts a transition adds to the state of a message; a zero field changes nothing.
type Changes struct {
	AcceptedAt  time.Time
	DeliveredAt time.Time
	SettledAt   time.Time
	StatusCode  string
	StatusText  string
	InquireAt   time.Time
	Inquired    bool
	AnswerBy    time.Time
}

// Valid reports whether the transition was made by a method of Message.
func (t Transition) Valid() bool { return t.move.Action != "" }

// Message returns the message before the move.
func (t Transition) Message() Message { return t.message }

// Move returns the step of the table.
func (t Transition) Move() Move { return t.move }

// Actor returns who makes the move.
func (t Transition) Actor() identity.Actor { return t.actor }

// Reason returns the reason given for it, as data where a person or another bank gave it; "" when none.
func (t Transition) Reason() i18n.Text { return t.reason }

// At returns the time of the move.
func (t Transition) At() time.Time { return t.at }

// Decision returns the decision that the move records, or nil.
func (t Transition) Decision() *Decision { return t.decision }

// Release returns the release that the move makes, or nil.
func (t Transition) Release() *Release { return t.release }

// LimitUses returns the amounts that the release adds to daily limits; none without a release.
func (t Transition) LimitUses() []rulebook.LimitUse { return t.uses }

// Version returns the new version of the content, or nil.
func (t Transition) Version() *NewVersion { return t.version }

// Changes returns the facts added to the message's state.
func (t Transition) Changes() Changes { return t.changes }

// transition starts a transition after looking the move up in the table.
func (m Message) transition(action Action, to State, by identity.Actor, at time.Time) (Transition, error) {
	move := Move{Kind: m.Kind, From: m.State, Action: action, To: to}
	if !Legal(move) {
		return Transition{}, ErrIllegalMove
	}
	return Transition{message: m, move: move, actor: by, at: at}, nil
}

// Grant returns the grant of the role under which a person decides or amends; zero for every other step.
func (t Transition) Grant() identity.Grant {
	switch {
	case t.decision != nil:
		return t.decision.Grant
	case t.version != nil:
		return t.version.Grant
	}
	return identity.Grant{}
}

// After returns the message as the stored transition leaves it.
func (t Transition) After() Message {
	m := t.message
	if t.version != nil {
		m = t.version.Message
	}
	m.State, m.Sequence, m.StateSince = t.move.To, m.Sequence+1, t.at
	if t.decision != nil {
		m.Decisions = append(m.Decisions[:len(m.Decisions):len(m.Decisions)], *t.decision)
	}
	if !t.changes.AcceptedAt.IsZero() {
		m.AcceptedAt = t.changes.AcceptedAt
	}
	if !t.changes.DeliveredAt.IsZero() {
		m.DeliveredAt = t.changes.DeliveredAt
	}
	if !t.changes.SettledAt.IsZero() {
		m.SettledAt = t.changes.SettledAt
	}
	if m.State == StateFailed {
		m.SettledAt = time.Time{} // clearing may refuse what was booked
	}
	if slices.Contains([]State{StateSettled, StateBooked, StateAccepted, StateCommunicated}, m.State) {
		m.StatusCode, m.StatusText = "", "" // what clearing reported before is over
	}
	if t.changes.StatusCode != "" {
		m.StatusCode, m.StatusText = t.changes.StatusCode, t.changes.StatusText
	}
	if !t.changes.AnswerBy.IsZero() {
		m.AnswerBy = t.changes.AnswerBy
	}
	if t.changes.Inquired {
		m.Inquiries++
	}
	return m
}
