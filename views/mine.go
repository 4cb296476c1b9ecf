package views

import (
	"countersign/views/ui"
)

// Withdraw asks why a waiting submission is taken back. POST /payments/{id}/withdraw sends version and reason.
type Withdraw struct {
	Layout   Layout
	Message  Message
	Reason   string
	Conflict *Conflict // a checker was faster
	Problems []ui.Problem
}

func (m Withdraw) reason() ui.Field {
	return ui.Field{
		ID: "reason", Label: "Why do you withdraw it?", Value: m.Reason,
		Rows: 3, Limit: RejectLimit, Optional: true, Problem: ui.ProblemOf(m.Problems, "reason"),
	}
}
