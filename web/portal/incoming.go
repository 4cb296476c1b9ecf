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
func showIncoming(v *recordsVisit) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/incoming")
	f.View.States = incomingStates()
	f.View.Kind, f.View.Direction = string(payment.KindPayment), string(payment.DirectionIn)
	f.View.Dated = true
	list, next, err := v.search(&f, ReadSearch(f.View.Text, v.Today()))
	if err != nil {
		return err
	}
	f.View.Kind, f.View.Direction = "", "" // they are the list's, not the visitor's
	sorts := f.SortLinks("/incoming")
	model := views.Incoming{Shell: v.Shell("Incoming payments", views.PlaceIncoming), Filter: f.View, Problems: f.Problems, SortURL: sorts}
	model.Shell.Failed = len(f.Problems) > 0
	for _, m := range list {
		model.Rows = append(model.Rows, incomingRow(m))
	}
	model.Pages = f.PagesOf("/incoming", list, next)
	model.Empty = ui.Empty{
		Icon: "arrow-down-left", Title: "No incoming payments yet", Text: "What other banks send to your accounts is listed here.",
	}
	switch {
	case next.MessageID != uuid.Nil:
		model.Empty = f.NotYet("/incoming", next)
	case f.View.Active > 0 || f.View.Text != "":
		model.Empty = f.NothingMatches("No incoming payment matches what you look for.")
	}
	status := http.StatusOK
	if len(f.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.Fragment() {
		return v.Render(status, views.IncomingFragment(model))
	}
	return v.Render(status, views.IncomingPage(model))
}

func incomingStates() []ui.Option {
	options := []ui.Option{{Label: "Any"}}
	for _, state := range []payment.State{payment.StateBooked, payment.StateFailed} {
		options = append(options, ui.Option{Value: string(state), Label: ui.StateLabel(state)})
	}
	return options
}

func incomingRow(m payment.Message) views.IncomingRow {
	return views.IncomingRow{
		InternalID: m.InternalID.String(), URL: "/payments/" + m.InternalID.String(), Reference: string(m.GlobalID),
		Scheme: m.Scheme,
		Amount: ui.AmountOf(m.Summary.Amount), DebtorName: m.Summary.DebtorName, CreditorName: m.Summary.CreditorName,
		CreditorAccount: m.Summary.CreditorAccount, Remittance: m.Summary.Remittance, State: m.State, FollowUp: views.FollowUp(m),
		ReceivedAt: m.CreatedAt,
	}
}

// tabAnswered is the part of the received recalls that were granted or refused.
const tabAnswered = "answered"

// recallTabs are the parts of the list of received recalls.
var recallTabs = []struct {
	name  string
	label i18n.Text
	state payment.State
}{
	{"", "To answer", payment.StateAwaitingDecision},
	{tabLate, "Late", payment.StateAwaitingDecision},
	{tabAnswered, "Answered", payment.StateAnswered},
}

// showReceivedRecalls lists the recalls that came in, with the days left for an answer.
func showReceivedRecalls(v *recordsVisit) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/recalls")
	model := views.ReceivedRecalls{Shell: v.Shell("Received recalls", views.PlaceRecalls)}
	ask := store.Filter{Kind: string(payment.KindReceivedRecall)}
	counted, err := v.Config.Reader.Recalls(v.Context(), v.By.Realm, dueBefore(v.Visit), MaxOnTab+1)
	if err != nil {
		return err
	}
	counts := map[string]int{"": counted.ToAnswer, tabLate: counted.Late, tabAnswered: counted.Answered}
	for _, tab := range recallTabs {
		current := tab.name == f.View.Tab
		model.Tabs = append(model.Tabs, ui.Tab{
			Label: tab.label, URL: "/recalls" + Filter{}.Query("tab", tab.name),
			Current: current, Count: CountUpTo(counts[tab.name], MaxOnTab),
		})
		if current {
			ask.States = []payment.State{tab.state}
		}
	}
	list, next, err := v.recalls(&f, ask)
	if err != nil {
		return err
	}
	if f.View.Tab != tabLate { // those come in the order of their last day
		model.Sort, model.SortURL = f.View.Sort, f.SortLinks("/recalls")
	}
	answers, err := v.Config.Reader.Answers(v.Context(), v.By.Realm, list)
	if err != nil {
		return err
	}
	for _, m := range list {
		row := v.receivedRecallRow(m)
		if answer, given := answers[m.InternalID]; given && m.Withheld == "" {
			row.Answer = i18n.Text("%s: %s").With(ui.KindLabel(answer.Kind), ui.StateLabel(string(answer.State)))
		}
		model.Rows = append(model.Rows, row)
	}
	model.Pages = f.PagesOf("/recalls", list, next)
	model.Empty = ui.Empty{Icon: "circle-check", Title: "No recall waits for an answer", Text: "What other banks ask back is listed here."}
	switch {
	case next.MessageID != uuid.Nil:
		model.Empty = f.NotYet("/recalls", next)
	case f.View.Tab == tabLate:
		model.Empty = ui.Empty{Icon: "circle-check", Title: "Nothing is late", Text: "Every recall whose last day is over was answered."}
	case f.View.Tab != "":
		model.Empty = ui.Empty{Icon: "undo-2", Title: "Nothing here", Text: "Recalls that were granted or refused are listed here."}
	}
	return v.Render(http.StatusOK, views.ReceivedRecallsPage(model))
}

// recalls lists a page of received recalls; on the tab of those that are late, the one that was due first first.
func (v *recordsVisit) recalls(f *Filter, ask store.Filter) (list []payment.Message, next store.ListPlace, err error) {
	if f.View.Tab == tabLate {
		list, err = v.Config.Reader.AnswersDue(v.Context(), v.By.Realm, dueBefore(v.Visit), ListPage)
		return list, next, err
	}
	return v.Listed(f, ask)
}

func (v *recordsVisit) receivedRecallRow(m payment.Message) views.ReceivedRecallRow {
	row := views.ReceivedRecallRow{
		InternalID: m.InternalID.String(), URL: "/payments/" + m.InternalID.String(), Reference: string(m.GlobalID),
		Scheme: m.Scheme,
		Amount: ui.AmountOf(m.Summary.Amount), DebtorName: m.Summary.DebtorName, Reason: m.Reason, State: m.State,
		ReceivedAt: m.CreatedAt,
	}
	row.ReasonText = views.ReasonWords(m.Kind, m.Scheme, m.Reason)
	if m.State == payment.StateAwaitingDecision {
		due := Due(v.Visit, m)
		row.Due = &due
	}
	if m.Withheld != "" {
		row.Answer = ui.Withheld
	}
	return row
}

// showReceivedRecall leads to the page of a recall that came in.
func showReceivedRecall(v *recordsVisit) error {
	m, err := v.Readable()
	if err != nil {
		return err
	}
	if m.Kind != payment.KindReceivedRecall || m.InternalID == uuid.Nil {
		return payment.ErrNotFound
	}
	return v.Echo.Redirect(http.StatusSeeOther, "/payments/"+m.InternalID.String())
}
