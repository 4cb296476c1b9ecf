package page

import (
	"errors"
	"strings"

	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// LostTo says who was faster, when a request lost against somebody else's; lost is false for any other error.
func LostTo(err error) (sentence string, lost bool) {
	var state *payment.StateError
	var content *payment.ContentError
	switch {
	case errors.As(err, &state):
		return WhatHappened(state.Message), true
	case errors.As(err, &content):
		return content.Error(), true
	}
	return "", false
}

// WhatHappened says where a message stands, who brought it there and when.
func WhatHappened(m payment.Message) string {
	name := string(m.GlobalID)
	decision, decided := m.LastDecision()
	if decided && m.State != payment.StateApprovalPending {
		return name + " was already " + DecidedAs(decision.Action) + " by " + decision.Name + " at " + ui.ClockTime(decision.DecidedAt) + "."
	}
	if m.State == payment.StateApprovalPending {
		return name + " waited too long: nobody may decide it any more."
	}
	return name + " is " + strings.ToLower(ui.StateLabel(m.State)) + " since " + ui.ClockTime(m.StateSince) + "."
}

// DecidedAs is the word for what a decision did.
func DecidedAs(action payment.Action) string {
	if action == payment.ActionReject {
		return "rejected"
	}
	return "approved"
}

// Conflict is the panel of a decision that lost. m is the message as it is now; what was typed is kept.
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
