package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Bulk is the page that compares several messages before they are approved together. The form sends each as item: key, version and digest
// of the shown content.
type Bulk struct {
	Layout   Layout
	Included []BulkItem
	LeftOut  []BulkItem
	Totals   []ui.Amount // of what is included, for each currency
	BackURL  string
	Action   string
}

// BulkItem is one message among several.
type BulkItem struct {
	ui.Entry

	Binding  string // what the decision is bound to
	Account  string
	Cautions []i18n.Text // what its own page warns of
	Said     i18n.Text   // why it is left out, or what became of it
	Approved bool        // by the person who looks
	Waits    bool        // for somebody else's approval too
}

// BulkOutcome is the result of approving messages together, one by one. While some are left, the page continues by itself.
type BulkOutcome struct {
	Layout   Layout
	Items    []BulkItem
	Rest     []string // items not reached yet, as the form sends them
	Approved int
	Waiting  int // approved, and waiting for another approval
	Refused  int
	BackURL  string
	Action   string
}

func (m Bulk) act() i18n.Text { return i18n.Text("Approve %d messages").With(len(m.Included)) }

func (m BulkOutcome) done() int { return m.Approved + m.Waiting + m.Refused }

func (m BulkOutcome) all() int { return m.done() + len(m.Rest) }

// sentence sums up the result: "12 of 14 approved. 1 waits for another approval. 1 not: read why below."
func (m BulkOutcome) sentence() i18n.Text {
	if len(m.Rest) > 0 {
		return i18n.Text("%s of %s done").With(i18n.Number(m.done()), i18n.Number(m.all()))
	}
	said := i18n.Text("%s of %s approved.").With(i18n.Number(m.Approved), i18n.Number(m.all()))
	if m.Waiting > 0 {
		said = i18n.Join(" ", said, i18n.Text("%d waits for another approval.").With(m.Waiting))
	}
	if m.Refused > 0 {
		said = i18n.Join(" ", said, i18n.Text("%d not: read why below.").With(m.Refused))
	}
	return said
}
