package views

import (
	"time"

	"countersign/views/ui"
)

// Message is what pages show of one message: an instruction, recall, return or
// resolution, or an incoming payment. Amounts and accounts come ready to show;
// account numbers may be compact, they are grouped here.
type Message struct {
	InternalID      string
	GlobalID        string // the reference people use
	ExternalID      string
	EndToEndID      string
	UETR            string
	Kind            string // instruction, recall, return, resolution, payment
	Scheme          string // sic-inst or sct-inst
	State           string // a state name of the interface contract
	FollowUp        string // recallStatus or returnStatus; empty when none
	Amount          ui.Amount
	DebtorName      string
	DebtorAccount   string
	CreditorName    string
	CreditorAccount string
	CreditorAddress []string
	CreditorBank    string // name and BIC as far as known
	RemittanceKind  string // "QR reference", "Creditor reference", "Message"; empty for none
	Remittance      string
	Reason          string // of a recall, return or resolution: code and text
	StatusReason    string // why it failed: code and text
	Maker           string
	SubmittedAt     time.Time
	Channel         string // "Portal" or "API" with its client
	ContentHash     string // hexadecimal SHA-256 of the content
	Warnings        []Warning
	Changes         []Change
	Timeline        []ui.Event
}

// Warning is something a person should look at before deciding.
type Warning struct {
	Title string
	Text  string
	Links []Link
}

// Link is a label and where it leads.
type Link struct {
	Label string
	URL   string
}

// Change is one field of an amended message, before and after.
type Change struct {
	Field  string
	Before string
	After  string
}

func (m Message) name() string {
	return ui.SchemeLabel(m.Scheme) + " " + lowerFirst(ui.KindLabel(m.Kind))
}

// rows lists the facts a checker compares, in the order of the paper.
func (m Message) rows() []ui.Row {
	rows := []ui.Row{
		{Term: "Account", Value: ui.GroupFours(m.CreditorAccount), Copy: m.CreditorAccount, Numeric: true},
	}
	rows = appendRow(rows, ui.Row{Term: "Bank", Value: m.CreditorBank})
	if len(m.CreditorAddress) > 0 {
		rows = append(rows, ui.Row{Term: "Address", Value: m.CreditorAddress[0], Details: m.CreditorAddress[1:]})
	}
	debtor := ui.Row{Term: "From", Value: ui.GroupFours(m.DebtorAccount), Numeric: true}
	if m.DebtorName != "" {
		debtor.Details = []string{m.DebtorName}
	}
	rows = appendRow(rows, debtor)
	remittance := ui.Row{Term: m.RemittanceKind, Value: m.Remittance}
	if m.RemittanceKind == "" {
		remittance = ui.Row{Term: "Remittance", Value: "None"}
	}
	rows = appendRow(rows, remittance)
	rows = appendRow(rows, ui.Row{Term: "Reason", Value: m.Reason})
	return appendRow(rows, ui.Row{Term: "End-to-end ID", Value: m.EndToEndID, Numeric: true})
}

// appendRow adds a row unless it has nothing to say.
func appendRow(rows []ui.Row, row ui.Row) []ui.Row {
	if row.Value == "" {
		return rows
	}
	return append(rows, row)
}

// lowerFirst puts a label in the middle of a sentence.
func lowerFirst(text string) string {
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return text
	}
	return string(text[0]+'a'-'A') + text[1:]
}

func (m Message) partyTitle() string {
	if m.Kind == "payment" {
		return "Credited to"
	}
	return "Creditor"
}
