package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Payments is the list of everything in the realm, with filters.
type Payments struct {
	Shell    Shell
	Filter   Filter
	Rows     []PaymentRow
	Pages    ui.Pages
	Empty    ui.Empty
	Problems []ui.Problem
	SortURL  func(order string) string // the list in another order; nil for a list that has one order
}

// PaymentRow is one message in a list.
type PaymentRow struct {
	InternalID string
	URL        string
	Reference  string
	Kind       payment.Kind
	Scheme     rulebook.Scheme
	Amount     ui.Amount
	Toward     i18n.Text // before the name: "back from"; empty for a payment to a creditor
	Name       string    // of the creditor; of the debtor when the money came from there or goes back there
	Account    string    // of that name
	Other      i18n.Text // the other side: "from Muster AG"
	Purpose    i18n.Text
	State      payment.State
	FollowUp   string
	CreatedAt  time.Time
	Maker      string
}

func (m Payments) entries() ui.Entries {
	list := ui.Entries{
		Caption: inOrder("Payments, newest first", "Payments", m.Filter.Sort),
		Heads:   listSorts(ui.Heads{Name: "Creditor and purpose", State: "State", When: "Created"}, m.Filter.Sort, m.SortURL),
	}
	for _, row := range m.Rows {
		maker := ui.Fact{}
		if row.Maker != "" {
			maker.Text = i18n.Text("by %s").With(row.Maker)
		}
		list.Entries = append(list.Entries, ui.Entry{
			ID: row.InternalID, URL: row.URL, Reference: row.Reference, Amount: row.Amount, Toward: row.Toward, Name: row.Name,
			Purpose: row.Purpose,
			Facts: ui.Facts(
				ui.KindFact(row.Kind), ui.AccountFact(row.Account), ui.SchemeFact(row.Scheme), ui.Fact{Text: row.Other}, maker,
			),
			States: statesOf(row.State, row.FollowUp), At: row.CreatedAt, Now: m.Shell.Now,
		})
	}
	return list
}

// statesOf is a state with what became of the message since; "" for nothing.
func statesOf(state payment.State, followUp string) []string {
	if followUp == "" {
		return []string{string(state)}
	}
	return []string{string(state), followUp}
}
