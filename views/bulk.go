package views

import (
	"strconv"

	"countersign/views/ui"
)

// Bulk is the page on which several messages are compared before they are approved together. The form sends each as item: key, version and
// digest of what this page shows.
type Bulk struct {
	Shell    Shell
	Included []BulkItem
	LeftOut  []BulkItem
	Totals   []ui.Amount // of what is included, for each currency
	BackURL  string
	Action   string
}

// BulkItem is one message among several.
type BulkItem struct {
	Binding   string // what the decision is bound to
	URL       string
	Reference string
	Kind      string
	Scheme    string
	Amount    ui.Amount
	Toward    string
	Name      string
	Account   string
	Purpose   string
	Maker     string
	Flags     []QueueFlag
	Said      string // why it is left out, or what became of it
	Approved  bool
}

// BulkOutcome is what became of messages that were approved together, each for itself. While some are left, the page goes on by itself.
type BulkOutcome struct {
	Shell    Shell
	Items    []BulkItem
	Rest     []string // items not reached yet, as the form sends them
	Approved int
	Refused  int
	BackURL  string
	Action   string
}

func (m Bulk) act() string { return "Approve " + ui.Plural(len(m.Included), "message") }

func (m BulkOutcome) done() int { return m.Approved + m.Refused }

func (m BulkOutcome) all() int { return m.done() + len(m.Rest) }

// sentence says how it went: "12 of 13 approved. 1 was not: read why below."
func (m BulkOutcome) sentence() string {
	if len(m.Rest) > 0 {
		return strconv.Itoa(m.done()) + " of " + strconv.Itoa(m.all()) + " done"
	}
	text := strconv.Itoa(m.Approved) + " of " + strconv.Itoa(m.all()) + " approved."
	if m.Refused > 0 {
		text += " " + strconv.Itoa(m.Refused) + " not: read why below."
	}
	return text
}

func (i BulkItem) facts() []ui.Fact {
	return ui.Facts(ui.KindFact(i.Kind), ui.Fact{Text: ui.SchemeLabel(i.Scheme)}, ui.Fact{Text: "by " + i.Maker})
}
