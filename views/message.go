package views

import (
	"cmp"
	"strings"
	"time"

	"countersign/views/ui"
)

// Message is what pages show of one message: an instruction, recall, return or
// resolution, or an incoming payment. Amounts and accounts come ready to show;
// account numbers may be compact, they are grouped here.
type Message struct {
	Approval        *Approval // while it waits
	InternalID      string
	GlobalID        string // the reference people use
	ExternalID      string
	EndToEndID      string
	UETR            string
	Kind            string // instruction, recall, return, resolution, payment, received recall
	Scheme          string // sic-inst or sct-inst
	State           string // a state name of the interface contract
	FollowUp        string // recallStatus or returnStatus; empty when none
	Amount          ui.Amount
	DebtorName      string
	OrderedDebtor   string // what the order calls the debtor, where that differs; empty else
	DebtorAccount   string
	CreditorName    string
	CreditorAccount string
	CreditorAddress []string
	CreditorBank    string // name and BIC as far as known
	RemittanceKind  string // "QR reference", "Creditor reference", "Message"; empty for none
	Remittance      string
	Words           string    // of an R-transaction: what it asks for, in a sentence or two; empty for payments
	Facts           []ui.Row  // of an R-transaction: its reason, information, charge, time limits and original
	StatusReason    string    // why it ended as it did, in plain words
	StatusDetail    string    // the same as it came: code and text; may be empty
	ExpiresAt       time.Time // without a decision; zero for never
	Maker           string
	SubmittedAt     time.Time
	Channel         string // "Portal" or "API" with its client
	ContentHash     string // hexadecimal SHA-256 of the content
	Editor          string // who made the current version
	Note            string // what its maker says to the checkers: why it is amended or paid again; empty for nothing
	Payee           *Payee // what the verification of the payee came to; nil where there was none
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

// act names what a decision about the message decides, in the middle of a sentence.
func (m Message) act() string {
	amount := m.Amount.String()
	switch m.Kind {
	case "recall":
		return "the recall of " + amount + " paid to " + m.CreditorName
	case "return":
		return "the return of " + amount + " to " + m.DebtorName
	case "resolution":
		return "the refusal of the recall of " + amount
	default:
		return amount + " to " + m.CreditorName
	}
}

// toward says where the amount goes or comes from: the words before a name, and the name.
func (m Message) toward() (words, name string) {
	switch m.Kind {
	case "recall":
		return "to be called back from", m.CreditorName
	case "return":
		return "back to", m.DebtorName
	case "resolution":
		return "stays with", m.CreditorName
	case "payment":
		return "from", m.DebtorName
	case "received recall":
		return "asked back for", m.DebtorName
	default:
		return "to", m.CreditorName
	}
}

// ends is when a message that waits expires; "" for never, and for one that does not wait.
func (m Message) ends() string {
	if m.ExpiresAt.IsZero() || m.State != "Approval Pending" {
		return ""
	}
	return ui.DateTime(m.ExpiresAt)
}

// outcomeTone is that of the sentence on why a message ended as it did, or has not ended.
func (m Message) outcomeTone() ui.Tone {
	if m.State == "Unconfirmed" {
		return ui.ToneWaiting
	}
	return ui.ToneBad
}

func (m Message) outcomeIcon() string {
	if m.State == "Unconfirmed" {
		return "circle-question-mark"
	}
	return "circle-x"
}

func (m Message) towardWords() string { words, _ := m.toward(); return words }

func (m Message) towardName() string { _, name := m.toward(); return name }

func (m Message) name() string {
	return ui.SchemeLabel(m.Scheme) + " " + lowerFirst(ui.KindLabel(m.Kind))
}

// rows lists the facts a checker compares, in the order of the paper.
func (m Message) rows() []ui.Row {
	rows := []ui.Row{
		{Term: "Account", Value: ui.GroupFours(m.CreditorAccount), Copy: m.CreditorAccount, Numeric: true},
	}
	rows = appendRow(rows, ui.Row{Term: "Bank", Value: m.CreditorBank})
	if m.Payee != nil {
		rows = append(rows, ui.Row{Term: "Name check", Value: m.Payee.Title, Details: []string{m.Payee.Text}})
	}
	if len(m.CreditorAddress) > 0 {
		rows = append(rows, ui.Row{Term: "Address", Value: m.CreditorAddress[0], Details: m.CreditorAddress[1:]})
	}
	debtor := ui.Row{Term: "From", Value: ui.GroupFours(m.DebtorAccount), Numeric: true}
	if m.DebtorName != "" {
		debtor.Details = DebtorNames(m.DebtorName, m.OrderedDebtor)
	}
	rows = appendRow(rows, debtor)
	remittance := ui.Row{Term: m.RemittanceKind, Value: m.Remittance}
	if m.RemittanceKind == "" {
		remittance = ui.Row{Term: "Remittance", Value: "None"}
	}
	rows = appendRow(rows, remittance)
	return appendRow(rows, ui.Row{Term: "End-to-end ID", Value: m.EndToEndID, Numeric: true})
}

// DebtorNames are the lines that name a debtor: as clearing gets it, and what the order says where that differs.
func DebtorNames(name, ordered string) []string {
	if ordered == "" {
		return []string{name}
	}
	return []string{name, "Ordered as " + ordered}
}

// appendRow adds a row unless it has nothing to say.
func appendRow(rows []ui.Row, row ui.Row) []ui.Row {
	if row.Value == "" {
		return rows
	}
	return append(rows, row)
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-('a'-'A')) + text[1:]
}

// lowerFirst puts a label in the middle of a sentence.
func lowerFirst(text string) string {
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return text
	}
	return string(text[0]+'a'-'A') + text[1:]
}

func (m Message) partyTitle() string {
	switch m.Kind {
	case "payment":
		return "Credited to"
	case "instruction", "":
		return "Creditor"
	default:
		return "The payment it is about"
	}
}

// factsTitle heads the facts of an R-transaction.
func (m Message) factsTitle() string {
	if m.Kind == "received recall" {
		return "What the other bank asks"
	}
	return "What is asked"
}

// Approval is by which rule a message that waits needs approvals, who gave one, who still could, and why others cannot.
type Approval struct {
	Rule      string // "1 approval, within 24h, for everything"; may be empty
	Given     string // "1 of 2"
	By        []string
	May       []string
	MayNot    []string // "Maker 1 entered or changed it"
	ExpiresAt time.Time
}

func (a Approval) rows() []ui.Row {
	nobody := "Nobody: ask an administrator for another checker"
	rows := appendRow(nil, ui.Row{Term: "Rule", Value: a.Rule})
	given := ui.Row{Term: "Approvals", Value: a.Given}
	if len(a.By) > 0 {
		given.Details = []string{"by " + strings.Join(a.By, ", ")}
	}
	rows = append(rows, given, ui.Row{Term: "May approve", Value: cmp.Or(strings.Join(a.May, ", "), nobody)})
	rows = appendRow(rows, ui.Row{Term: "May not", Value: strings.Join(a.MayNot, "; ")})
	if a.ExpiresAt.IsZero() {
		return rows
	}
	return append(rows, ui.Row{Term: "Expires", Value: ui.DateTime(a.ExpiresAt)})
}
