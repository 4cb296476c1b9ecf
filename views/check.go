package views

import (
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Check is the last page before a submission: everything typed, in groups, with links to change it. POST Action sends
// duplicateAcknowledged=yes and duplicateReason when a duplicate was found.
type Check struct {
	Before         i18n.Text // says that the file was uploaded before
	Layout         Layout
	Action         string // "/payments/{draft}/submit"
	Checked        string // the digest of the draft as it is shown
	KeepURL        string // where the reason is kept while it is being typed
	Amount         ui.Amount
	CreditorName   string
	Groups         []CheckGroup
	Payee          *Payee // nil where no payee is verified
	Duplicates     []Duplicate
	Acknowledged   bool   // the duplicate box was ticked
	Reason         string // why the duplicate is wanted
	Transliterated []Change
	NotForwarded   []i18n.Text // what of an order stays behind, a sentence each
	Apart          []Warning   // what sets it apart from what the creditor was paid before, as the checkers are told
	Warnings       []Warning
	Approvers      string      // who may approve: "Checker 1, Checker 2"
	NeedsApproval  bool        // false where no policy asks for one
	Next           []i18n.Text // what happens next, one sentence a step
	ChangeURL      string      // the form, with everything kept
	TemplateURL    string      // where it is saved as a template; "" for a file
	Amends         bool        // this is a new version of a submission
	Changes        []Change    // what it changes in that
	Problems       []ui.Problem
}

// DuplicateReasonLimit is the number of characters that the reason for paying again may have.
const DuplicateReasonLimit = 140

// CheckGroup is one part of the summary.
type CheckGroup struct {
	Title i18n.Text
	Rows  []ui.Row
}

// Duplicate is an earlier payment like this one.
type Duplicate struct {
	Reference string
	URL       string
	At        i18n.Text // when, and by whom
	State     payment.State
}

func (m Check) submitLabel() i18n.Text {
	amount := m.Amount.String()
	switch {
	case m.Amends && m.NeedsApproval:
		return i18n.Text("Submit the amended payment of %s for approval").With(amount)
	case m.Amends:
		return i18n.Text("Submit the amended payment of %s to %s").With(amount, m.CreditorName)
	case m.NeedsApproval:
		return i18n.Text("Submit %s for approval").With(amount)
	}
	return i18n.Text("Submit the payment of %s to %s").With(amount, m.CreditorName)
}

func (m Check) reason() ui.Field {
	return ui.Field{
		ID: "duplicateReason", Label: "Why are you making this payment again?", Value: m.Reason,
		Rows: 2, Limit: DuplicateReasonLimit, Problem: ui.ProblemOf(m.Problems, "duplicateReason"),
	}
}

// toLookAt are the titles of all warnings, for the card with the button.
func (m Check) toLookAt() []i18n.Text {
	var titles []i18n.Text
	if m.Payee != nil && m.Payee.Tone != ui.ToneGood {
		titles = append(titles, m.Payee.Title)
	}
	if len(m.Duplicates) > 0 {
		titles = append(titles, AlikeFlag)
	}
	for _, list := range [][]Warning{m.Apart, m.Warnings} {
		for _, warning := range list {
			titles = append(titles, warning.Title)
		}
	}
	return titles
}

func (m Check) duplicateTitle() i18n.Text { return AlikeTitle(len(m.Duplicates)) }

// maxAlike limits the similar payments that are counted; there may be more.
const maxAlike = 10

// AlikeTitle names the number of similar payments.
func AlikeTitle(count int) i18n.Text {
	if count >= maxAlike {
		return i18n.Text("Possible duplicate: same account and amount entered at least %d times in the last 7 days").With(count)
	}
	return i18n.Text("Possible duplicate: same account and amount entered %d times in the last 7 days").With(count)
}

// AlikeFlag is the flag of AlikeWarning.
const AlikeFlag i18n.Text = "Possible duplicate"

// AlikeWarning warns of similar payments.
func AlikeWarning(count int) Warning {
	return Warning{Flags: []i18n.Text{AlikeFlag}, Title: AlikeTitle(count), Text: "Another payment has the same creditor account and the " +
		"same amount."}
}

// Submitted confirms a submission.
type Submitted struct {
	Layout  Layout
	Message Message
	Next    []i18n.Text
	Again   []ui.Step // the link to another payment like it, or to its correction; none if it offers none
}

// references lists the identifiers of the new message.
func (m Submitted) references() []ui.Row {
	rows := []ui.Row{
		{Term: "Reference", Value: string(m.Message.GlobalID)},
		{Term: "Internal ID", Value: m.Message.InternalID.String()},
		{Term: "End-to-end ID", Value: m.Message.Summary.EndToEndID},
	}
	for i := range rows {
		rows[i].Copy, rows[i].Numeric = rows[i].Value, true
	}
	return append(rows, ui.Row{
		Term: "Submitted", Text: i18n.Text("%s by %s").With(ui.DateTime(m.Message.CreatedAt), m.Message.MakerName),
	})
}
