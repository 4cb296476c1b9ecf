package views

import (
	"time"

	"countersign/views/ui"
)

// Incoming is the list of payments that came in.
type Incoming struct {
	Shell    Shell
	Filter   Filter
	Rows     []IncomingRow
	Pages    ui.Pages
	Empty    ui.Empty
	Problems []ui.Problem
}

// IncomingRow is one payment that came in.
type IncomingRow struct {
	InternalID      string
	URL             string
	Reference       string
	Scheme          string
	Amount          ui.Amount
	DebtorName      string
	CreditorName    string
	CreditorAccount string // credited
	Remittance      string
	State           string
	FollowUp        string // returnStatus; empty when none
	ReceivedAt      time.Time
}

func (m Incoming) entries() ui.Entries {
	list := ui.Entries{
		Caption: "Incoming payments, newest first", Heads: ui.Heads{Name: "Debtor and purpose", State: "State", When: "Received"},
	}
	for _, row := range m.Rows {
		credited := ui.AccountFact(row.CreditorAccount)
		credited.Text, credited.Title = "to "+credited.Text, row.CreditorName+", "+credited.Title
		list.Entries = append(list.Entries, ui.Entry{
			ID: row.InternalID, URL: row.URL, Reference: row.Reference, Amount: row.Amount, Name: row.DebtorName, Purpose: row.Remittance,
			Facts:  ui.Facts(credited, ui.Fact{Text: ui.SchemeLabel(row.Scheme)}),
			States: statesOf(row.State, row.FollowUp), At: row.ReceivedAt, Now: m.Shell.Now,
		})
	}
	return list
}
