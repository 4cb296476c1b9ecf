package views

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// Queue is the checker's list with, on wide screens, one message beside it. The address alone determines the listed messages.
type Queue struct {
	Layout   Layout
	Tabs     []ui.Tab
	Filter   Filter
	Rows     []ui.Entry
	Facts    QueueFacts
	Pages    ui.Pages
	Empty    ui.Empty  // shown when there are no rows
	Detail   *Decision // the open message; nil for none
	Opened   bool      // the first row opened by itself: where there is no room for both, the list is shown
	Problems []ui.Problem
	// Selecting: rows can be ticked, to be approved together.
	Selecting bool
	ExportURL string                    // of the whole list as a table for a spreadsheet
	Files     []WaitingFile             // whose payments can be approved on one page
	SortURL   func(order string) string // the list in another order; nil for a list that has one order
}

// WaitingFile is a file of which several payments wait for approval.
type WaitingFile struct {
	Name    string
	URL     string
	Waiting int
}

// Questions is the tab of the messages that wait for an answer of their makers.
const Questions = "questions"

// narrowed reports whether the list has a filter.
func (q Queue) narrowed() bool { return !q.decided() && q.Filter.Tab != Questions }

// decided reports whether the list shows the decisions of this person today, which is short and has no filter.
func (q Queue) decided() bool { return q.Filter.Tab == "decided" }

func (q Queue) entries() ui.Entries {
	list := ui.Entries{Caption: i18n.Text("Payments waiting for approval. Sort order: %s").With(q.Filter.order()), Heads: q.heads()}
	if q.decided() {
		list.Caption = "Your decisions today, newest first"
	}
	if q.Filter.Tab == Questions {
		list.Caption = "Unanswered questions, newest first"
	}
	if q.SortURL != nil {
		list.Heads.AmountSorts = []ui.Sort{q.sort("Amount", "largest", "smallest")}
		list.Heads.WhenSorts = []ui.Sort{q.sort("Age", "", "newest"), q.sort("Expiry", "expiry", "expiry")}
	}
	list.Entries = q.Rows
	return list
}

// heads are the columns, with check boxes where rows can be approved together.
func (q Queue) heads() ui.Heads {
	if q.decided() {
		return ui.Heads{Name: "Creditor and purpose", State: "State", When: "Decided"}
	}
	return ui.Heads{Name: "Creditor and purpose", When: "Age", Select: q.Selecting, OneLine: true}
}

// sort is the link that sorts by a column.
func (q Queue) sort(label i18n.Text, first, second string) ui.Sort {
	return sortLink(q.Filter.Sort, q.SortURL, label, first, second)
}

// QueueEntry is a waiting message as the queue shows it to a person; query is the filter that its link preserves.
func QueueEntry(m payment.Message, person uuid.UUID, query string, now time.Time) ui.Entry {
	entry, maker := Entry(m, now), i18n.Text("by %s").With(m.MakerLogin)
	if m.MadeBy(person) {
		maker = "by you"
	}
	_, account := Facing(m)
	entry.URL, entry.InPane, entry.Aged = "/queue/"+entry.ID+query, true, true
	entry.Facts = ui.Facts(ui.KindFact(m.Kind), ui.AccountFact(account), ui.SchemeFact(m.Scheme), ui.Fact{Text: maker})
	return entry
}

// DecidedEntry is a queue entry that was decided since the list was made: the decision replaces its facts in place, so that no row grows
// and pushes the others down.
func DecidedEntry(entry ui.Entry, decision i18n.Text) ui.Entry {
	entry.Dimmed, entry.Decided = true, decision
	entry.Purpose, entry.Facts, entry.Flags, entry.Looked = "", nil, nil, ""
	return entry
}

// QueueFacts holds the counts and totals above the list.
type QueueFacts struct {
	Waiting  int         // negative when not counted
	Oldest   time.Time   // zero when nothing waits
	Totals   []KindTotal // per currency, never added up across kinds and currencies
	Now      time.Time
	Narrowed bool // by a filter or a search
}

// Presence names the other viewers of a message.
type Presence struct {
	InternalID string
	Text       i18n.Text
}

// Older is a message whose displayed age changed.
type Older struct {
	InternalID string
	At         time.Time // of its submission
}

// Changed notifies a page that shows a message of its change.
type Changed struct {
	InternalID uuid.UUID
	As         string // what it is now, as Decision.as says of what is shown; "" for no longer waiting
	State      payment.State
	Text       i18n.Text
}

// QueueLive is the live update of a queue page: new messages, decisions, and the present counts.
type QueueLive struct {
	Layout   Layout
	Arrivals int
	URL      string // the list with them
	Facts    QueueFacts
	Tabs     []ui.Tab
	Rows     []ui.Entry
	Older    []Older
	Present  []Presence
	Changed  []Changed
	// Selecting: the list has boxes to tick.
	Selecting bool
}

func (q QueueLive) heads() ui.Heads { return Queue{Selecting: q.Selecting}.heads() }

// mixed reports whether messages of other kinds than payments wait.
func (f QueueFacts) mixed() bool {
	return slices.ContainsFunc(f.Totals, func(t KindTotal) bool { return t.Kind != payment.KindInstruction })
}

func (f QueueFacts) count() i18n.Text {
	switch {
	case f.Waiting < 0:
		return ""
	case f.Narrowed:
		return i18n.Text("%s found").With(CountOfWaiting(f.Waiting))
	}
	return i18n.Text("%s waiting").With(CountOfWaiting(f.Waiting))
}

// MaxWaiting limits counts of waiting messages; a longer queue is shown as "1'000+".
const MaxWaiting = 1000

// CountOfWaiting formats a count.
func CountOfWaiting(count int) string { return ui.UpTo(count, MaxWaiting) }
