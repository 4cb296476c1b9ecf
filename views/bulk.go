package views

import (
	"cmp"
	"slices"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Bulk is the page that compares several messages before they are approved together. The form sends each as item: key, version and digest
// of the shown content.
type Bulk struct {
	Layout   Layout
	Included []BulkItem
	LeftOut  []BulkItem
	Totals   []KindTotal // of the included messages, of a file also of the marked ones
	// Odd are the messages with cautions: of selected messages each is ticked on its own, of a file the checker confirms having looked at
	// them.
	Odd []BulkItem
	// File is the key of a file whose payments are approved; "" for selected messages. Its form sends Checked in place of the items. Marks
	// are the numbers of payments with each caution.
	File     string
	FileName string
	Checked  string
	All      int // payments of the file
	Waiting  int
	Marks    []MarkCount
	Problems []ui.Problem
	BackURL  string
	Action   string
}

// BulkItem is one message among several.
type BulkItem struct {
	ui.Entry

	Kind     payment.Kind
	Binding  string    // what the decision is bound to
	Act      i18n.Text // "Approve CHF 1'234.50 to Muster AG", of a message to tick
	Account  string
	Sent     []ui.Row  // everything that is sent with it, but Folded; none once it is decided
	Folded   []ui.Row  // of an R-transaction: the elements that are sent beside Sent
	Cautions []Warning // what its own page warns of
	Talk     []Said    // as on its own page
	Said     i18n.Text // why it is left out, or what became of it
	Approved bool      // by the person who looks
	Waits    bool      // for somebody else's approval too
}

// BulkOutcome is the result of approving messages together, one by one. While some are left, the page continues by itself.
type BulkOutcome struct {
	Layout   Layout
	Items    []BulkItem
	Rest     []string   // items not reached yet, as the form sends them
	Unticked []BulkItem // shown with a tick that was not set
	File     string     // of the payments of a file: its key, its digest, and the place of the first that is not reached yet
	Checked  string
	From     int
	Approved int
	Waiting  int // approved, and waiting for another approval
	Refused  int
	BackURL  string
	Action   string
}

// MarkCount is the number of payments with a caution.
type MarkCount struct {
	Text  i18n.Text
	Count int
}

// Mark counts the cautions of a payment.
func (m *Bulk) Mark(cautions []Warning) {
	for _, caution := range cautions {
		at := slices.IndexFunc(m.Marks, func(mark MarkCount) bool { return mark.Text == caution.Title })
		if at < 0 {
			at, m.Marks = len(m.Marks), append(m.Marks, MarkCount{Text: caution.Title})
		}
		m.Marks[at].Count++
	}
}

// Count is the number of messages that can be approved.
func (m Bulk) Count() int { return len(m.Included) + len(m.Odd) }

// BulkSumPath is the fragment with the number and the sum of what the form would approve. A change of its ticks loads it.
const BulkSumPath = "/queue/bulk/sum"

// ticks reports whether each message with cautions is ticked on its own.
func (m Bulk) ticks() bool { return m.File == "" && len(m.Odd) > 0 }

// confirming names the warnings of the messages with cautions, and of those that are left out anyway.
func (m Bulk) confirming() string {
	var all []Warning
	for _, item := range slices.Concat(m.Odd, m.LeftOut) {
		all = append(all, item.Cautions...)
	}
	return Confirming(all)
}

// KindTotal is the number of messages of one kind, and the sums of their amounts for each currency.
type KindTotal struct {
	Kind  payment.Kind
	Count int
	Sums  []ui.Amount
}

// counted is "2 payments".
func (t KindTotal) counted() i18n.Text { return kinds[t.Kind].counted.With(t.Count) }

// sums are the sums of a kind whose money leaves; none of another kind.
func (t KindTotal) sums() []ui.Amount {
	if kinds[t.Kind].summed == "" {
		return nil
	}
	return t.Sums
}

// countedOf counts the messages of each kind: "2 payments, 1 recall".
func countedOf(totals []KindTotal) i18n.Text {
	var texts []i18n.Text
	for _, total := range totals {
		texts = append(texts, total.counted())
	}
	return i18n.Join(", ", texts...)
}

// summedOf is countedOf with the sums: "2 payments (CHF 181.00 in total), 1 recall".
func summedOf(totals []KindTotal) i18n.Text {
	var texts []i18n.Text
	for _, total := range totals {
		text := total.counted()
		if sums := total.sums(); len(sums) > 0 {
			text = kinds[total.Kind].summed.With(total.Count, sumOf(sums))
		}
		texts = append(texts, text)
	}
	return i18n.Join(", ", texts...)
}

// kinds counts the messages that can be approved by kind.
func (m Bulk) kinds() []KindTotal {
	var totals []KindTotal
	for _, kind := range payment.Kinds() {
		count := 0
		for _, item := range slices.Concat(m.Included, m.Odd) {
			if item.Kind == kind {
				count++
			}
		}
		if count > 0 {
			totals = append(totals, KindTotal{Kind: kind, Count: count})
		}
	}
	return totals
}

// heading counts all messages to compare. It says that they are approved only if no tick decides that.
func (m Bulk) heading() i18n.Text {
	switch {
	case m.Count() == 0:
		return "Approve together"
	case m.ticks():
		return i18n.Text("Compare %s").With(countedOf(m.kinds()))
	}
	return i18n.Text("Approve %s").With(countedOf(m.kinds()))
}

// act returns the label of the button. It has the sum if no tick changes it; ticked messages are counted behind it.
func (m Bulk) act() i18n.Text {
	switch {
	case !m.ticks():
		return i18n.Text("Approve %s").With(summedOf(m.Totals))
	case len(m.Included) == 0:
		return "Approve the ticked items"
	}
	return i18n.Text("Approve %s").With(countedOf(m.Totals))
}

// means says for each kind what its approval does.
func (m Bulk) means() i18n.Text {
	var texts []i18n.Text
	for _, total := range m.kinds() {
		texts = append(texts, cmp.Or(kinds[total.Kind].finalOfMany, kinds[total.Kind].final))
	}
	return i18n.Join(" ", texts...)
}

// sumOf writes the totals of up to two currencies.
func sumOf(totals []ui.Amount) i18n.Text {
	if len(totals) > 1 {
		return i18n.Text("%s and %s").With(totals[0].String(), totals[1].String())
	}
	return i18n.Data(totals[0].String())
}

func (m BulkOutcome) done() int { return m.Approved + m.Waiting + m.Refused }

func (m BulkOutcome) all() int { return m.done() + len(m.Rest) }

// sentence sums up the result: "12 of 14 approved. 1 is waiting for another approval. 1 not approved: the reasons are below."
func (m BulkOutcome) sentence() i18n.Text {
	if len(m.Rest) > 0 {
		return i18n.Text("%s of %s processed").With(i18n.Number(m.done()), i18n.Number(m.all()))
	}
	said := i18n.Text("%s of %s approved.").With(i18n.Number(m.Approved), i18n.Number(m.all()))
	if m.Waiting > 0 {
		said = i18n.Join(" ", said, i18n.Text("%d payments are waiting for another approval.").With(m.Waiting))
	}
	if m.Refused > 0 {
		said = i18n.Join(" ", said, i18n.Text("%d payments were not approved. The reasons are below.").With(m.Refused))
	}
	return said
}
