package portal

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// queuePage limits the messages on one page of the queue.
const queuePage = 60

// The tabs of the queue, under the values of their address.
const (
	tabForMe   = ""
	tabAll     = "all"
	tabMine    = "mine"
	tabDecided = "decided"
	tabAsked   = views.Questions
)

// openedField is the query parameter with which a page tells its stream when it was made, in milliseconds. No filter may have this name.
const openedField = "opened"

// pendingKinds are the kinds of messages that wait for a decision.
var pendingKinds = []payment.Kind{payment.KindInstruction, payment.KindRecall, payment.KindReturn, payment.KindResolution}

// showQueue lists the waiting messages.
func showQueue(v *Request) error {
	f := ReadFilter(v.Echo.QueryParams(), "/queue")
	model, err := together(v, func() (views.Queue, error) { return v.queue(f) })
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(model.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.Fragment() {
		return v.Render(status, views.QueueFragment(model))
	}
	if len(model.Rows) > 0 && model.Filter.Tab != tabDecided {
		model.Detail, err = v.firstDetail(&model, f)
		if err != nil {
			return err
		}
	}
	return v.Render(status, views.QueuePage(model))
}

// firstDetail opens the first row beside the list, where there is room for it.
func (v *Request) firstDetail(model *views.Queue, f Filter) (*views.Decision, error) {
	id, err := uuid.Parse(model.Rows[0].ID)
	if err != nil {
		return nil, err
	}
	m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, id)
	if errors.Is(err, payment.ErrNotFound) {
		return nil, nil //nolint:nilnil // it cannot be found any more: the list stands alone
	}
	if err != nil {
		return nil, err
	}
	typed, err := v.typed(m)
	if err != nil {
		return nil, err
	}
	detail, err := v.decision(m, f, typed)
	model.Rows[0].Current, model.Opened = true, true
	return &detail, err
}

// queue fills the page for a filter, in the transaction of the caller.
func (v *Request) queue(f Filter) (views.Queue, error) {
	f.View.Kinds, f.View.Queued, f.View.Dated = anyOf(ui.KindLabel[payment.Kind], pendingKinds...), true, true
	f.View.Tab = v.tab(f)
	if f.View.Active > 0 || f.View.Text != "" || f.View.Sort != "" {
		f.View.SaveURL = "/queue/views" + savable(f)
	}
	now, err := v.count(&f)
	if err != nil {
		return views.Queue{}, err
	}
	saved, err := v.viewTabs(f)
	if err != nil {
		return views.Queue{}, err
	}
	v.viewers, err = v.Config.Reader.Lookers(v.Context(), v.By, v.At)
	if err != nil {
		return views.Queue{}, err
	}
	model := views.Queue{
		Layout: v.layout("Approval queue", views.PlaceQueue), Filter: f.View,
		Tabs: oneCurrent(append(v.queueTabs(f, now), saved...)), Problems: f.Problems,
		Facts: views.QueueFacts{Waiting: -1, Now: v.At},
	}
	model.Layout.Failed = len(f.Problems) > 0
	switch f.View.Tab {
	case tabDecided:
		err = v.decidedRows(f, &model)
	case tabAsked:
		err = v.questionRows(f, &model)
	default:
		model.Selecting, model.ExportURL = v.selecting(f), "/queue/table"+f.Query("after", "")
		model.SortURL = f.SortLinks("/queue")
		err = v.waitingRows(f, now, &model)
	}
	model.Empty = v.emptyQueue(f)
	if err == nil {
		model.Files, err = v.waitingFiles(model.Selecting)
	}
	return model, err
}

// tab returns the tab of the queue to show. A person without the right to decide sees other tabs: a maker their own waiting messages, a
// reader all of them.
func (v *Request) tab(f Filter) string {
	for _, t := range v.tabs() {
		if t.name == f.View.Tab {
			return t.name
		}
	}
	return v.tabs()[0].name
}

// selecting reports whether rows have check boxes: this person may decide, and the list holds waiting messages.
func (v *Request) selecting(f Filter) bool {
	tab := v.tab(f)
	return v.By.Has(identity.RoleChecker) && (tab == tabForMe || tab == tabAll)
}

func (v *Request) waitingRows(f Filter, now counted, model *views.Queue) error {
	list, more, err := v.queuePageOf(f, now.all)
	if err != nil {
		return err
	}
	model.Rows, err = v.queueRows(list, f)
	if err != nil {
		return err
	}
	for i, m := range list {
		model.Rows[i].Looked = v.looked(m.InternalID)
	}
	if len(list) > 0 {
		model.Pages = f.Pages("/queue", more, f.Behind(list[len(list)-1]))
	}
	model.Facts = now.facts(f, v.At)
	if model.Layout.Person.MayDecide {
		model.Layout.EventsURL = EventsPath + f.Query("after", "", openedField, strconv.FormatInt(v.At.UnixMilli(), 10),
			views.PersonField, v.whose())
	}
	return nil
}

// queuePageOf reads one page of the waiting messages that an address narrows the queue to, all for everybody, and whether there are more.
func (v *Request) queuePageOf(f Filter, all store.QueueFilter) (list []payment.Message, more bool, err error) {
	if f.Impossible {
		return nil, false, nil
	}
	ask := v.onTab(all, v.tab(f))
	size := int(cmp.Or(f.Size, queuePage))
	ask.Sort, ask.After, ask.PageSize = f.Sort(), f.Begins(), int32(size)+1 //nolint:gosec // a page
	list, err = v.Config.Reader.Queue(v.Context(), v.By.Realm, ask)
	if len(list) > size {
		return list[:size], true, err
	}
	return list, false, err
}

// queueRows converts messages to rows with their flags.
func (v *Request) queueRows(list []payment.Message, f Filter) ([]ui.Entry, error) {
	warnings, err := Warnings(v, list)
	rows := make([]ui.Entry, len(list))
	for i, m := range list {
		rows[i] = v.flaggedRow(m, f, warnings)
	}
	return rows, err
}

// flaggedRow is queueRow with the flags of the warnings.
func (v *Request) flaggedRow(m payment.Message, f Filter, warnings map[uuid.UUID][]views.Warning) ui.Entry {
	row := v.queueRow(m, f)
	row.Flags = append(row.Flags, flagsOfWarnings(warnings[m.InternalID])...)
	return row
}

// flagsOfWarnings are the flags of warnings, each once.
func flagsOfWarnings(warnings []views.Warning) []ui.Fact {
	var flags []ui.Fact
	for _, warning := range warnings {
		for _, text := range warning.Flags {
			if !slices.ContainsFunc(flags, func(flag ui.Fact) bool { return flag.Text == text }) {
				flags = append(flags, ui.Fact{Text: text, Title: warning.Whole()})
			}
		}
	}
	return flags
}

// queueRow is a message as the queue shows it, with the flags of its own state; the filter goes on in its link.
func (v *Request) queueRow(m payment.Message, f Filter) ui.Entry {
	row := views.QueueEntry(m, v.By.PersonID, f.Query(), v.At)
	row.Current = m.InternalID == f.Current
	if m.Withheld != "" {
		row.Flags = append(row.Flags, ui.Fact{Text: ui.Withheld, Title: m.Withheld})
	}
	row.Flags = append(row.Flags, flagsOf(m, v.At)...)
	return row
}

// endsSoon is the remaining time below which a message gets a mark.
const endsSoon = 4 * time.Hour

// flagsOf returns the marks of a waiting message for its checkers.
func flagsOf(m payment.Message, now time.Time) []ui.Fact {
	var flags []ui.Fact
	if m.State == payment.StateQuestion {
		flags = append(flags, ui.Fact{Text: "Question", Title: "Waiting for the maker’s answer"})
	}
	if m.ApprovalsRequired > 1 {
		flags = append(flags, ui.Fact{
			Text:  i18n.Text("%s of %s").With(i18n.Number(m.ApprovalsListed), i18n.Number(m.ApprovalsRequired)),
			Title: "Approvals given and needed",
		})
	}
	if m.IsForLaterThan(now) {
		flags = append(flags, ui.Fact{
			Text:  i18n.Text("On %s").With(ui.Day(m.ExecutionDay)),
			Title: "Execution date, if the payment is approved",
		})
	}
	if m.Version > 1 {
		flags = append(flags, ui.Fact{Text: "Amended", Title: "Amended after submission"})
	}
	if !m.ExpiresAt.IsZero() && m.ExpiresAt.Sub(now) < endsSoon {
		flags = append(flags, ui.Fact{
			Text: i18n.Text("Expires %s").With(ui.ShortTime(m.ExpiresAt,
				now)), Title: i18n.Text("Expires on %s if nobody approves or rejects it").With(ui.DateTime(m.ExpiresAt)),
		})
	}
	return flags
}

// decidedNote describes a decision in a row that was waiting: "Approved by you, 08:15:22 CET".
func decidedNote(action payment.Action, who i18n.Text, at time.Time) i18n.Text {
	return i18n.Text("%s, %s").With(outcomeNote(action, who), ui.ClockTime(at))
}

func outcomeNote(action payment.Action, who i18n.Text) i18n.Text {
	if action == payment.ActionReject {
		return i18n.Text("Rejected by %s").With(who)
	}
	return i18n.Text("Approved by %s").With(who)
}

// queueTab is one part of the queue.
type queueTab struct {
	name  string
	label i18n.Text
}

// tabs returns the parts of the queue for this person; the first one is the default.
func (v *Request) tabs() []queueTab {
	all, mine, asked := queueTab{tabAll, "All waiting"}, queueTab{tabMine, "Submitted by me"}, queueTab{tabAsked, "Questions"}
	decides, makes := v.By.Has(identity.RoleChecker), MayMake(v.By) == nil
	switch {
	case decides && makes:
		return []queueTab{{tabForMe, "For me"}, all, mine, asked, {tabDecided, "Decided today"}}
	case decides:
		return []queueTab{{tabForMe, "For me"}, all, asked, {tabDecided, "Decided today"}}
	case makes:
		return []queueTab{mine, all, asked}
	}
	return []queueTab{all, asked}
}

func (v *Request) queueTabs(f Filter, now counted) []ui.Tab {
	var tabs []ui.Tab
	for _, t := range v.tabs() {
		if t.name == tabAsked && now.tabs[tabAsked] == "0" && f.View.Tab != tabAsked {
			continue
		}
		tabs = append(tabs, ui.Tab{
			ID: "tab-" + cmp.Or(t.name, "me"), Label: t.label, URL: "/queue" + f.Query("tab", t.name, "after",
				""), Current: f.View.Tab == t.name,
			Count: now.tabs[t.name],
		})
	}
	return tabs
}

// oneCurrent keeps the last of several current tabs: an open saved view, not the part of the queue that it filters.
func oneCurrent(tabs []ui.Tab) []ui.Tab {
	last := -1
	for i := range tabs {
		if !tabs[i].Current {
			continue
		}
		if last >= 0 {
			tabs[last].Current = false
		}
		last = i
	}
	return tabs
}

// emptyQueue explains an empty list and names the next step.
func (v *Request) emptyQueue(f Filter) ui.Empty {
	switch {
	case (f.View.Tab == tabDecided || f.View.Tab == tabAsked) && (f.View.Text != "" || f.View.Active > 0):
		return f.NothingMatches("No payment matches your search.")
	case f.View.Tab == tabDecided:
		return ui.Empty{Icon: "clock", Title: "No decisions today", Text: "Payments that you approve or reject today are listed here."}
	case f.View.Tab == tabAsked:
		return ui.Empty{Icon: "circle-question-mark", Title: "No open questions", Text: "Every question to a maker has been answered."}
	case f.View.Text != "":
		nothing := f.NothingMatches("No waiting payment matches your search.")
		nothing.Text = "A search for part of a word covers only the 500 payments that have waited longest. To find other payments, enter " +
			"whole words, an amount, a maker or a day."
		return nothing
	case f.View.Active > 0:
		return f.NothingMatches("No waiting payment matches your search.")
	case f.View.Tab == tabMine:
		return ui.Empty{
			Icon: "file-text", Title: "None of your submissions are waiting for a decision",
			Text: "Your submissions are listed on this page until another person approves or rejects them.",
		}
	}
	return ui.Empty{Icon: "circle-check", Title: "Nothing left to decide", Text: "Nothing is waiting for a decision."}
}

// look records that a checker has the message open; nothing for others.
func (v *Request) look(m payment.Message) error {
	if !v.By.Has(identity.RoleChecker) {
		return nil
	}
	return v.Config.Desk.Look(v.Context(), v.By, m, v.At)
}

// lookAtAll records that a checker has these messages open on one page; nothing for others.
func (v *Request) lookAtAll(messages []payment.Message) error {
	if !v.By.Has(identity.RoleChecker) || len(messages) == 0 {
		return nil
	}
	return v.Config.Desk.LookAtAll(v.Context(), v.By, messages, v.At)
}

// looked names the other people who view a message: "Checker 2 is looking at this"; "" for none.
func (v *Request) looked(message uuid.UUID) i18n.Text {
	names := v.viewers[message]
	switch len(names) {
	case 0:
		return ""
	case 1:
		return i18n.Text("%s is viewing this item").With(names[0])
	}
	last := len(names) - 1
	return i18n.Text("%s and %s are viewing this item").With(strings.Join(names[:last], ", "), names[last])
}
