package views

import (
	"time"

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
}

// PaymentRow is one message in a list.
type PaymentRow struct {
	InternalID   string
	URL          string
	Reference    string
	Kind         string
	Scheme       string
	Amount       ui.Amount
	DebtorName   string
	CreditorName string
	State        string
	FollowUp     string
	CreatedAt    time.Time
	Maker        string
}
