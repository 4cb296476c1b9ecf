package portal

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// maxGone limits the changed rows sent in one poll; the next poll sends the rest.
const maxGone = 50

// late is the longest time between the creation of a key and its visibility to other transactions.
const late = time.Minute

// slow is the longest time between the timestamp of a state change and its visibility to other transactions.
const slow = 2 * time.Second

// Live tracks the queue behind one open page: new messages by their keys, messages that others decided, and waiting messages that changed
// (amended, or with one approval more).
type Live struct {
	request *Request
	filter  Filter
	since   time.Time               // when the page was made
	known   map[uuid.UUID]bool      // waited when the stream began
	last    []store.WaitingMessages // waited at the look before
	aged    time.Time               // as of when the page tells ages
	came    map[uuid.UUID]bool      // since the page was made
	told    string                  // of what the page was told last
}

// Follow starts to track the queue within the filter of the stream's address.
func Follow(v *Request) (*Live, error) {
	query := v.Echo.QueryParams()
	l := &Live{
		request: v, filter: ReadFilter(query, "/queue"), since: v.At, known: map[uuid.UUID]bool{},
		came: map[uuid.UUID]bool{},
	}
	milliseconds, err := strconv.ParseInt(query.Get(openedField), 10, 64)
	if err == nil && milliseconds > 0 && milliseconds <= v.At.UnixMilli() {
		l.since = time.UnixMilli(milliseconds)
	}
	l.aged = l.since
	l.last, err = l.request.waiting(l.filter)
	if err != nil {
		return nil, err
	}
	for _, w := range l.last {
		l.known[w.MessageID] = true
	}
	return l, l.leftMeanwhile()
}

// leftMeanwhile adds the newest messages that left the queue, or changed in it, between the making of the page and the start of its stream,
// so that the first poll reports them. Messages that the page does not show are reported without effect.
func (l *Live) leftMeanwhile() error {
	changed, _, err := l.request.Config.Reader.Page(l.request.Context(), l.request.By.Realm, store.Filter{
		ChangedSince: l.since.Add(-slow), PageSize: maxGone,
	})
	for _, m := range changed {
		switch i := slices.IndexFunc(l.last, func(w store.WaitingMessages) bool { return w.MessageID == m.InternalID }); {
		case i >= 0 && m.Sequence > 1:
			l.last[i].Version = 0
		case i < 0 && m.State != payment.StateApprovalPending:
			l.last = append(l.last, store.WaitingMessages{MessageID: m.InternalID})
		}
	}
	return err
}

// otherwise returns the waiting messages that changed since the last poll, with their earlier state.
func (l *Live) otherwise(waiting []store.WaitingMessages) (now, before []store.WaitingMessages) {
	was := make(map[uuid.UUID]store.WaitingMessages, len(l.last))
	for _, w := range l.last {
		was[w.MessageID] = w
	}
	for _, w := range waiting {
		b, there := was[w.MessageID]
		if there && (b.Version != w.Version || b.Approvals != w.Approvals) {
			now, before = append(now, w), append(before, b)
		}
	}
	return now, before
}

// Look polls once; changed is false when nothing changed.
func (l *Live) Look() (update views.QueueLive, changed bool, err error) {
	l.request.At = l.request.Config.Now()
	now, err := l.request.counted(&l.filter)
	if err != nil {
		return update, false, err
	}
	err = l.present()
	if err != nil {
		return update, false, err
	}
	waiting := now.waiting
	still := make(map[uuid.UUID]bool, len(waiting))
	for _, w := range waiting {
		still[w.MessageID] = true
		unseen := !l.known[w.MessageID] && w.CreatedAt.After(l.since.Add(-late))
		if unseen || !w.CreatedAt.Before(l.since) {
			l.came[w.MessageID] = true
		}
		if l.came[w.MessageID] {
			update.Arrivals++
		}
	}
	update.Rows, update.Changed, err = l.rows(waiting, still)
	update.Older = l.older(waiting)
	update.Facts = now.facts(l.filter, l.request.At)
	update.Selecting = l.request.selecting(l.filter)
	update.Tabs = l.request.queueTabs(l.filter, now)
	update.URL = "/queue" + l.filter.Query("after", "")
	update.Layout = l.request.layout("", views.PlaceQueue)
	for _, message := range slices.SortedFunc(maps.Keys(l.request.viewers), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }) {
		update.Present = append(update.Present, views.Presence{InternalID: message.String(), Text: l.request.looked(message)})
	}
	told := fmt.Sprint(update.Arrivals, len(waiting), l.request.Waiting, update.Present)
	changed = len(update.Rows)+len(update.Older) > 0 || told != l.told && l.told != "" ||
		(update.Arrivals > 0 || len(update.Present) > 0) && l.told == ""
	l.told = told
	return update, changed, err
}

// older returns the messages whose displayed age changed since the last poll: once a minute below an hour of waiting, else once an hour.
func (l *Live) older(waiting []store.WaitingMessages) []views.Older {
	var older []views.Older
	for _, w := range waiting {
		if ui.Age(w.CreatedAt, l.aged) != ui.Age(w.CreatedAt, l.request.At) {
			older = append(older, views.Older{InternalID: w.MessageID.String(), At: w.CreatedAt})
		}
	}
	l.aged = l.request.At
	return older
}

// present records that this person still views the page, and reads who else does.
func (l *Live) present() error {
	err := l.request.Config.Desk.Stay(l.request.Context(), l.request.By, l.request.At)
	if err != nil {
		return err
	}
	l.request.viewers, err = l.request.Config.Reader.Lookers(l.request.Context(), l.request.By, l.request.At)
	return err
}

// rows returns the present rows of messages that left the queue, with the decision and its time, and of those that changed in it. It
// records the reported ones, so that the next poll reports the rest.
func (l *Live) rows(waiting []store.WaitingMessages, still map[uuid.UUID]bool) ([]ui.Entry, []views.Changed, error) {
	other, before := l.otherwise(waiting)
	gone := slices.DeleteFunc(l.last, func(w store.WaitingMessages) bool { return still[w.MessageID] })
	l.last = append(slices.Clone(waiting), gone[min(len(gone), maxGone):]...)
	for _, b := range before[min(len(before), maxGone):] {
		l.last[slices.IndexFunc(l.last, func(w store.WaitingMessages) bool { return w.MessageID == b.MessageID })] = b
	}
	decided, err := l.messages(gone)
	if err != nil {
		return nil, nil, err
	}
	list, err := l.messages(other)
	if err != nil {
		return nil, nil, err
	}
	rows, err := l.request.queueRows(list, l.filter)
	var changed []views.Changed
	for i, m := range list {
		rows[i].Looked = l.request.looked(m.InternalID)
		changed = append(changed, changedMeanwhile(m, before[i]))
	}
	for _, m := range decided {
		row := views.DecidedEntry(l.request.queueRow(m, l.filter), l.request.whatBecame(m))
		rows = append(rows, row)
		changed = append(changed, views.Changed{InternalID: m.InternalID, State: m.State, Text: row.Decided})
	}
	return rows, changed, err
}

// changedMeanwhile returns the change of a pending message since the last poll, for a page that shows it.
func changedMeanwhile(m payment.Message, before store.WaitingMessages) views.Changed {
	changed := views.Changed{
		InternalID: m.InternalID, As: views.AsShown(m.Version, m.Approvals()), Text: approvalsGiven(m),
	}
	if m.Approvals() == 0 || before.Version > 0 && before.Version != m.Version {
		changed.Text = "The payment was amended, so the version on this page is no longer waiting for approval."
	}
	return changed
}

// messages reads the first of the given messages, as many as one poll reports.
func (l *Live) messages(named []store.WaitingMessages) ([]payment.Message, error) {
	if len(named) == 0 {
		return nil, nil
	}
	ids := mapped(named[:min(len(named), maxGone)], func(w store.WaitingMessages) uuid.UUID { return w.MessageID })
	return l.request.Config.Reader.WholeMessages(l.request.Context(), l.request.By.Realm, ids)
}

// whatBecame says in a few words what happened to a message that waited: "Approved by Checker 2, 08:15:22 CET".
func (v *Request) whatBecame(m payment.Message) i18n.Text {
	decision, decided := m.LastDecision()
	switch {
	case decided && decision.PersonID == v.By.PersonID:
		return decidedNote(decision.Action, "you (by)", decision.DecidedAt)
	case decided && m.State != payment.StateQuestion && m.State != payment.StateWithdrawn && m.State != payment.StateExpired:
		return decidedNote(decision.Action, i18n.Data(decision.Name), decision.DecidedAt)
	}
	return i18n.Text("%s, %s").With(ui.StateLabel(string(m.State)), ui.ClockTime(m.StateSince))
}
