package portal

import (
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showIncoming lists the payments that came in.
func showIncoming(v *Request) error {
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/incoming")
	f.View.Dated, f.View.States = true, anyOf(ui.StateLabel[payment.State], payment.StateAccepted, payment.StateBooked, payment.StateFailed)
	f.View.Kind, f.View.Direction = string(payment.KindPayment), string(payment.DirectionIn)
	return v.showFiltered(f, ReadSearch(f.View.Text, v.Today()), filtered{
		path: "/incoming", part: "incoming-list", title: "Incoming payments", newest: "Incoming payments, newest first",
		place: views.PlaceIncoming,
		heads: ui.Heads{Name: "Debtor and purpose", State: "State", When: "Received"}, entry: views.IncomingEntry,
		empty: ui.Empty{
			Icon: "arrow-down-left", Title: "No incoming payments yet", Text: "This page lists payments from other banks to your accounts.",
		},
		nothing: "No incoming payment matches your search.",
	})
}

// tabAnswered is the tab of the received recalls that were granted or refused.
const tabAnswered = "answered"

// recallTabs are the tabs of the list of received recalls.
var recallTabs = []struct {
	name  string
	label i18n.Text
	state payment.State
}{
	{"", "Not answered yet", payment.StateAwaitingDecision},
	{tabLate, "Overdue", payment.StateAwaitingDecision},
	{tabAnswered, "Answered", payment.StateAnswered},
}

// showReceivedRecalls lists the received recalls, with the days left for an answer.
func showReceivedRecalls(v *Request) error {
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/recalls")
	model := views.List{Layout: v.layout("Received recalls", views.PlaceRecalls)}
	ask := store.Filter{Kind: string(payment.KindReceivedRecall)}
	counted, err := v.Config.Reader.Recalls(v.Context(), v.By.Realm, dueBefore(v), views.MaxWaiting)
	if err != nil {
		return err
	}
	counts := map[string]int{"": counted.ToAnswer, tabLate: counted.Late, tabAnswered: counted.Answered}
	for _, tab := range recallTabs {
		current := tab.name == f.View.Tab
		model.Tabs = append(model.Tabs, ui.Tab{
			Label: tab.label, URL: "/recalls" + Filter{}.Query("tab", tab.name),
			Current: current, Count: views.CountOfWaiting(counts[tab.name]),
		})
		if current {
			ask.States = []payment.State{tab.state}
		}
	}
	list, next, err := v.recalls(&f, ask)
	if err != nil {
		return err
	}
	sort, links := f.View.Sort, f.SortLinks("/recalls")
	if f.View.Tab == tabLate { // those come in the order of their last day
		sort, links = "", nil
	}
	heads := ui.Heads{Name: "Debtor and recall reason", State: "State", Due: "Answer by", When: "Received"}
	model.Entries = views.Sorted("Received recalls, newest first", "Received recalls", heads, sort, links)
	answers, err := v.Config.Reader.Answers(v.Context(), v.By.Realm, list)
	if err != nil {
		return err
	}
	for _, m := range list {
		row := v.receivedRecallRow(m)
		if answer, given := answers[m.InternalID]; given && m.Withheld == "" {
			row.Note = i18n.Text("%s: %s").With(ui.KindLabel(answer.Kind), ui.StateLabel(string(answer.State)))
		}
		model.Entries.Entries = append(model.Entries.Entries, row)
	}
	model.Pages, model.ExportURL = f.PagesOf("/recalls", list, next), "/recalls/table"+f.Query("after", "")
	model.Empty = ui.Empty{
		Icon: "circle-check", Title: "No recalls are waiting for an answer",
		Text: "This page lists recalls from other banks.",
	}
	switch {
	case next.MessageID != uuid.Nil:
		model.Empty = f.NotYet("/recalls", next)
	case f.View.Tab == tabLate:
		model.Empty = ui.Empty{Icon: "circle-check", Title: "Nothing is overdue", Text: "Every recall past its deadline has been answered."}
	case f.View.Tab != "":
		model.Empty = ui.Empty{Icon: "undo-2", Title: "No entries", Text: "This page lists recalls that were accepted or refused."}
	}
	return v.Render(http.StatusOK, views.ListPage(model))
}

// recalls lists a page of received recalls; the tab of late recalls is sorted by the missed day.
func (v *Request) recalls(f *Filter, ask store.Filter) (list []payment.Message, next store.ListPlace, err error) {
	if f.View.Tab == tabLate {
		most := int32(ListPage)
		if f.Size > 0 {
			most = maxRows
		}
		list, err = v.Config.Reader.AnswersDue(v.Context(), v.By.Realm, dueBefore(v), most)
		return list, next, err
	}
	return v.Listed(f, ask)
}

func (v *Request) receivedRecallRow(m payment.Message) ui.Entry {
	row := views.Entry(m, v.At)
	row.Toward, row.Purpose = "", views.ReasonText(m.Kind, m.Scheme, m.Reason)
	row.Facts = ui.Facts(ui.SchemeFact(m.Scheme))
	row.States = []string{string(m.State)}
	if m.State == payment.StateAwaitingDecision {
		due := Due(v, m)
		row.Due = &due
	}
	if m.Withheld != "" {
		row.Note = ui.Withheld
	}
	return row
}

// showReceivedRecall redirects to the page of a received recall.
func showReceivedRecall(v *Request, m payment.Message) error {
	if m.Kind != payment.KindReceivedRecall || m.InternalID == uuid.Nil {
		return payment.ErrNotFound
	}
	return v.Echo.Redirect(http.StatusSeeOther, "/payments/"+m.InternalID.String())
}
