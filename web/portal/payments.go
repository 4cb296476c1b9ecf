package portal

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showPayments lists everything of the realm. An exact identifier leads straight to its message.
func showPayments(v *recordsVisit) error {
	err := payment.MayRead(v.By)
	if err != nil {
		return err
	}
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/payments")
	f.View.States, f.View.Kinds, f.View.Directions = stateOptions(), KindOptions(payment.Kinds()), directionOptions()
	f.View.Dated = true
	found := ReadSearch(f.View.Text, v.Today())
	id, err := v.exact(found)
	if err != nil {
		return err
	}
	if id != uuid.Nil {
		return v.jump("/payments/" + id.String())
	}
	list, next, err := v.search(&f, found)
	if err != nil {
		return err
	}
	model := views.Payments{Shell: v.Shell("Payments", views.PlacePayments), Filter: f.View, Problems: f.Problems}
	model.SortURL = f.SortLinks("/payments")
	model.Shell.Failed = len(f.Problems) > 0
	for _, m := range list {
		model.Rows = append(model.Rows, paymentRow(m))
	}
	model.Pages = f.PagesOf("/payments", list, next)
	model.Empty = ui.Empty{Icon: "list", Title: "No payments yet", Text: "What is submitted in this realm is listed here."}
	switch {
	case next.MessageID != uuid.Nil:
		model.Empty = f.NotYet("/payments", next)
	case f.View.Active > 0 || f.View.Text != "":
		model.Empty = f.NothingMatches("No payment matches what you look for.")
	}
	status := http.StatusOK
	if len(f.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.Fragment() {
		return v.Render(status, views.PaymentFragment(model))
	}
	return v.Render(status, views.PaymentsPage(model))
}

// jump leads to another page; htmx is told to load it as a whole.
func (v *recordsVisit) jump(path string) error {
	if v.Fragment() {
		v.Echo.Response().Header().Set("HX-Redirect", path)
		return v.Echo.NoContent(http.StatusOK)
	}
	return v.Echo.Redirect(http.StatusSeeOther, path)
}

// exact finds the one message an identifier names; zero when the text names none, or more than one.
func (v *recordsVisit) exact(s Searched) (uuid.UUID, error) {
	if s.Text == "" {
		return uuid.Nil, nil
	}
	var id uuid.UUID
	var err error
	switch {
	case s.Global != "":
		id, err = v.Config.Reader.InternalID(v.Context(), v.By.Realm, s.Global)
	case s.ID != uuid.Nil:
		var m payment.Message
		m, err = v.Config.Reader.Message(v.Context(), v.By.Realm, s.ID)
		id = m.InternalID
	}
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		return uuid.Nil, err
	}
	if err == nil && id != uuid.Nil {
		return id, nil
	}
	for _, ask := range []store.Filter{{EndToEndID: s.Whole}, {ExternalID: s.Whole}} {
		ask.PageSize = 2
		list, err := v.Config.Reader.Messages(v.Context(), v.By.Realm, ask)
		if err != nil {
			return uuid.Nil, err
		}
		if len(list) == 1 {
			return list[0].InternalID, nil
		}
	}
	return uuid.Nil, nil
}

// search lists a page of messages, and says where the next one begins.
func (v *recordsVisit) search(f *Filter, found Searched) (list []payment.Message, next store.ListPlace, err error) {
	if f.Impossible {
		return nil, next, nil
	}
	ask := store.Filter{
		Kind: f.Kind(payment.Kinds()), Direction: f.Direction(), Scheme: string(f.Scheme),
		MakerLogin: f.Maker(), AmountFrom: f.AmountFrom, AmountTo: f.AmountTo, Search: found.Search,
	}
	var before time.Time
	ask.CreatedFrom, before, ask.ChangedSince = f.Days(v.Config.Zone)
	if !before.IsZero() {
		ask.CreatedTo = before.Add(-time.Microsecond) // the last moment counts
	}
	switch f.View.Made {
	case views.MadeLastDay:
		v.narrowToLastDay(&ask)
	case views.ApprovedLastDay:
		v.narrowToApproved(&ask)
	}
	if slices.Contains(payment.States(), payment.State(f.View.State)) {
		ask.States = []payment.State{payment.State(f.View.State)}
	}
	return v.Listed(f, ask)
}

// narrowToLastDay lists what the charts of the dashboard count: payments both ways that were not closed before their release.
func (v *recordsVisit) narrowToLastDay(ask *store.Filter) {
	if day := v.LastDay(); ask.CreatedFrom.Before(day) {
		ask.CreatedFrom = day
	}
	if ask.Kind == "" {
		ask.Kind, ask.OrKind = string(payment.KindInstruction), payment.KindPayment
	}
	for _, state := range payment.States() {
		if state != payment.StateRejected && state != payment.StateWithdrawn && state != payment.StateExpired {
			ask.States = append(ask.States, state)
		}
	}
}

// narrowToApproved lists what the times of the dashboard are about: payments that needed an approval and were released.
func (v *recordsVisit) narrowToApproved(ask *store.Filter) {
	if day := v.LastDay(); ask.CreatedFrom.Before(day) {
		ask.CreatedFrom = day
	}
	ask.Kind, ask.Approved = string(payment.KindInstruction), true
}

func paymentRow(m payment.Message) views.PaymentRow {
	row := views.PaymentRow{
		InternalID: m.InternalID.String(), URL: "/payments/" + m.InternalID.String(), Reference: string(m.GlobalID), Kind: m.Kind,
		Scheme: m.Scheme, Amount: ui.AmountOf(m.Summary.Amount), State: m.State, CreatedAt: m.CreatedAt,
		Maker:    m.MakerLogin,
		FollowUp: views.FollowUp(m), Toward: views.Toward(m), Purpose: views.Purpose(m),
	}
	row.Name, row.Account = views.Facing(m)
	switch {
	case row.Name != m.Summary.DebtorName && m.Summary.DebtorName != "":
		row.Other = i18n.Text("from %s").With(m.Summary.DebtorName)
	case row.Name != m.Summary.CreditorName && m.Summary.CreditorName != "":
		row.Other = i18n.Text("to %s").With(m.Summary.CreditorName)
	}
	return row
}

func directionOptions() []ui.Option {
	return []ui.Option{
		{Label: "Any"}, {Value: string(payment.DirectionOut), Label: "Outgoing"}, {Value: string(payment.DirectionIn), Label: "Incoming"},
	}
}

func stateOptions() []ui.Option {
	options := []ui.Option{{Label: "Any"}}
	for _, state := range payment.States() {
		options = append(options, ui.Option{Value: string(state), Label: ui.StateLabel(state)})
	}
	return options
}
