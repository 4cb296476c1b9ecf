package views

import (
	"cmp"
	"slices"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// NewPayment is the form of a payment. POST Action sends the fields of Values under the names of package orderform, scheme, and either
// act=check or a button that shows the same form with all fields: switchScheme={scheme}, act=find or pick (Pick).
type NewPayment struct {
	Kept           Kept // where the form is kept while it is being typed
	Drafts         int  // how many forms and files of this person wait to be gone on with, where an empty form is shown
	Layout         Layout
	Action         string // where the form is sent: "/payments/new" or a draft's address
	Scheme         string
	Values         orderform.Values // exactly as typed
	DebtorAccounts []ui.Option
	Countries      []ui.Option
	Feedback       *IBANCheck // what is known of the IBAN entered; nil before
	Amending       *Amending  // the submission being amended; nil for a new one
	Line           *FileLine  // the line of a file that is corrected; nil for a payment of its own
	Corrected      *Corrected // the payment that this one corrects; nil for none
	Prefilled      bool       // the values come from an earlier payment or a template
	Picked         string     // whose name and account were just filled in; empty for nobody
	Find           string     // what beneficiaries are looked for by
	Found          *Picks     // what was found; nil when nothing was looked for
	Recent         []Pick     // creditors of this person's last payments
	Outlook        Outlook
	Problems       []ui.Problem
}

// FileLine is a line of an uploaded file.
type FileLine struct {
	Number int
	File   string // its name
	URL    string // the page of the file
}

// Corrected is an ended payment that is corrected and submitted again.
type Corrected struct {
	Reference string
	URL       string
	State     payment.State
	Why       i18n.Text // "" where its state says all
}

// Outlook is the preview of a payment form: the answer of POST /payments/outlook, which receives the fields of the form and stores nothing.
type Outlook struct {
	Amount       ui.Amount // Value is empty before an amount can be read
	CreditorName string    // as it will be sent
	Account      string    // in groups of four; empty before it is an account number
	Marks        []Mark    // the same ones in the same order, whatever is typed
}

// Mark is the result of one check of a form. ToneClosed means that it cannot be checked yet.
type Mark struct {
	Tone ui.Tone
	Text i18n.Text
	URL  string // what it is about; may be empty
}

func (m Mark) icon() string {
	icons := map[ui.Tone]string{ui.ToneGood: "circle-check", ui.ToneMoving: "clock"}
	return cmp.Or(icons[m.Tone], "triangle-alert")
}

// Kept holds the addresses and keys by which a form is saved while it is typed. POST URL receives its fields and answers with DraftKept.
type Kept struct {
	URL     string // where it is sent to be kept
	Address string // where it is found again; empty for a form that stands where it belongs
	Draft   string // key of the draft it is kept in; empty for none yet
	Form    string // key of its page, which it has before; empty for a form that stands where it belongs
	Seen    string // when the draft was saved that the page shows; empty before there is one
	Aside   string // key of the draft that another window changed, so that the form went on in one of its own; empty for none
	Other   string // where that one is read
	Anew    bool   // nobody was told so yet
	At      string // when it was kept; empty for not yet
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
	ID        string
	Reference string
	URL       string
}

// IBANCheck is the result of checking an account number: the answer of GET /payments/iban?creditorIban=…&scheme=….
type IBANCheck struct {
	Problem ui.Problem // nothing else is shown when set: of a bank that is not reached too
	Grouped string
	Country i18n.Text
	Bank    string // name and BIC; empty when unknown
	Reached bool   // by instant payments of the scheme; false when unknown
	Scheme  string
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

func (m NewPayment) text(id string, label i18n.Text, value string) ui.Field {
	return ui.Field{
		ID: id, Label: label, Value: value, Charset: m.charset(),
		Prefilled: m.prefilled(id) && value != "", Problem: ui.ProblemOf(m.Problems, id),
	}
}

// prefilled reports whether nobody typed a field here.
func (m NewPayment) prefilled(id string) bool {
	return m.Prefilled || m.Picked != "" && slices.Contains(creditorFieldIDs, id)
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
	field.Focus = len(m.Problems) == 0 && m.Picked == "" && m.Amending == nil
	if field.Prefilled {
		field.Value = ui.GroupFours(field.Value)
	}
	field.CheckValues = `{"scheme":"` + m.Scheme + `"}`
	return field
}

func (m NewPayment) addressKind() ui.Choice {
	return ui.Choice{
		ID: "addressKind", Label: "Address", Value: cmp.Or(m.Values.AddressKind, orderform.AddressStructured),
		Problem: ui.ProblemOf(m.Problems, "addressKind"),
		Options: []ui.Option{
			{Value: orderform.AddressStructured, Label: "Separate fields for street and number"},
			{Value: orderform.AddressHybrid, Label: "Two address lines, plus postcode and town"},
		},
	}
}

func (m NewPayment) amount() ui.Field {
	field := m.text("amount", i18n.Text("Amount in %s").With(m.currency()), m.Values.Amount)
	field.InputMode, field.Charset = "decimal", ""
	return field
}

// dated reports whether the day is visible: a later one is chosen, or it has a problem.
func (m NewPayment) dated() bool {
	return m.Values.ExecutionDate != "" || ui.ProblemOf(m.Problems, "executionDate").Text != ""
}

func (m NewPayment) executionDate() ui.Field {
	field := m.text("executionDate", "Execution date", m.Values.ExecutionDate)
	field.Kind, field.Charset, field.Width = "date", "", "w-10"
	field.Hint = "The payment is checked again and sent at the start of the execution date. It can be approved before that day, and " +
		"withdrawn until it is sent."
	return field
}

func (m NewPayment) remittanceKind() ui.Choice {
	options := []ui.Option{{Value: orderform.RemittanceNone, Label: "No reference"}}
	if m.Scheme == "sic-inst" {
		options = append(options, ui.Option{Value: orderform.RemittanceQR, Label: "QR reference", Hint: "27 digits, only with a QR-IBAN"})
	}
	options = append(options,
		ui.Option{Value: orderform.RemittanceReference, Label: "Creditor reference", Hint: "Starts with RF"},
		ui.Option{Value: orderform.RemittanceText, Label: "Message to the creditor"})
	return ui.Choice{
		ID: "remittanceKind", Label: "Type of reference", Value: cmp.Or(m.Values.RemittanceKind, orderform.RemittanceNone),
		Options: options, Problem: ui.ProblemOf(m.Problems, "remittanceKind"),
	}
}

func (m NewPayment) qrReference() ui.Field {
	field := m.text("qrReference", "QR reference", m.Values.QRReference)
	field.InputMode, field.Width, field.Charset = "numeric", "w-20", ""
	return field
}

func (m NewPayment) creditorReference() ui.Field {
	field := m.text("creditorReference", "Creditor reference", m.Values.CreditorReference)
	field.Width = "w-20"
	return field
}

func (m NewPayment) remittanceText() ui.Field {
	field := m.text("remittanceText", "Message (remittance)", m.Values.RemittanceText)
	field.Rows, field.Limit = 3, 140
	if m.Scheme == "sic-inst" {
		field.Hint = "You can send a message as well as a reference"
	}
	return field
}

// messageBesideReference reports whether the message is shown beside a reference: the scheme carries both, or one has to be removed.
func (m NewPayment) messageBesideReference() bool {
	return m.Scheme == "sic-inst" || ui.ProblemOf(m.Problems, "remittanceText").Text != ""
}

func (m NewPayment) endToEndID() ui.Field {
	field := m.text("endToEndId", "End-to-end ID", m.Values.EndToEndID)
	field.Limit, field.Width, field.Charset = 35, "w-20", "epc"
	field.Hint = "The creditor sees this ID. Keep it unless the creditor asked for another ID"
	return field
}

// AmendReasonLimit limits the characters of the reason of an amendment. It leaves room in the note to the checkers for the reason for
// paying again, which the next page asks for.
const AmendReasonLimit = 350

func (m NewPayment) amendReason() ui.Field {
	field := ui.Field{ID: "amendReason", Label: "Why are you amending the " +
		"payment?", Value: m.Values.AmendReason, Rows: 2, Limit: AmendReasonLimit}
	field.Problem = ui.ProblemOf(m.Problems, "amendReason")
	return field
}

// Heading names what the form makes.
func (m NewPayment) Heading() i18n.Text {
	switch {
	case m.Amending != nil:
		return i18n.Text("Amend %s").With(m.Amending.Reference)
	case m.Line != nil:
		return i18n.Text("Correct line %d of %s").With(m.Line.Number, m.Line.File)
	case m.Corrected != nil:
		return i18n.Text("Correct %s").With(m.Corrected.Reference)
	}
	return "New payment"
}

// checkLabel is the label of the button that sends the form. A line of a file is checked and submitted with the others, on the page of the
// file.
func (m NewPayment) checkLabel() i18n.Text {
	if m.Line != nil {
		return "Check the line and go back to the file"
	}
	return "Check your answers"
}

var paymentSchemes = []string{"sic-inst", "sct-inst"}

// addressed reports whether the address is visible: it has a value or a problem.
func (m NewPayment) addressed() bool {
	v := m.Values
	typed := v.Street + v.BuildingNumber + v.AddressLine1 + v.AddressLine2 + v.Postcode + v.Town + v.Country
	return typed != "" || slices.ContainsFunc(m.Problems, func(p ui.Problem) bool { return slices.Contains(addressFieldIDs, p.Field) })
}

// addressFieldIDs are the fields that are folded away where a creditor has no address.
var addressFieldIDs = []string{
	"addressKind", "street", "buildingNumber", "addressLine1", "addressLine2", "postcode", "town", "country",
}

// outlookURL returns the address to which the form is sent for its preview.
func (m NewPayment) outlookURL() string {
	if m.Amending != nil {
		return "/payments/outlook?amends=" + m.Amending.ID
	}
	return "/payments/outlook"
}

// known describes an account number: its bank, its country, and whether instant payments reach it.
func (c IBANCheck) known() i18n.Text {
	parts := []i18n.Text{c.Country}
	if c.Bank != "" {
		parts = append([]i18n.Text{i18n.Data(c.Bank)}, parts...)
	}
	if c.Reached {
		parts = append(parts, i18n.Text("accepts %s instant payments").With(ui.SchemeLabel(c.Scheme)))
	}
	return i18n.Join(" · ", parts...)
}
