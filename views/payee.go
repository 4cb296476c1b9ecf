package views

import (
	"countersign/internal/i18n"
	"countersign/internal/payee"
	"countersign/views/ui"
)

// Payee is the result of the verification of payee, in words.
type Payee struct {
	Tone  ui.Tone
	Icon  string
	Title i18n.Text
	Text  i18n.Text
	// Matched is the name of the account where it is nearly the one given, "" else.
	Matched string
	// UseURL takes that name into the form that was filled in; "" where there is none.
	UseURL string
	// Result goes with the submission, so that a maker never submits an unseen result.
	Result string
}

// FieldPayee is the field in which a submission repeats the shown result of the verification of payee.
const FieldPayee = "payee"

// payeeWords holds the texts of each verification result: flag for the queue and lists, title above the page, and the next step.
var payeeWords = map[payee.Result]struct {
	tone              ui.Tone
	icon              string
	flag, title, text i18n.Text
}{
	payee.Match: {
		ui.ToneGood, "circle-check", "", "The creditor's name is verified",
		"The creditor's bank confirms that the account is in this name. Checked on %s.",
	},
	payee.CloseMatch: {
		ui.ToneWaiting, "triangle-alert", "Similar name", "The creditor's name does not quite match the name on the account",
		"According to the creditor's bank, the account is in the name of %s. Checked on %s.",
	},
	payee.NoMatch: {
		ui.ToneBad, "circle-x", "Different name", "The account is not in the creditor's name",
		"According to the creditor's bank, this account belongs to somebody else. Ask the creditor for the account number, using contact " +
			"details you already have and not those in the invoice or message. Money sent to the wrong account could be lost. The bank was " +
			"asked on %s.",
	},
	payee.NotPossible: {
		ui.ToneWaiting, "circle-question-mark", "Name not verified", "The creditor's name could not be verified",
		"The creditor's bank did not say who owns the account. The money could go to somebody other than the named creditor. Checked on %s.",
	},
	payee.Late: {
		ui.ToneWaiting, "clock", "Name not verified", "The creditor's bank did not answer in time",
		"The creditor's bank did not answer within five seconds. The money may go to somebody other than the named creditor. Checked on %s.",
	},
	payee.Waived: {
		ui.ToneWaiting, "info", "Name not verified", "The creditor's name was not verified",
		"As agreed, the creditor's name is not verified for payments from this client. The money could go to somebody other than the named " +
			"creditor. This was recorded on %s.",
	},
}

// PayeeView is a verification in words; nil where there was none.
func PayeeView(v payee.Verification) *Payee {
	words, known := payeeWords[v.Result]
	if !known {
		return nil
	}
	view := &Payee{
		Tone: words.tone, Icon: words.icon, Title: words.title, Text: words.text.With(ui.DateTime(v.At)),
		Matched: v.MatchedName, Result: string(v.Result),
	}
	if v.Result == payee.CloseMatch {
		view.Text = words.text.With(v.MatchedName, ui.DateTime(v.At))
	}
	return view
}

// PayeeWarning returns the warning of a payee verification for checkers; nil when the name matches or was not verified.
func PayeeWarning(v payee.Verification) []Warning {
	view := PayeeView(v)
	if view == nil || !v.Warns() {
		return nil
	}
	return []Warning{{Flags: []i18n.Text{payeeWords[v.Result].flag}, Title: view.Title, Text: view.Text}}
}
