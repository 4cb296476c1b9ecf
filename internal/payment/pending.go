package payment

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// NewVersion is the new content of an editor.
type NewVersion struct {
	Message      Message        // with that content, in the state of before
	Origin       Origin         // of the content
	NewReference bool           // its MsgId is not that of the version before
	Grant        identity.Grant // of the role maker, under which the editor wrote it
}

// Withdraw withdraws a pending message. Only somebody who made or edited it may; the reason is optional. A checker may withdraw a scheduled
// payment too, with a reason.
//
// Errors in order of precedence: ForbiddenError, StateError (a RepeatError when it was withdrawn before for the same reason), FieldError
// for a missing or invalid reason.
func (m Message) Withdraw(by identity.Principal, reason string, at time.Time) (Transition, error) {
	err := m.mayWithdraw(by)
	if err != nil {
		return Transition{}, err
	}
	if !m.State.Pending() && m.State != StateScheduled {
		return Transition{}, m.repeatedWords(ActionWithdraw, StateWithdrawn, by, reason)
	}
	if own := m.MadeBy(by.PersonID); reason != "" || !own {
		finding := CheckReason(reason)
		if finding != nil {
			finding.Pointer = "/reason"
			switch {
			case strings.TrimSpace(reason) == "" && own:
				finding.Text = "The reason contains only spaces. Enter a reason for the withdrawal, or leave the field empty."
			case strings.TrimSpace(reason) == "":
				finding.Text = "Enter a reason for the withdrawal. The maker will see your reason."
			}
			return Transition{}, &FieldError{Findings: []Finding{*finding}}
		}
	}
	t, err := m.transition(ActionWithdraw, StateWithdrawn, by.Actor(), at)
	t.reason = i18n.Data(reason)
	return t, err
}

// Amend replaces the content while the message is pending. Earlier approvals do not count for the new content, and the editor becomes one
// of its makers. Any maker of the realm may amend. An amendment also answers a checker's question.
//
// Errors in order of precedence: ForbiddenError, StateError, WithheldError, because the next version would copy makers and policy of this
// one under a seal of its own, ContentError when somebody else amended it first, RefusalError when the policy for the new content requires
// more approvals than the message has, FieldError for the note.
func (m Message) Amend(by identity.Principal, draft Draft, at time.Time) (Transition, error) {
	err := m.MayChange(by)
	if err != nil {
		return Transition{}, err
	}
	if !m.State.Pending() || !at.Before(m.ExpiresAt) {
		return Transition{}, &StateError{Message: m, Wanted: wantedPending(m.State)}
	}
	err = m.Trusted()
	if err != nil {
		return Transition{}, err
	}
	if draft.Replaces != 0 && draft.Replaces != m.Version {
		return Transition{}, &ContentError{Message: m}
	}
	err = m.mayBecome(draft)
	if err != nil {
		return Transition{}, err
	}
	err = checkNote(draft.Origin.Note, "/reason")
	if err != nil {
		return Transition{}, err
	}
	t, err := m.transition(ActionAmend, StateApprovalPending, by.Actor(), at)
	if err != nil {
		return Transition{}, err
	}
	before, err := DocumentOf(m)
	if err != nil {
		return Transition{}, err
	}
	grant, _ := by.Grant(identity.RoleMaker)
	t.reason = i18n.Data(draft.Origin.Note)
	t.version = &NewVersion{
		Message: m.amended(draft, by.Actor()), Origin: draft.Origin, Grant: grant,
		NewReference: draft.Origin.Reference != before.GroupHeader.MessageID,
	}
	return t, nil
}

// amended returns the message with its next version, without approvals. The store loads the debited account.
func (m Message) amended(draft Draft, by identity.Actor) Message {
	m.Version++
	m.Makers = append(m.Makers[:len(m.Makers):len(m.Makers)], by.PersonID)
	if len(m.Clients) == 0 {
		m.Clients = []string{m.ClientID}
	}
	if !slices.Contains(m.Clients, by.ClientID) {
		m.Clients = append(m.Clients[:len(m.Clients):len(m.Clients)], by.ClientID)
	}
	m.Decisions, m.Account = nil, nil
	m.DocumentID, m.ContentHash, m.Summary, m.Payee = draft.DocumentID, draft.Hash, draft.Summary, draft.Payee
	m.ExecutionDay = draft.ExecutionDay
	return m.WithContent(draft.Content)
}

// wantedPending is the state that a refusal of a change names: the state itself when only time ran out.
func wantedPending(s State) State {
	if s.Pending() {
		return s
	}
	return StateApprovalPending
}

// Expire ends a pending message whose time is up. It fails with ErrIllegalMove before that or in another state.
func (m Message) Expire(at time.Time) (Transition, error) {
	if !m.State.Pending() || at.Before(m.ExpiresAt) {
		return Transition{}, ErrIllegalMove
	}
	t, err := m.transition(ActionExpire, StateExpired, identity.Gateway(identity.ChannelClock), at)
	t.reason = "Nobody decided in time."
	return t, err
}
