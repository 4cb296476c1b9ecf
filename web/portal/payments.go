package portal

import (
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showPayments lists everything of the realm. An exact identifier leads straight to its message.
func showPayments(v *visit) error {
	err := payment.MayRead(v.by)
	if err != nil {
		return err
	}
	f := readFilter(v.echo.QueryParams(), "/payments")
	f.view.States, f.view.Kinds, f.view.Directions = stateOptions(), kindOptions(payment.Kinds()), directionOptions()
	found := readSearch(f.view.Text)
	id, err := v.exact(found)
	if err != nil {
		return err
	}
	if id != uuid.Nil {
		return v.jump("/payments/" + id.String())
	}
	list, more, err := v.search(f, found)
	if err != nil {
		return err
	}
	model := views.Payments{Shell: v.shell("Payments", views.PlacePayments), Filter: f.view, Problems: f.problems}
	model.Shell.Failed = len(f.problems) > 0
	for _, m := range list {
		model.Rows = append(model.Rows, paymentRow(m))
	}
	if len(list) > 0 {
		model.Pages = f.pages("/payments", more, list[len(list)-1].InternalID)
	}
	model.Empty = ui.Empty{Icon: "list", Title: "No payments yet", Text: "What is submitted in this realm is listed here."}
	if f.view.Active > 0 || f.view.Text != "" {
		model.Empty = f.nothingMatches("payment")
	}
	status := http.StatusOK
	if len(f.problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if v.fragment() {
		return v.render(status, views.PaymentList(model))
	}
	return v.render(status, views.PaymentsPage(model))
}

// jump leads to another page; htmx is told to load it as a whole.
func (v *visit) jump(path string) error {
	if v.fragment() {
		v.echo.Response().Header().Set("HX-Redirect", path)
		return v.echo.NoContent(http.StatusOK)
	}
	return v.echo.Redirect(http.StatusSeeOther, path)
}

// exact finds the one message an identifier names; zero when the text names none, or more than one.
func (v *visit) exact(s searched) (uuid.UUID, error) {
	if s.text == "" {
		return uuid.Nil, nil
	}
	var id uuid.UUID
	var err error
	switch {
	case s.global != "":
		id, err = v.cfg.Reader.InternalID(v.ctx(), v.by.Realm, s.global)
	case s.id != uuid.Nil:
		var m payment.Message
		m, err = v.cfg.Reader.Message(v.ctx(), v.by.Realm, s.id)
		id = m.InternalID
	}
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		return uuid.Nil, err
	}
	if err == nil && id != uuid.Nil {
		return id, nil
	}
	for _, ask := range []store.Filter{{EndToEndID: s.text}, {ExternalID: s.text}} {
		ask.PageSize = 2
		list, err := v.cfg.Reader.Messages(v.ctx(), v.by.Realm, ask)
		if err != nil {
			return uuid.Nil, err
		}
		if len(list) == 1 {
			return list[0].InternalID, nil
		}
	}
	return uuid.Nil, nil
}

// search lists a page of messages. A text that is an IBAN or an amount is searched as one, any other as a part of a creditor's name.
func (v *visit) search(f filter, found searched) (list []payment.Message, more bool, err error) {
	if f.impossible {
		return nil, false, nil
	}
	ask := store.Filter{
		Before: f.after, Kind: f.kind(payment.Kinds()), Direction: f.direction(), Scheme: string(f.scheme), MakerLogin: f.maker(), AmountFrom: f.amountFrom, AmountTo: f.amountTo,
	}
	if slices.Contains(payment.States(), payment.State(f.view.State)) {
		ask.States = []payment.State{payment.State(f.view.State)}
	}
	for _, narrowed := range narrow(ask, found) {
		list, more, err = v.page(narrowed)
		if err != nil || len(list) > 0 {
			break
		}
	}
	return list, more, err
}

// page reads one page of messages and whether there are more.
func (v *visit) page(ask store.Filter) (list []payment.Message, more bool, err error) {
	ask.PageSize = listPage + 1
	list, err = v.cfg.Reader.Messages(v.ctx(), v.by.Realm, ask)
	if len(list) > listPage {
		return list[:listPage], true, err
	}
	return list, false, err
}

// narrow lists the searches to try one after the other for a text.
func narrow(ask store.Filter, found searched) []store.Filter {
	one := func(set func(*store.Filter)) store.Filter {
		narrowed := ask
		set(&narrowed)
		return narrowed
	}
	switch {
	case found.text == "":
		return []store.Filter{ask}
	case found.iban != "":
		return []store.Filter{
			one(func(f *store.Filter) { f.CreditorAccount = found.iban }), one(func(f *store.Filter) { f.DebtorAccount = found.iban }),
		}
	case found.minor != 0:
		return []store.Filter{one(func(f *store.Filter) { f.AmountFrom, f.AmountTo = found.minor, found.minor })}
	}
	return []store.Filter{
		one(func(f *store.Filter) { f.EndToEndID = found.text }), one(func(f *store.Filter) { f.ExternalID = found.text }),
		one(func(f *store.Filter) { f.CreditorName = found.text }), one(func(f *store.Filter) { f.DebtorName = found.text }),
	}
}

func paymentRow(m payment.Message) views.PaymentRow {
	return views.PaymentRow{
		InternalID: m.InternalID.String(), URL: "/payments/" + m.InternalID.String(), Reference: string(m.GlobalID), Kind: string(m.Kind),
		Scheme: string(m.Scheme), Amount: amountView(m.Summary.Amount), DebtorName: m.Summary.DebtorName,
		CreditorName: m.Summary.CreditorName, State: string(m.State), CreatedAt: m.CreatedAt, Maker: m.MakerLogin, FollowUp: followUp(m),
	}
}

func kindOptions(kinds []payment.Kind) []ui.Option {
	options := []ui.Option{{Label: "Any"}}
	for _, kind := range kinds {
		options = append(options, ui.Option{Value: string(kind), Label: ui.KindLabel(string(kind))})
	}
	return options
}

func directionOptions() []ui.Option {
	return []ui.Option{
		{Label: "Any"}, {Value: string(payment.DirectionOut), Label: "Outgoing"}, {Value: string(payment.DirectionIn), Label: "Incoming"},
	}
}

func stateOptions() []ui.Option {
	options := []ui.Option{{Label: "Any"}}
	for _, state := range payment.States() {
		options = append(options, ui.Option{Value: string(state), Label: ui.StateLabel(string(state))})
	}
	return options
}
