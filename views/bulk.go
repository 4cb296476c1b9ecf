package views

import (
	"slices"

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
	// File is the key of a file whose payments are approved; "" for selected messages. Its form sends Checked in place of the items. Odd are
	// its payments with cautions, which are included too, and Marks how many payments have each caution.
	File     string
	FileName string
	Checked  string
	All      int // payments of the file
	Waiting  int
	Odd      []BulkItem
	Marks    []MarkCount
	BackURL  string
	Action   string
}

// BulkItem is one message among several.
type BulkItem struct {
	ui.Entry

	Binding  string // what the decision is bound to
	Account  string
	Sent     []ui.Row    // everything that is sent with it; none once it is decided
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
	File     string   // of the payments of a file: its key, its digest, and the place of the first that is not reached yet
	Checked  string
	From     int
	Approved int
	Waiting  int // approved, and waiting for another approval
	Refused  int
	BackURL  string
	Action   string
}

// MarkCount is how many payments have a caution.
type MarkCount struct {
	Text  i18n.Text
	Count int
}

// Count counts the cautions of a payment.
func (m *Bulk) Count(cautions []i18n.Text) {
	for _, caution := range cautions {
		at := slices.IndexFunc(m.Marks, func(mark MarkCount) bool { return mark.Text == caution })
		if at < 0 {
			at, m.Marks = len(m.Marks), append(m.Marks, MarkCount{Text: caution})
		}
		m.Marks[at].Count++
	}
}

func (m Bulk) count() int { return len(m.Included) + len(m.Odd) }

func (m Bulk) act() i18n.Text { return i18n.Text("Approve %d messages").With(m.count()) }

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
