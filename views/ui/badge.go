package ui

import "strings"

// Tone is the fixed meaning of a colour. A tone is never shown by colour
// alone: a badge always carries an icon and words.
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

// look is how a state or a kind appears.
type look struct {
	label string
	tone  Tone
	icon  string
}

// states maps the state names of the interface contract to their appearance. Withheld is none of them: it stands beside a state.
var states = map[string]look{
	"Approval Pending":  {"Waiting for approval", ToneWaiting, "clock"},
	"Approved":          {"Approved", ToneGood, "circle-check"},
	"Processing":        {"Processing", ToneMoving, "send"},
	"Unconfirmed":       {"Unconfirmed", ToneUnsure, "circle-question-mark"},
	"Settled":           {"Settled", ToneGood, "circle-check"},
	"Booked":            {"Booked", ToneGood, "circle-check"},
	"Failed":            {"Failed", ToneBad, "circle-x"},
	"Rejected":          {"Rejected", ToneBad, "circle-x"},
	"Withdrawn":         {"Withdrawn", ToneClosed, "circle-slash"},
	"Expired":           {"Expired", ToneClosed, "circle-slash"},
	"Acknowledged":      {"Acknowledged", ToneMoving, "send"},
	"Accepted":          {"Accepted", ToneGood, "circle-check"},
	"Refused":           {"Refused", ToneBad, "circle-x"},
	"Overdue":           {"Answer overdue", ToneWaiting, "clock"},
	"Communicated":      {"Communicated", ToneGood, "circle-check"},
	"Withheld":          {"Withheld", ToneBad, "triangle-alert"},
	"Awaiting Decision": {"Awaiting decision", ToneWaiting, "clock"},
	"Answered":          {"Answered", ToneGood, "circle-check"},

	"Recall in Progress": {"Recall in progress", ToneReverse, "undo-2"},
	"Recalled":           {"Recalled", ToneReverse, "undo-2"},
	"Recall Refused":     {"Recall refused", ToneReverse, "undo-2"},
	"Return in Progress": {"Return in progress", ToneReverse, "reply"},
	"Returned":           {"Returned", ToneReverse, "reply"},
}

// kinds maps the kinds of message to their appearance.
var kinds = map[string]look{
	"instruction": {"Payment", ToneMoving, "arrow-up-right"},
	"payment":     {"Incoming", ToneMoving, "arrow-down-left"},
	"recall":      {"Recall", ToneReverse, "undo-2"},
	"return":      {"Return", ToneReverse, "reply"},
	"resolution":  {"Resolution", ToneReverse, "gavel"},

	"received recall": {"Received recall", ToneReverse, "undo-2"},
}

// lookOf finds the appearance of a name; an unknown name is shown as it is,
// in the tone that says nothing.
func lookOf(table map[string]look, name string) look {
	if known, found := table[name]; found {
		return known
	}
	return look{label: name, tone: ToneClosed, icon: "info"}
}

// StateLabel returns the words for a state of the interface contract, such as
// "Waiting for approval" for "Approval Pending".
func StateLabel(state string) string { return lookOf(states, state).label }

// KindLabel returns the word for a kind of message, such as "Payment" for
// "instruction".
func KindLabel(kind string) string { return lookOf(kinds, kind).label }

// SchemeLabel returns the short name people use for a scheme: "SIC" for
// "sic-inst", "SEPA" for "sct-inst".
func SchemeLabel(scheme string) string {
	switch scheme {
	case "sic-inst":
		return "SIC"
	case "sct-inst":
		return "SEPA"
	default:
		return strings.ToUpper(scheme)
	}
}

// SchemeName returns the full name of a scheme.
func SchemeName(scheme string) string {
	switch scheme {
	case "sic-inst":
		return "SIC instant payment"
	case "sct-inst":
		return "SEPA instant credit transfer"
	default:
		return scheme
	}
}
