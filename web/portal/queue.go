package portal

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
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
	err := payment.MayRead(v.by)
	if err != nil {
		return err
	}
	f := readFilter(v.echo.QueryParams(), "/queue")
	model, err := v.queue(f)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(f.problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.fragment() {
		return v.render(status, views.QueueList(model))
	}
	return v.render(status, views.QueuePage(model))
}

// queue fills the page for a filter.
func (v *visit) queue(f filter) (views.Queue, error) {
	f.view.Kinds = kindOptions(pendingKinds)
	model := views.Queue{
		Shell: v.shell("Approval queue", views.PlaceQueue), Filter: f.view, Tabs: v.queueTabs(f), Waiting: -1, Problems: f.problems,
	}
	model.Shell.Failed = len(f.problems) > 0
	if model.Shell.Person.MayDecide {
		model.Shell.EventsURL = eventsPath
	}
	var err error
	if f.view.Tab == tabDecided {
		model.Rows, err = v.decidedRows(f)
	} else {
		err = v.waitingRows(f, &model)
	}
	model.Empty = v.emptyQueue(f)
	return model, err
}

func (v *visit) waitingRows(f filter, model *views.Queue) error {
	list, more, err := v.pending(f)
	if err != nil {
		return err
	}
	for _, m := range list {
		model.Rows = append(model.Rows, v.queueRow(m, f))
	}
	if len(list) > 0 {
		model.Pages = f.pages("/queue", more, list[len(list)-1].InternalID)
	}
	if f.view.Tab == tabMine {
		return nil
	}
	exclude := v.by.PersonID
	if f.view.Tab == tabAll {
		exclude = uuid.Nil
	}
	totals, err := v.cfg.Reader.Waiting(v.ctx(), v.by.Realm, exclude, views.MostWaiting)
	model.Waiting = 0
	for _, total := range totals {
		model.Waiting += int(total.Count)
		model.Totals = append(model.Totals, amountView(total.Amount))
		if model.Oldest.IsZero() || total.Oldest.Before(model.Oldest) {
			model.Oldest = total.Oldest
		}
	}
	if model.Waiting >= views.MostWaiting {
		model.Totals = nil // the sum of a part would be taken for the whole
	}
	return err
}

// pending reads one page of waiting messages and whether there are more.
func (v *visit) pending(f filter) (list []payment.Message, more bool, err error) {
	if f.impossible {
		return nil, false, nil
	}
	found := readSearch(f.view.Text)
	ask := store.QueueFilter{
		After: f.after, Kind: f.kind(pendingKinds), Scheme: string(f.scheme), MakerLogin: f.maker(), AmountFrom: f.amountFrom, AmountTo: f.amountTo,
		Search: found.text, PageSize: queuePage + 1,
	}
	switch {
	case found.iban != "":
		ask.Search = found.iban
	case found.minor != 0:
		ask.Search, ask.AmountFrom, ask.AmountTo = "", found.minor, found.minor
	}
	switch f.view.Tab {
	case tabForMe:
		ask.ExcludePerson = v.by.PersonID
	case tabMine:
		ask.OnlyPerson = v.by.PersonID
	}
	list, err = v.cfg.Reader.Queue(v.ctx(), v.by.Realm, ask)
	if len(list) > queuePage {
		return list[:queuePage], true, err
	}
	return list, false, err
}

func (v *visit) queueRow(m payment.Message, f filter) views.QueueRow {
	row := views.QueueRow{
		InternalID: m.InternalID.String(), URL: "/queue/" + m.InternalID.String() + f.query(), Reference: string(m.GlobalID),
		Kind: string(m.Kind), Scheme: string(m.Scheme), Amount: amountView(m.Summary.Amount), CreditorName: m.Summary.CreditorName,
		CreditorAccount: m.Summary.CreditorAccount, Maker: m.MakerLogin, SubmittedAt: m.CreatedAt, Now: v.at,
		Own: m.MadeBy(v.by.PersonID), Current: m.InternalID == f.current,
	}
	switch m.Kind {
	case payment.KindRecall:
		row.Toward = "back from"
	case payment.KindReturn:
		row.Toward, row.CreditorName, row.CreditorAccount = "back to", m.Summary.DebtorName, m.Summary.DebtorAccount
	case payment.KindResolution:
		row.Toward = "stays with"
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	if m.Reason != "" {
		row.Flags = append(row.Flags, views.QueueFlag{Text: m.Reason, Title: reasonText(m.Kind, m.Scheme, m.Reason)})
	}
	if m.Version > 1 {
		row.Flags = append(row.Flags, views.QueueFlag{Text: "Amended", Title: "Changed after its submission"})
	}
	return row
}

// decidedRows are the messages this person decided today, newest first, at most a page of them.
func (v *visit) decidedRows(f filter) ([]views.QueueRow, error) {
	decided, err := v.cfg.Reader.DecidedBy(v.ctx(), v.by.Realm, v.by.PersonID, v.midnight())
	if err != nil {
		return nil, err
	}
	rows := make([]views.QueueRow, 0, min(len(decided), queuePage))
	for _, d := range decided[:min(len(decided), queuePage)] {
		m, err := v.cfg.Reader.Message(v.ctx(), v.by.Realm, d.MessageID)
		if err != nil {
			return nil, err
		}
		row := v.queueRow(m, f)
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

// midnight is the beginning of the banking day.
func (v *visit) midnight() time.Time {
	year, month, day := v.today().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, v.cfg.Zone).UTC()
}

func (v *visit) queueTabs(f filter) []ui.Tab {
	tab := func(label, name string) ui.Tab {
		return ui.Tab{Label: label, URL: "/queue" + f.query("tab", name, "after", ""), Current: f.view.Tab == name}
	}
	return []ui.Tab{tab("For me", tabForMe), tab("All waiting", tabAll), tab("Submitted by me", tabMine), tab("Decided today", tabDecided)}
}

// emptyQueue says why nothing is listed and what to do next.
func (v *visit) emptyQueue(f filter) ui.Empty {
	switch {
	case f.view.Active > 0 || f.view.Text != "":
		return f.nothingMatches("waiting message")
	case f.view.Tab == tabDecided:
		return ui.Empty{Icon: "clock", Title: "No decision today", Text: "What you approve or reject today is listed here."}
	case f.view.Tab == tabMine:
		return ui.Empty{Icon: "file-text", Title: "Nothing of yours waits", Text: "What you submit waits here until another person decides."}
	}
	return ui.Empty{Icon: "circle-check", Title: "All decided", Text: "Nothing waits for a decision."}
}
