package views

import (
	"cmp"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Mine lists what a person has submitted.
type Mine struct {
	Shell Shell
	Tabs  []ui.Tab
	Rows  []MineRow
	// Drafts are what is begun and not submitted; they are listed in place of the rows.
	Drafts  []ui.Entry
	Pages   ui.Pages
	Empty   ui.Empty
	Sort    string                    // a value of ListOrders; "" for newest first
	SortURL func(order string) string // the list in another order; nil for a list that has one order
}

// MineRow is one submission. The addresses are empty where the state allows no such step.
type MineRow struct {
	InternalID   string
	URL          string
	Reference    string
	Kind         payment.Kind
	Scheme       rulebook.Scheme
	Amount       ui.Amount
	Toward       i18n.Text // before the name; empty for a payment to a creditor
	CreditorName string    // who gets the money
	Account      string    // of that name
	Purpose      i18n.Text
	State        payment.State
	SubmittedAt  time.Time
	Note         i18n.Text // why it ended as it did, of a rejection with who gave the reason; or what not to do with it
	AmendURL     string
	WithdrawURL  string
	LikeURL      string
	LikeLabel    i18n.Text // "New payment like this", "Correct and submit again"
}

func (m Mine) entries() ui.Entries {
	list := ui.Entries{
		Caption: inOrder("Submissions, newest first", "My submissions", m.Sort),
		Heads:   listSorts(ui.Heads{Name: "Creditor and purpose", State: "State", Steps: "Next step", When: "Submitted"}, m.Sort, m.SortURL),
	}
	if len(m.Drafts) > 0 {
		list.Caption, list.Heads.State, list.Heads.When, list.Entries = "Drafts, the last changed first", "", "Kept", m.Drafts
	}
	for _, row := range m.Rows {
		entry := ui.Entry{
			ID: row.InternalID, URL: row.URL, Reference: row.Reference, Amount: row.Amount, Toward: row.Toward, Name: row.CreditorName,
			Purpose: row.Purpose,
			Facts:   ui.Facts(ui.KindFact(row.Kind), ui.AccountFact(row.Account), ui.SchemeFact(row.Scheme)),
			States:  []string{string(row.State)}, Note: row.Note, At: row.SubmittedAt, Now: m.Shell.Now,
		}
		for _, step := range []ui.Step{
			{Label: "Amend", URL: row.AmendURL}, {
				Label: "Withdraw", URL: row.WithdrawURL,
			}, {Label: cmp.Or(row.LikeLabel, "New payment like this"), URL: row.LikeURL},
		} {
			if step.URL != "" {
				entry.Steps = append(entry.Steps, step)
			}
		}
		list.Entries = append(list.Entries, entry)
	}
	return list
}

// Withdraw asks why a waiting submission is taken back. POST /payments/{id}/withdraw sends version and reason.
type Withdraw struct {
	Shell    Shell
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
