package checker

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/portal/page"
	"countersign/web/portal/rtransaction"
)

// queuePage is how many messages one page of the queue lists.
const queuePage = 60

// The tabs of the queue, under the values of their address.
const (
	tabForMe   = ""
	tabAll     = "all"
	tabMine    = "mine"
	tabDecided = "decided"
)

// pendingKinds are the kinds of messages that wait for a decision.
var pendingKinds = []payment.Kind{payment.KindInstruction, payment.KindRecall, payment.KindReturn, payment.KindResolution}

// showQueue is the list of waiting messages.
func showQueue(v *visit) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	f := page.ReadFilter(v.Echo.QueryParams(), "/queue")
	model, err := v.queue(f)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(f.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.Fragment() {
		return v.Render(status, views.QueueList(model))
	}
	return v.Render(status, views.QueuePage(model))
}

// queue fills the page for a filter.
func (v *visit) queue(f page.Filter) (views.Queue, error) {
	f.View.Kinds = page.KindOptions(pendingKinds)
	model := views.Queue{
		Shell: v.Shell("Approval queue", views.PlaceQueue), Filter: f.View, Tabs: v.queueTabs(f), Waiting: -1, Problems: f.Problems,
	}
	model.Shell.Failed = len(f.Problems) > 0
	if model.Shell.Person.MayDecide {
		model.Shell.EventsURL = page.EventsPath
	}
	var err error
	if f.View.Tab == tabDecided {
		model.Rows, err = v.decidedRows(f)
	} else {
		err = v.waitingRows(f, &model)
	}
	model.Empty = v.emptyQueue(f)
	return model, err
}

func (v *visit) waitingRows(f page.Filter, model *views.Queue) error {
	list, more, err := v.pending(f)
	if err != nil {
		return err
	}
	for _, m := range list {
		model.Rows = append(model.Rows, QueueRow(v.Visit, m, f))
	}
	if len(list) > 0 {
		model.Pages = f.Pages("/queue", more, list[len(list)-1].InternalID)
	}
	if f.View.Tab == tabMine {
		return nil
	}
	totals, err := v.totalsOf(f)
	model.Waiting = 0
	for _, total := range totals {
		model.Waiting += int(total.Count)
		if total.Amount.Currency() != "" {
			model.Totals = append(model.Totals, page.AmountView(total.Amount))
		}
		if model.Oldest.IsZero() || total.Oldest.Before(model.Oldest) {
			model.Oldest = total.Oldest
		}
	}
	if model.Waiting >= views.MostWaiting {
		model.Totals = nil // the sum of a part would be taken for the whole
	}
	return err
}

// totalsOf counts what the tab lists: what waits for this person, or for anybody.
func (v *visit) totalsOf(f page.Filter) ([]lookup.Total, error) {
	if f.View.Tab == tabAll {
		return v.Config.Reader.PendingTotals(v.Context(), v.By.Realm, uuid.Nil, views.MostWaiting)
	}
	return v.Totals()
}

// pending reads one page of waiting messages and whether there are more.
func (v *visit) pending(f page.Filter) (list []payment.Message, more bool, err error) {
	if f.Impossible {
		return nil, false, nil
	}
	found := page.ReadSearch(f.View.Text)
	ask := lookup.QueueFilter{
		After: f.After, Kind: f.Kind(pendingKinds), Scheme: string(f.Scheme), MakerLogin: f.Maker(),
		AmountFrom: f.AmountFrom, AmountTo: f.AmountTo,
		Search: found.Text, PageSize: queuePage + 1,
	}
	switch {
	case found.Iban != "":
		ask.Search = found.Iban
	case found.Minor != 0:
		ask.Search, ask.AmountFrom, ask.AmountTo = "", found.Minor, found.Minor
	}
	switch f.View.Tab {
	case tabForMe:
		ask.ExcludePerson = v.By.PersonID
	case tabMine:
		ask.OnlyPerson = v.By.PersonID
	}
	list, err = v.Config.Reader.Queue(v.Context(), v.By.Realm, ask)
	if len(list) > queuePage {
		return list[:queuePage], true, err
	}
	return list, false, err
}

// QueueRow is a waiting message as lists show it; the filter goes on in its link.
func QueueRow(v *page.Visit, m payment.Message, f page.Filter) views.QueueRow {
	row := views.QueueRow{
		InternalID: m.InternalID.String(), URL: "/queue/" + m.InternalID.String() + f.Query(), Reference: string(m.GlobalID),
		Kind: string(m.Kind), Scheme: string(m.Scheme), Amount: page.AmountView(m.Summary.Amount),
		Maker: m.MakerLogin, SubmittedAt: m.CreatedAt, Now: v.At,
		Toward: page.Toward(m), Purpose: rtransaction.Purpose(m), Own: m.MadeBy(v.By.PersonID), Current: m.InternalID == f.Current,
	}
	row.CreditorName, row.CreditorAccount = page.Facing(m)
	if m.Withheld != "" {
		row.Flags = append(row.Flags, views.QueueFlag{Text: page.Withheld, Title: m.Withheld})
	}
	if m.Version > 1 {
		row.Flags = append(row.Flags, views.QueueFlag{Text: "Amended", Title: "Changed after its submission"})
	}
	return row
}

// decidedRows are the messages this person decided today, newest first, at most a page of them.
func (v *visit) decidedRows(f page.Filter) ([]views.QueueRow, error) {
	decided, err := v.Config.Reader.DecidedBy(v.Context(), v.By.Realm, v.By.PersonID, v.Midnight())
	if err != nil {
		return nil, err
	}
	rows := make([]views.QueueRow, 0, min(len(decided), queuePage))
	for _, d := range decided[:min(len(decided), queuePage)] {
		m, err := v.Config.Reader.Message(v.Context(), v.By.Realm, d.MessageID)
		if err != nil {
			return nil, err
		}
		row := QueueRow(v.Visit, m, f)
		row.Decided = decidedNote(d.Action, "you", d.At)
		rows = append(rows, row)
	}
	return rows, nil
}

// decidedNote is what the row of a decided message says: "Approved by you, 08:15:22 CET".
func decidedNote(action payment.Action, who string, at time.Time) string {
	done := "Approved"
	if action == payment.ActionReject {
		done = "Rejected"
	}
	return done + " by " + who + ", " + ui.ClockTime(at)
}

func (v *visit) queueTabs(f page.Filter) []ui.Tab {
	tab := func(label, name string) ui.Tab {
		return ui.Tab{Label: label, URL: "/queue" + f.Query("tab", name, "after", ""), Current: f.View.Tab == name}
	}
	return []ui.Tab{tab("For me", tabForMe), tab("All waiting", tabAll), tab("Submitted by me", tabMine), tab("Decided today", tabDecided)}
}

// emptyQueue says why nothing is listed and what to do next.
func (v *visit) emptyQueue(f page.Filter) ui.Empty {
	switch {
	case f.View.Active > 0 || f.View.Text != "":
		return f.NothingMatches("waiting message")
	case f.View.Tab == tabDecided:
		return ui.Empty{Icon: "clock", Title: "No decision today", Text: "What you approve or reject today is listed here."}
	case f.View.Tab == tabMine:
		return ui.Empty{Icon: "file-text", Title: "Nothing of yours waits", Text: "What you submit waits here until another person decides."}
	}
	return ui.Empty{Icon: "circle-check", Title: "All decided", Text: "Nothing waits for a decision."}
}
