package views

import (
	"slices"

	"countersign/internal/entry"
	"countersign/internal/language"
	"countersign/views/ui"
)

// NewPayment is the form for a payment. POST Action sends the fields of Values under the names that entry gives them, scheme, and either
// act=check or switchScheme={scheme}, which shows the same form with all fields kept.
type NewPayment struct {
	Kept           Kept // where the form is kept while it is being typed
	Drafts         int  // how many forms of this person wait to be gone on with, where an empty form is shown
	Shell          Shell
	Action         string // where the form is sent: "/payments/new" or a draft's address
	Scheme         string
	Values         entry.Values // exactly as typed
	DebtorAccounts []ui.Option
	Countries      []ui.Option
	Feedback       *IBANCheck // what is known of the IBAN entered; nil before
	Amending       *Amending  // the submission being amended; nil for a new one
	Prefilled      bool       // the values come from an earlier payment or a template
	Picked         string     // whose name and account were just filled in; empty for nobody
	Find           string     // what beneficiaries are looked for by
	Found          *Picks     // what was found; nil when nothing was looked for
	Recent         []Pick     // creditors of this person's last payments
	Problems       []ui.Problem
}

// Kept is how a form is kept while it is being typed. POST URL takes its fields and answers with DraftKept.
type Kept struct {
	URL   string // where it is sent to be kept; of a form that is kept: where it is found again
	Draft string // key of the draft it is kept in; empty for none yet
	At    string // when it was kept; empty for not yet
}

// Picks are the beneficiaries that a text finds: the answer of GET /payments/creditors?find=….
type Picks struct {
	List []Pick
	More bool // there are more than these
}

// Pick is a creditor that fills the form. The form sent with pick={Value} is shown again with it.
type Pick struct {
	Value   string
	Name    string
	Account string
	Detail  string // the town; may be empty
}

// creditorFieldIDs are the fields that a pick fills.
var creditorFieldIDs = []string{
	"creditorName", "creditorIban", "street", "buildingNumber", "addressLine1", "addressLine2", "postcode", "town",
}

// Amending names the submission that a new version replaces.
type Amending struct {
	Reference string
	URL       string
}

// IBANCheck is what is known of an account number: the answer of
// GET /payments/iban?creditorIban=…&scheme=….
type IBANCheck struct {
	Problem   ui.Problem // nothing else is shown when set
	Grouped   string
	Country   language.Text
	Bank      string // name and BIC; empty when unknown
	Reachable string // "yes", "no" or empty when unknown
	Scheme    string
}

func (m NewPayment) currency() string {
	if m.Scheme == "sct-inst" {
		return "EUR"
	}
	return "CHF"
}

func (m NewPayment) charset() string {
	if m.Scheme == "sct-inst" {
		return "epc"
	}
	return "sps"
}

func (m NewPayment) text(id string, label language.Text, value string) ui.Field {
	return ui.Field{
		ID: id, Label: label, Value: value, Charset: m.charset(),
		Prefilled: m.prefilled(id) && value != "", Problem: problemOf(m.Problems, id),
	}
}

// prefilled reports whether nobody typed a field here.
func (m NewPayment) prefilled(id string) bool {
	return m.Prefilled || m.Picked != "" && slices.Contains(creditorFieldIDs, id)
}

func (m NewPayment) debtorAccount() ui.Choice {
	return ui.Choice{
		ID: "debtorAccount", Label: "Account", Value: m.Values.DebtorAccount,
		Options: m.DebtorAccounts, Problem: problemOf(m.Problems, "debtorAccount"),
	}
}

func (m NewPayment) creditorName() ui.Field {
	field := m.text("creditorName", "Name", m.Values.CreditorName)
	field.Limit = 140 // SPS; EPC takes half of it
	if m.Scheme == "sct-inst" {
		field.Limit = 70
	}
	return field
}

func (m NewPayment) creditorIBAN() ui.Field {
	field := m.text("creditorIban", "IBAN", m.Values.CreditorIBAN)
	field.Charset, field.IBAN, field.CheckURL = "", true, "/payments/iban"
	if field.Prefilled {
		field.Value = ui.GroupFours(field.Value)
	}
	field.CheckValues = `{"scheme":"` + m.Scheme + `"}`
	field.Hint = "Spaces, dashes and lower case are fine"
	return field
}

func (m NewPayment) addressKind() ui.Choice {
	chosen := m.Values.AddressKind
	if chosen == "" {
		chosen = entry.AddressStructured
	}
	return ui.Choice{
		ID: "addressKind", Label: "Address", Value: chosen, Problem: problemOf(m.Problems, "addressKind"),
		Options: []ui.Option{
			{Value: entry.AddressStructured, Label: "In separate fields"},
			{Value: entry.AddressHybrid, Label: "As two lines, with postcode and town"},
		},
	}
}

func (m NewPayment) sized(field ui.Field, width string) ui.Field {
	field.Width = width
	return field
}

func (m NewPayment) country() ui.Choice {
	return ui.Choice{
		ID: "country", Label: "Country", Value: m.Values.Country,
		Options: m.Countries, Problem: problemOf(m.Problems, "country"),
	}
}

func (m NewPayment) amount() ui.Field {
	field := m.text("amount", language.Text("Amount in %s").With(m.currency()), m.Values.Amount)
	field.InputMode, field.Width, field.Charset = "decimal", "w-10", ""
	field.Hint = "For example 1'234.50"
	return field
}

func (m NewPayment) remittanceKind() ui.Choice {
	chosen := m.Values.RemittanceKind
	if chosen == "" {
		chosen = entry.RemittanceNone
	}
	options := []ui.Option{{Value: entry.RemittanceNone, Label: "No reference"}}
	if m.Scheme == "sic-inst" {
		options = append(options, ui.Option{Value: entry.RemittanceQR, Label: "QR reference", Hint: "27 digits, for a QR-IBAN"})
	}
	options = append(options,
		ui.Option{Value: entry.RemittanceReference, Label: "Creditor reference", Hint: "Starts with RF"},
		ui.Option{Value: entry.RemittanceText, Label: "Message to the creditor"})
	return ui.Choice{
		ID: "remittanceKind", Label: "What is it for?", Value: chosen,
		Options: options, Problem: problemOf(m.Problems, "remittanceKind"),
	}
}

func (m NewPayment) qrReference() ui.Field {
	field := m.text("qrReference", "QR reference", m.Values.QRReference)
	field.InputMode, field.Width, field.Charset = "numeric", "w-20", ""
	return field
}

func (m NewPayment) creditorReference() ui.Field {
	return m.sized(m.text("creditorReference", "Creditor reference", m.Values.CreditorReference), "w-20")
}

func (m NewPayment) remittanceText() ui.Field {
	field := m.text("remittanceText", "Message", m.Values.RemittanceText)
	field.Rows, field.Limit = 3, 140
	return field
}

func (m NewPayment) endToEndID() ui.Field {
	field := m.text("endToEndId", "End-to-end ID", m.Values.EndToEndID)
	field.Limit, field.Width, field.Charset = 35, "w-20", "epc"
	field.Hint = "The creditor sees it. Keep it unless the creditor asked for another one"
	return field
}

func (m NewPayment) amendReason() ui.Field {
	field := ui.Field{ID: "amendReason", Label: "Why do you amend it?", Value: m.Values.AmendReason, Rows: 2, Limit: 512}
	field.Problem = problemOf(m.Problems, "amendReason")
	return field
}

func (m NewPayment) heading() language.Text {
	if m.Amending != nil {
		return language.Text("Amend %s").With(m.Amending.Reference)
	}
	return "New payment"
}

var paymentSchemes = []string{"sic-inst", "sct-inst"}

func (c IBANCheck) reachable() language.Text {
	name := ui.SchemeLabel(c.Scheme)
	switch c.Reachable {
	case "yes":
		return language.Text("The bank takes %s instant payments.").With(name)
	case "no":
		return language.Text("The bank does not take %s instant payments. Use another way to pay.").With(name)
	default:
		return ""
	}
}
