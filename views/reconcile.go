package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// Reconcile is the form for a statement of clearing, or its differences. POST /reconcile sends scheme and file; or scheme and reference of
// a stored statement.
type Reconcile struct {
	Layout  Layout
	Schemes ui.Choice
	Limit   i18n.Text // "2048 kB"
	Problem ui.Problem
	Stored  []StoredStatement
	Done    *Reconciled // nil before a statement was read
}

func (r Reconcile) field() FileField {
	return FileField{
		ID: "file", Label: "Statement", Accept: ".xml,application/xml,text/xml", Problem: r.Problem,
		Hint: i18n.Text("Files of up to %s. For larger files, use the command “countersign clearing reconcile”.").With(r.Limit),
	}
}

// StoredStatement is a statement that clearing sent.
type StoredStatement struct {
	Scheme    rulebook.Scheme
	Reference string
	Type      string
	At        time.Time
}

// Reconciled is a statement that was compared.
type Reconciled struct {
	Summary     i18n.Text
	MayGoOn     bool // the person may ask that stopped payments go on
	Differences []DifferenceRow
}

// DifferenceRow is one difference, with both sides.
type DifferenceRow struct {
	Kind            i18n.Text
	Reference       string
	Statement, Here i18n.Text
	URL             string // of the payment, "" for none in this realm
	Proposal        i18n.Text
	ProposalURL     string // "" for a person who may not propose
}
