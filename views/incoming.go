package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
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
	SortURL  func(order string) string // the list in another order; nil for a list that has one order
}

// IncomingRow is one payment that came in.
type IncomingRow struct {
	InternalID      string
	URL             string
	Reference       string
	Scheme          rulebook.Scheme
	Amount          ui.Amount
	DebtorName      string
	CreditorName    string
	CreditorAccount string // credited
	Remittance      string
	State           payment.State
	FollowUp        string // returnStatus; empty when none
	ReceivedAt      time.Time
}

func (m Incoming) entries() ui.Entries {
	list := ui.Entries{
		Caption: inOrder("Incoming payments, newest first", "Incoming payments", m.Filter.Sort),
		Heads:   listSorts(ui.Heads{Name: "Debtor and purpose", State: "State", When: "Received"}, m.Filter.Sort, m.SortURL),
	}
	for _, row := range m.Rows {
		credited := ui.AccountFact(row.CreditorAccount)
		credited.Text = i18n.Text("to %s").With(credited.Text)
		credited.Title = i18n.Data(row.CreditorName + ", " + ui.GroupFours(row.CreditorAccount))
		list.Entries = append(list.Entries, ui.Entry{
			ID: row.InternalID, URL: row.URL, Reference: row.Reference, Amount: row.Amount, Name: row.DebtorName,
			Purpose: i18n.Data(row.Remittance),
			Facts:   ui.Facts(credited, ui.SchemeFact(row.Scheme)),
			States:  statesOf(row.State, row.FollowUp), At: row.ReceivedAt, Now: m.Shell.Now,
		})
	}
	return list
}
