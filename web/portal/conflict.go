package portal

import (
	"errors"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// Done treats a step that this person already took as success. A form that is sent twice, or again after a broken connection, gets the
// first answer again.
func Done(m payment.Message, err error) (payment.Message, error) {
	if repeat, is := errors.AsType[*payment.RepeatError](err); is {
		return repeat.Message, nil
	}
	return m, err
}

// LostTo describes the faster person when a request lost against somebody else's; lost is false for any other error.
func LostTo(err error) (sentence i18n.Text, lost bool) {
	var state *payment.StateError
	var content *payment.ContentError
	switch {
	case errors.As(err, &state):
		return WhatHappened(state.Message), true
	case errors.As(err, &content):
		return i18n.OfError(content), true
	}
	return "", false
}

// WhatHappened says why a message cannot be decided any more: who decided it and when, or since when it is in its state.
func WhatHappened(m payment.Message) i18n.Text {
	name := string(m.GlobalID)
	decision, decided := m.LastDecision()
	switch {
	case m.State == payment.StateApprovalPending:
		return i18n.Text("%s has passed its approval deadline and can no longer be approved or rejected.").With(name)
	case m.State == payment.StateQuestion:
		return i18n.Text("%s has been waiting for the maker's answer since %s.").With(name, ui.ClockTime(m.StateSince))
	case m.State == payment.StateWithdrawn && m.Approvals() >= m.ApprovalsRequired: // by a maker or a checker
		return i18n.Text("The state of %s changed at %s. The new state is “%s”.").With(name, ui.ClockTime(m.StateSince), ui.StateLabel(m.State))
	case m.State == payment.StateWithdrawn && len(m.Makers) == 1:
		return i18n.Text("%s was withdrawn by %s at %s.").With(name, m.MakerName, ui.ClockTime(m.StateSince))
	case m.State == payment.StateWithdrawn:
		return i18n.Text("%s was withdrawn at %s by one of its makers.").With(name, ui.ClockTime(m.StateSince))
	case !decided, m.State == payment.StateExpired: // an approval, if any, was not the last one it needed
		return i18n.Text("The state of %s changed at %s. The new state is “%s”.").With(name, ui.ClockTime(m.StateSince), ui.StateLabel(m.State))
	case decision.Action == payment.ActionReject:
		return i18n.Text("%s was already rejected by %s at %s.").With(name, decision.Name, ui.ClockTime(decision.DecidedAt))
	}
	return i18n.Text("%s was already approved by %s at %s.").With(name, decision.Name, ui.ClockTime(decision.DecidedAt))
}

// Conflict builds the panel of a decision that lost. m is the current message; typed is the text from the form.
func Conflict(cause error, m payment.Message, typed string) *views.Conflict {
	sentence, lost := LostTo(cause)
	if !lost {
		return nil
	}
	return &views.Conflict{
		Sentence: sentence, Before: string(payment.StateApprovalPending), After: string(m.State), TypedReason: typed,
		NextURL: "/queue", NextLabel: "Go to the queue",
	}
}
