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
