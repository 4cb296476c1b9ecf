package views

import (
	"time"

	"countersign/views/ui"
)

// Mine lists what a person has submitted.
type Mine struct {
	Shell Shell
	Tabs  []ui.Tab
	Rows  []MineRow
	Pages ui.Pages
	Empty ui.Empty
}

// MineRow is one submission. The addresses are empty where the state allows
// no such step.
type MineRow struct {
	InternalID   string
	URL          string
	Reference    string
	Kind         string
	Scheme       string
	Amount       ui.Amount
	CreditorName string
	State        string
	SubmittedAt  time.Time
	Note         string // the reason of a rejection, with who gave it
	AmendURL     string
	WithdrawURL  string
	LikeURL      string
}

// Withdraw asks why a waiting submission is taken back. POST
// /payments/{id}/withdraw sends version and reason.
type Withdraw struct {
	Shell    Shell
	Message  Message
	Version  int
	Reason   string
	Conflict *Conflict // a checker was faster
	Problems []ui.Problem
}

func (m Withdraw) reason() ui.Field {
	return ui.Field{
		ID: "reason", Label: "Why do you withdraw it?", Value: m.Reason,
		Rows: 3, Limit: RejectLimit, Problem: problemOf(m.Problems, "reason"),
	}
}
