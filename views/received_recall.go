package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// ReceivedRecalls is the list of recalls that came in.
type ReceivedRecalls struct {
	Shell   Shell
	Tabs    []ui.Tab
	Rows    []ReceivedRecallRow
	Pages   ui.Pages
	Empty   ui.Empty
	Sort    string                    // a value of ListOrders; "" for newest first
	SortURL func(order string) string // the list in another order; nil for a list that has one order
}

// ReceivedRecallRow is one recall that came in.
type ReceivedRecallRow struct {
	InternalID string
	URL        string
	Reference  string
	Scheme     rulebook.Scheme
	Amount     ui.Amount
	DebtorName string // for whom the other bank asks
	Reason     string // its code
	ReasonText i18n.Text
	State      payment.State
	Answer     i18n.Text // the answer, with how it stands: "Return: Waiting for approval"; empty when none
	Due        *ui.Due   // nil once it is answered
	ReceivedAt time.Time
}

func (m ReceivedRecalls) entries() ui.Entries {
	list := ui.Entries{
		Caption: inOrder("Received recalls, newest first", "Received recalls", m.Sort),
		Heads:   listSorts(ui.Heads{Name: "Asked back for, and why", State: "State", Due: "Answer by", When: "Received"}, m.Sort, m.SortURL),
	}
	for _, row := range m.Rows {
		list.Entries = append(list.Entries, ui.Entry{
			ID: row.InternalID, URL: row.URL, Reference: row.Reference, Amount: row.Amount, Name: row.DebtorName, Purpose: row.ReasonText,
			Facts:  ui.Facts(ui.Fact{Text: i18n.Data(row.Reason)}, ui.SchemeFact(row.Scheme)),
			States: []string{string(row.State)}, Note: row.Answer, Due: row.Due, At: row.ReceivedAt, Now: m.Shell.Now,
		})
	}
	return list
}
