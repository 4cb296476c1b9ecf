package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Batch is a file of many payments, one draft each. POST Action submits the ready ones in parts; From is the line to continue at.
type Batch struct {
	Layout    Layout
	FileName  string
	Action    string
	From      int
	Going     bool   // submitting, and more to do
	GoesOn    bool   // by itself, where there is a script
	Checked   string // the digest of the lines as they are shown
	Cut       bool   // from an order, whose payments are numbered; else a table, which has lines
	Payments  int
	Lines     []BatchLine // none while the file is submitted
	Ready     int
	Submitted int
	Before    i18n.Text   // says that the file was uploaded before
	Totals    []ui.Amount // of the ready payments, one a currency
}

// BatchLine is one payment of the file.
type BatchLine struct {
	Line     int
	Name     string
	Account  string
	Amount   ui.Amount
	State    i18n.Text // in a word or two
	URL      string    // where something can be done about it, or the payment it became
	Label    i18n.Text
	Problems []LineProblem
	Flags    []ui.Fact // as its checkers will see them
	Changes  []Change  // values that are sent changed

	Sent         []ui.Row // everything that is sent, as on the page to approve the file
	NotForwarded []i18n.Text
}

// Check adds a problem that the page to check a payment resolves.
func (l *BatchLine) Check(url string, text i18n.Text, code string) {
	l.State, l.URL, l.Label = "To be checked", url, "Check and submit"
	l.Problems = append(l.Problems, LineProblem{Problem: ui.Problem{Text: text, Code: code}})
}

// LineProblem is the problem of one answer of a line.
type LineProblem struct {
	ui.Problem
	Where   i18n.Text // the answer; empty for the payment as a whole
	Element string    // path of element names in the order of a file; "" for an answer
}
