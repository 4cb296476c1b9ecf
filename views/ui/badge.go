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
	means i18n.Text // one or two sentences of the help page; "" for a look without
}

// states are the appearances of the states of messages.
var states = map[payment.State]look{
	payment.StateApprovalPending: {
		label: "Waiting for approval", tone: ToneWaiting, icon: "clock",
		means: "A checker must approve or reject the payment or request. Nothing has been sent yet.",
	},
	payment.StateQuestion: {
		label: "Question", tone: ToneUnsure, icon: "circle-question-mark",
		means: "A checker asked the maker a question. Nobody can approve the payment until the maker answers.",
	},
	payment.StateScheduled: {
		label: "Scheduled", tone: ToneMoving, icon: "clock",
		means: "The payment has all its approvals and is waiting for its execution date. It will be checked again and sent at the start of " +
			"that day.",
	},
	payment.StateApproved: {
		label: "Approved", tone: ToneGood, icon: "circle-check",
		means: "The payment or request has all its approvals and is being sent to clearing.",
	},
	payment.StateProcessing: {
		label: "Processing", tone: ToneMoving, icon: "send",
		means: "Clearing has received the payment or request and usually answers within 10 seconds.",
	},
	payment.StateUnconfirmed: {
		label: "Unconfirmed", tone: ToneUnsure, icon: "circle-question-mark",
		means: "Clearing did not answer in time. Do not pay again, because the payment could still be settled.",
	},
	payment.StateSettled: {
		label: "Settled", tone: ToneGood, icon: "circle-check",
		means: "The other bank has received the money. The payment is final.",
	},
	payment.StateBooked: {
		label: "Booked", tone: ToneGood, icon: "circle-check",
		means: "An incoming payment was credited to the account.",
	},
	payment.StateFailed: {
		label: "Failed", tone: ToneBad, icon: "circle-x",
		means: "The payment or request was refused or not sent. No money moved. Open the payment or request to see the reason.",
	},
	payment.StateRejected: {
		label: "Rejected", tone: ToneBad, icon: "circle-x",
		means: "A checker rejected the payment or request. Nothing was sent. The maker can correct it and submit it again.",
	},
	payment.StateWithdrawn: {
		label: "Withdrawn", tone: ToneClosed, icon: "circle-slash",
		means: "The maker withdrew the payment or request before it was approved. Nothing was sent.",
	},
	payment.StateExpired: {
		label: "Expired", tone: ToneClosed, icon: "circle-slash",
		means: "Nobody approved or rejected the payment or request in time. Nothing was sent.",
	},
	payment.StateAcknowledged: {
		label: "Acknowledged", tone: ToneMoving, icon: "send",
		means: "Clearing has forwarded our recall. The other bank must answer.",
	},
	payment.StateAccepted: {
		label: "Accepted", tone: ToneGood, icon: "circle-check",
		means: "For a recall: the other bank accepted it and returned the money. For an incoming payment: it was accepted but is " +
			"not settled yet.",
	},
	payment.StateRefused: {
		label: "Recall refused", tone: ToneBad, icon: "circle-x",
		means: "The other bank refused to send the money back.",
	},
	payment.StateOverdue: {
		label: "Answer overdue", tone: ToneWaiting, icon: "clock",
		means: "The other bank did not answer your recall in time. A late answer still counts.",
	},
	payment.StateCommunicated: {
		label: "Communicated", tone: ToneGood, icon: "circle-check",
		means: "Our refusal of a recall was delivered. The creditor keeps the money.",
	},
	payment.StateAwaitingDecision: {
		label: "Awaiting decision", tone: ToneWaiting, icon: "clock",
		means: "Another bank has asked for money back. Return the money or refuse the recall by the deadline.",
	},
	payment.StateAnswered: {
		label: "Answered", tone: ToneGood, icon: "circle-check",
		means: "Your institution answered the recall with a return or a refusal.",
	},
}

// marks are the appearances of the marks beside a state: a warning, and the progress of the money.
var marks = map[string]look{
	Withheld: {
		"Withheld", ToneBad, "triangle-alert",
		"The stored content failed its integrity check, so nothing is sent. Tell an operator.",
	},
	Applied: {"Applied", ToneGood, "circle-check", ""},

	RecallWaiting: {"Recall awaiting approval", ToneWaiting, "undo-2", ""},
	ReturnWaiting: {"Return awaiting approval", ToneWaiting, "reply", ""},

	string(payment.RecallInProgress): {"Recall in progress", ToneReverse, "undo-2", ""},
	string(payment.RecallAccepted):   {"Recalled", ToneReverse, "undo-2", ""},
	string(payment.RecallRefused):    {"Recall refused", ToneReverse, "undo-2", ""},
	string(payment.ReturnInProgress): {"Return in progress", ToneReverse, "reply", ""},
	string(payment.ReturnDone):       {"Returned", ToneReverse, "reply", ""},
}

// RecallWaiting and ReturnWaiting are the marks of a payment whose recall or return is not approved yet.
const (
	RecallWaiting = "Recall Waiting"
	ReturnWaiting = "Return Waiting"
)

// Applied is the mark of a change of administration that was approved.
const Applied = "Applied"

// Withheld is the mark of a message that does not fit its seal.
const Withheld = "Withheld"

// kinds are the appearances of the kinds of messages.
var kinds = map[payment.Kind]look{
	payment.KindInstruction: {"Payment", ToneMoving, "arrow-up-right", ""},
	payment.KindPayment:     {"Incoming", ToneMoving, "arrow-down-left", ""},
	payment.KindRecall:      {"Recall", ToneReverse, "undo-2", ""},
	payment.KindReturn:      {"Return", ToneReverse, "reply", ""},
	payment.KindResolution:  {"Refusal of a recall", ToneReverse, "gavel", ""},

	payment.KindReceivedRecall: {"Received recall", ToneReverse, "undo-2", ""},
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

// StateMeaning explains a state, or a mark beside it, for people.
func StateMeaning[S ~string](state S) i18n.Text { return lookOf(states, string(state)).means }

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
