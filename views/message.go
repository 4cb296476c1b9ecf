package views

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Message is a message with the further facts that its pages show.
type Message struct {
	payment.Message

	Sent     Sent      // what the document to clearing says
	Words    i18n.Text // of an R-transaction: what it asks for, in a sentence or two; empty for payments
	Facts    []ui.Row  // of an R-transaction: its reason, information, charge, time limits and original
	Line     i18n.Text // "Line 3 of salaries.csv"; empty for a payment that came in no file
	Talk     []Said    // what the maker of the current version says to the checkers, their questions and the answers, in this order
	Approval *Approval // while it waits
	Warnings []Warning
	Changes  []Change
	Timeline []ui.Event

	Core *payment.CoreBooking // what core banking said; nil for nothing
}

// Said is a note of the maker, a question of a checker or an answer to it.
type Said struct {
	By     string
	At     time.Time
	Text   i18n.Text
	Note   bool
	Answer bool
}

func (s Said) caption() i18n.Text {
	switch {
	case s.Note:
		return i18n.Text("Note from %s").With(s.By)
	case s.Answer:
		return i18n.Text("%s answered on %s").With(s.By, ui.DateTime(s.At))
	}
	return i18n.Text("%s asked a question on %s").With(s.By, ui.DateTime(s.At))
}

// asked reports whether the message waits for an answer.
func (m Message) asked() bool { return m.State == payment.StateQuestion }

// Warning is a hint for a decision.
type Warning struct {
	Flags []i18n.Text // in lists: a word or two each
	Title i18n.Text
	Text  i18n.Text
	Links []ui.Step
}

// name is the first flag, or the title.
func (w Warning) name() string { return slices.Concat(w.Flags, []i18n.Text{w.Title})[0].String() }

// nameSeparator is in no name of a warning.
const nameSeparator = "; "

// Confirming returns the form value that confirms warnings: their names, so that it confirms none that comes later.
func Confirming(warnings []Warning) string {
	names := make([]string, len(warnings))
	for i, w := range warnings {
		names[i] = w.name()
	}
	return strings.Join(names, nameSeparator)
}

// Confirmed reports whether such a value names each of the warnings.
func Confirmed(value string, warnings []Warning) bool {
	names := strings.Split(value, nameSeparator)
	return !slices.ContainsFunc(warnings, func(w Warning) bool { return !slices.Contains(names, w.name()) })
}

// Whole is the title with the text.
func (w Warning) Whole() i18n.Text {
	if w.Text == "" {
		return w.Title
	}
	return i18n.Text("%s: %s").With(w.Title, w.Text)
}

// Change is one field of an amended message, before and after.
type Change struct {
	Field  i18n.Text
	Before string
	After  string
}

// ends is when a message that waits expires; "" for never, and for one that does not wait.
func (m Message) ends() string {
	if m.ExpiresAt.IsZero() || !m.State.Pending() {
		return ""
	}
	return ui.DateTime(m.ExpiresAt)
}

// outcome returns how the sentence about the end of a message, or about its missing end, looks.
func (m Message) outcome() (tone ui.Tone, icon string) {
	if m.State == payment.StateUnconfirmed {
		return ui.ToneWaiting, "circle-question-mark"
	}
	return ui.ToneBad, "circle-x"
}

func (m Message) name() i18n.Text {
	return i18n.Text("%s: %s").With(ui.SchemeLabel(m.Scheme), ui.KindLabel(m.Kind))
}

// rows lists the facts a checker compares, in the order of the paper.
func (m Message) rows() []ui.Row {
	about := m.Summary
	from := appendRow(nil, ui.Row{
		Term: "From", Value: ui.GroupFours(about.DebtorAccount), Details: DebtorLines(about, m.Sent), Numeric: true,
	})
	return slices.Concat(m.creditorRows(), m.termRows(), from)
}

// creditorRows are the account of the creditor, its bank, and the result of the payee verification.
func (m Message) creditorRows() []ui.Row {
	about := m.Summary
	rows := []ui.Row{
		{Term: "Account", Value: ui.GroupFours(about.CreditorAccount), Copy: about.CreditorAccount, Numeric: true},
	}
	rows = appendRow(rows, ui.Row{Term: "Bank", Value: BankName(about.CreditorAccount, about.CreditorAgent, m.Sent.Banks)})
	if payee := PayeeView(m.Payee); payee != nil {
		rows = append(rows, ui.Row{Term: "Name check", Text: payee.Title, Details: []i18n.Text{payee.Text}})
	}
	return appendRow(rows, addressRow(m.Sent.CreditorAddress))
}

// debtorRows are the account of the debtor and its bank.
func (m Message) debtorRows() []ui.Row {
	about := m.Summary
	account := ui.Row{Term: "Account", Value: ui.GroupFours(about.DebtorAccount), Copy: about.DebtorAccount, Numeric: true}
	if about.OrderedDebtorName != "" {
		account.Details = []i18n.Text{i18n.Text("Name in the payment order: %s").With(about.OrderedDebtorName)}
	}
	rows := appendRow(nil, account)
	rows = appendRow(rows, ui.Row{Term: "Bank", Value: BankName(about.DebtorAccount, about.DebtorAgent, m.Sent.Banks)})
	return appendRow(rows, addressRow(m.Sent.DebtorAddress))
}

func addressRow(lines []i18n.Text) ui.Row {
	if len(lines) == 0 {
		return ui.Row{}
	}
	return ui.Row{Term: "Address", Text: lines[0], Details: lines[1:]}
}

// termRows are the purpose of a payment, its reference, and the answer of core banking.
func (m Message) termRows() []ui.Row {
	remittance := ui.Row{Term: m.Sent.Remittance.Term, Value: m.Sent.Remittance.Value}
	if remittance.Term == "" {
		remittance = ui.Row{Term: "Message to the creditor", Text: "None"}
	}
	rows := appendRow(nil, remittance)
	if m.Message.IsForLaterThan(m.CreatedAt) {
		rows = append(rows, ui.Row{Term: "Execution date", Value: ui.Day(m.ExecutionDay), Numeric: true})
	}
	rows = appendRow(rows, ui.Row{Term: "End-to-end ID", Value: m.Summary.EndToEndID, Numeric: true})
	return appendRow(rows, CoreRow(m.Core))
}

// DebtorLines are the lines below a debtor account: the name for clearing, the name in the order when it differs, the address and the bank.
func DebtorLines(about payment.Summary, sent Sent) []i18n.Text {
	var lines []i18n.Text
	if about.DebtorName != "" {
		lines = append(lines, i18n.Data(about.DebtorName))
	}
	if about.OrderedDebtorName != "" {
		lines = append(lines, i18n.Text("Name in the payment order: %s").With(about.OrderedDebtorName))
	}
	lines = append(lines, sent.DebtorAddress...)
	if bank := BankName(about.DebtorAccount, about.DebtorAgent, sent.Banks); bank != "" {
		lines = append(lines, i18n.Data(bank))
	}
	return lines
}

// appendRow adds a row unless it is empty.
func appendRow(rows []ui.Row, row ui.Row) []ui.Row {
	if row.Value == "" && row.Text == "" {
		return rows
	}
	return append(rows, row)
}

// factsTitle heads the facts of an R-transaction.
func (m Message) factsTitle() i18n.Text {
	if m.Kind == payment.KindReceivedRecall {
		return "Request from the other bank"
	}
	return "Our request"
}

// Approval is by which rule a message that waits needs approvals, who gave one, who still could, and why others cannot.
type Approval struct {
	Rule      i18n.Text // "1 approval, within 24 h (Everything)"; may be empty
	Given     i18n.Text // "1 of 2"
	By        []string
	May       []string
	MayNot    []i18n.Text // "Maker 1 entered or changed it"
	ExpiresAt time.Time
}

func (a Approval) rows() []ui.Row {
	rows := appendRow(nil, ui.Row{Term: "Policy", Text: a.Rule})
	given := ui.Row{Term: "Approvals", Text: a.Given}
	if len(a.By) > 0 {
		given.Details = []i18n.Text{i18n.Text("by %s").With(strings.Join(a.By, ", "))}
	}
	may := ui.Row{Term: "Can approve", Value: strings.Join(a.May, ", ")}
	if may.Value == "" {
		may.Text = "Nobody. Ask an administrator to add a checker."
	}
	rows = append(rows, given, may)
	if len(a.MayNot) > 0 {
		rows = append(rows, ui.Row{Term: "Cannot approve", Text: a.MayNot[0], Details: a.MayNot[1:]})
	}
	if a.ExpiresAt.IsZero() {
		return rows
	}
	return append(rows, ui.Row{Term: "Expires", Value: ui.DateTime(a.ExpiresAt)})
}

// kindWords are the texts of pages for one kind of message. Sentences have placeholders for the amount and, if two, the name of the other
// side.
type kindWords struct {
	approve, reject       i18n.Text // the acts of a decision
	submitted, withdrawal i18n.Text
	final                 i18n.Text // what an approval does, and that it is final
	finalOfMany           i18n.Text // of messages approved together; as final when empty
	counted, summed       i18n.Text // a number of them, and with their sum if their money leaves
	toward                i18n.Text // before the name in lists
	toDebtor              bool      // the other side is the debtor, not the creditor
	party                 i18n.Text // heads the payment that an R-transaction is about
	list                  ui.Step   // the list it belongs to; that of all payments when empty
}

// kinds are the words of each kind.
var kinds = map[payment.Kind]kindWords{
	payment.KindInstruction: {
		approve: "Approve the payment of %s to %s", reject: "Reject the payment of %s to %s", submitted: "The payment of %s to %s has been " +
			"submitted", withdrawal: "Withdraw the payment of %s to %s",
		final: "The payment is sent immediately after approval. You cannot cancel a payment that has been sent, but you can request a " +
			"recall.",
		finalOfMany: "Each payment is sent as soon as it has all its approvals. You cannot cancel a payment that has been sent, but you can " +
			"recall it.",
		counted: "%d payments", summed: "%d payments (%s in total)",
		toward: "to (a creditor)",
	},
	payment.KindRecall: {
		approve: "Approve the recall of %s paid to %s", reject: "Reject the recall of %s paid to %s",
		submitted: "The recall of %s paid to %s has been submitted", withdrawal: "Withdraw the recall of %s paid to %s",
		final:   "An approved recall is sent immediately. You can recall a payment only once.",
		counted: "%d recalls",
		toward:  "recall of a payment to", party: "Original payment",
	},
	payment.KindReturn: {
		approve: "Approve the return of %s to %s", reject: "Reject the return of %s to %s",
		submitted: "The return of %s to %s has been submitted", withdrawal: "Withdraw the return of %s to %s",
		final:   "An approved return sends the money back immediately. You cannot cancel it.",
		counted: "%d returns", summed: "%d returns (%s in total)",
		toward: "money goes back to", toDebtor: true, party: "Original payment",
	},
	payment.KindResolution: {
		approve: "Approve the refusal to return %s", reject: "Reject the refusal to return %s",
		submitted: "The refusal to return %s has been submitted", withdrawal: "Withdraw the refusal to return %s",
		final:   "An approved refusal is sent immediately and ends the recall. The creditor keeps the money.",
		counted: "%d refusals to return money",
		toward:  "refusal: the money stays with", party: "Original payment",
	},
	payment.KindPayment: { // it came in: nobody submits or decides it
		toward: "from (a debtor)", toDebtor: true,
		list: ui.Step{Label: "Incoming payments", URL: "/incoming"},
	},
	payment.KindReceivedRecall: {
		toward: "recalled by", toDebtor: true, party: "Original payment",
		list: ui.Step{Label: "Received recalls", URL: "/recalls"},
	},
}

// words returns the texts of the message's kind.
func (m Message) words() kindWords { return kinds[m.Kind] }

// about fills a sentence with the amount and the name of the other side.
func (m Message) about(sentence i18n.Text) i18n.Text {
	amount := ui.AmountOf(m.Summary.Amount).String()
	if strings.Count(string(sentence), "%s") == 1 {
		return sentence.With(amount)
	}
	return sentence.With(amount, m.facing())
}

// Approve returns the label of the button that approves the message: "Approve CHF 1'234.50 to Muster AG".
func (m Message) Approve() i18n.Text { return m.about(m.words().approve) }

func (m Message) reject() i18n.Text { return m.about(m.words().reject) }

// facing is the name of the other side.
func (m Message) facing() string { name, _ := Facing(m.Message); return name }

// detail is why a message failed as clearing said it: code and text.
func (m Message) detail() string {
	if m.State != payment.StateFailed {
		return ""
	}
	_, detail := Failure(m.Message)
	return detail
}

// digest is the SHA-256 of the content in hexadecimal digits.
func (m Message) digest() string { return hex.EncodeToString(m.ContentHash[:]) }

// PaymentURL is the page of a message.
func PaymentURL(message uuid.UUID) string { return "/payments/" + message.String() }
