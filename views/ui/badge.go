package ui

import (
	"cmp"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Tone is the fixed meaning of a colour. A tone is never shown by colour alone: a badge always carries an icon and words.
type Tone string

// The tones, one for each group of states.
const (
	ToneWaiting Tone = "waiting"
	ToneGood    Tone = "good"
	ToneBad     Tone = "bad"
	ToneMoving  Tone = "moving"
	ToneReverse Tone = "reverse"
	ToneClosed  Tone = "closed"
	ToneUnsure  Tone = "unsure"
)

// look is the appearance of a state or a kind.
type look struct {
	label i18n.Text
	tone  Tone
	icon  string
}

// states are the appearances of the states of messages.
var states = map[payment.State]look{
	payment.StateApprovalPending:  {"Waiting for approval", ToneWaiting, "clock"},
	payment.StateQuestion:         {"Question", ToneUnsure, "circle-question-mark"},
	payment.StateApproved:         {"Approved", ToneGood, "circle-check"},
	payment.StateProcessing:       {"Processing", ToneMoving, "send"},
	payment.StateUnconfirmed:      {"Unconfirmed", ToneUnsure, "circle-question-mark"},
	payment.StateSettled:          {"Settled", ToneGood, "circle-check"},
	payment.StateBooked:           {"Booked", ToneGood, "circle-check"},
	payment.StateFailed:           {"Failed", ToneBad, "circle-x"},
	payment.StateRejected:         {"Rejected", ToneBad, "circle-x"},
	payment.StateWithdrawn:        {"Withdrawn", ToneClosed, "circle-slash"},
	payment.StateExpired:          {"Expired", ToneClosed, "circle-slash"},
	payment.StateAcknowledged:     {"Acknowledged", ToneMoving, "send"},
	payment.StateAccepted:         {"Accepted", ToneGood, "circle-check"},
	payment.StateRefused:          {"Refused", ToneBad, "circle-x"},
	payment.StateOverdue:          {"Answer overdue", ToneWaiting, "clock"},
	payment.StateCommunicated:     {"Communicated", ToneGood, "circle-check"},
	payment.StateAwaitingDecision: {"Awaiting decision", ToneWaiting, "clock"},
	payment.StateAnswered:         {"Answered", ToneGood, "circle-check"},
}

// marks are the appearances of the marks beside a state: a warning, and the progress of the money.
var marks = map[string]look{
	Withheld: {"Withheld", ToneBad, "triangle-alert"},
	Applied:  {"Applied", ToneGood, "circle-check"},

	string(payment.RecallInProgress): {"Recall in progress", ToneReverse, "undo-2"},
	string(payment.RecallAccepted):   {"Recalled", ToneReverse, "undo-2"},
	string(payment.RecallRefused):    {"Recall refused", ToneReverse, "undo-2"},
	string(payment.ReturnInProgress): {"Return in progress", ToneReverse, "reply"},
	string(payment.ReturnDone):       {"Returned", ToneReverse, "reply"},
}

// Applied is the mark of a change of administration that was approved.
const Applied = "Applied"

// Withheld is the mark of a message that does not fit its seal.
const Withheld = "Withheld"

// kinds are the appearances of the kinds of messages.
var kinds = map[payment.Kind]look{
	payment.KindInstruction: {"Payment", ToneMoving, "arrow-up-right"},
	payment.KindPayment:     {"Incoming", ToneMoving, "arrow-down-left"},
	payment.KindRecall:      {"Recall", ToneReverse, "undo-2"},
	payment.KindReturn:      {"Return", ToneReverse, "reply"},
	payment.KindResolution:  {"Resolution", ToneReverse, "gavel"},

	payment.KindReceivedRecall: {"Received recall", ToneReverse, "undo-2"},
}

// lookOf returns the appearance of a state, of a mark beside it, or of a kind; an unknown name is shown as it is, in a neutral tone.
func lookOf[K ~string](table map[K]look, name string) look {
	known, found := table[K(name)]
	if !found {
		known, found = marks[name]
	}
	if !found {
		return look{label: i18n.Data(name), tone: ToneClosed, icon: "info"}
	}
	return known
}

// StateLabel is the words for a state of the interface contract, such as "Waiting for approval" for "Approval Pending".
func StateLabel[S ~string](state S) i18n.Text { return lookOf(states, string(state)).label }

// KindLabel is the word for a kind of message, such as "Payment" for "instruction".
func KindLabel[K ~string](kind K) i18n.Text { return lookOf(kinds, string(kind)).label }

// schemes are the names of the schemes: the short one people use, and the whole one.
var schemes = map[rulebook.Scheme]struct {
	short string
	whole i18n.Text
}{
	rulebook.SchemeSIC: {"SIC", "SIC instant payment"},
	rulebook.SchemeSCT: {"SEPA", "SEPA instant credit transfer"},
}

// SchemeLabel is the short name of a scheme: "SIC" for "sic-inst", "SEPA" for "sct-inst".
func SchemeLabel[S ~string](scheme S) string {
	return cmp.Or(schemes[rulebook.Scheme(scheme)].short, strings.ToUpper(string(scheme)))
}

// SchemeName is the whole name of a scheme.
func SchemeName[S ~string](scheme S) i18n.Text {
	return cmp.Or(schemes[rulebook.Scheme(scheme)].whole, i18n.Data(string(scheme)))
}
