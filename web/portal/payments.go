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
func showPayments(v *Request) error {
	v.RememberList()
	f := ReadFilter(v.Echo.QueryParams(), "/payments")
	f.View.States = anyOf(ui.StateLabel[payment.State], payment.States()...)
	f.View.Directions = []ui.Option{
		{Label: "Any"}, {Value: string(payment.DirectionOut), Label: "Outgoing"}, {Value: string(payment.DirectionIn), Label: "Incoming"},
	}
	f.View.Kinds, f.View.Dated = anyOf(ui.KindLabel[payment.Kind], payment.Kinds()...), true
	found := ReadSearch(f.View.Text, v.Today())
	id, err := v.exact(found)
	if err != nil {
		return err
	}
	if id != uuid.Nil {
		return v.jump("/payments/" + id.String())
	}
	return v.showFiltered(f, found, filtered{
		path: "/payments", part: "payment-list", title: "Payments", newest: "Payments, newest first", place: views.PlacePayments,
		heads: ui.Heads{Name: "Creditor and purpose", State: "State", When: "Created"}, entry: views.PaymentEntry,
		empty:   ui.Empty{Icon: "list", Title: "No payments yet", Text: "The payments submitted in this realm are listed here."},
		nothing: "No payment matches your search.",
	})
}

// filtered is a list of messages that a filter narrows.
type filtered struct {
	path, part    string
	title, newest i18n.Text // of the page, and of the list in the order of age
	place         views.Place
	heads         ui.Heads
	entry         func(payment.Message, time.Time) ui.Entry
	empty         ui.Empty  // of the whole list
	nothing       i18n.Text // said when the filter matches nothing
}

// showFiltered shows the page of such a list, or for htmx the list alone.
func (v *Request) showFiltered(f Filter, found Searched, of filtered) error {
	list, next, err := v.search(&f, found)
	if err != nil {
		return err
	}
	if of.place == views.PlaceIncoming {
		f.View.Kind, f.View.Direction = "", "" // they are the list's, not the visitor's
	}
	model := views.List{
		Layout: v.layout(of.title, of.place), ExportURL: of.path + "/table" + f.Query("after", ""), Filter: &f.View, Part: of.part,
		Problems: f.Problems, Pages: f.PagesOf(of.path, list, next),
		Entries: views.Sorted(of.newest, of.title, of.heads, f.View.Sort, f.SortLinks(of.path)), Empty: of.empty,
	}
	for _, m := range list {
		model.Entries.Entries = append(model.Entries.Entries, of.entry(m, v.At))
	}
	switch {
	case next.MessageID != uuid.Nil:
		model.Empty = f.NotYet(of.path, next)
	case f.View.Active > 0 || f.View.Text != "":
		model.Empty = f.NothingMatches(of.nothing)
	}
	status := http.StatusOK
	if len(f.Problems) > 0 {
		status, model.Layout.Failed = http.StatusUnprocessableEntity, true
	}
	if v.Fragment() {
		return v.Render(status, views.ListFragment(model))
	}
	return v.Render(status, views.ListPage(model))
}

// jump redirects to another page; htmx loads it as a whole.
func (v *Request) jump(path string) error {
	if v.Fragment() {
		v.Echo.Response().Header().Set("HX-Redirect", path)
		return v.Echo.NoContent(http.StatusOK)
	}
	return v.Echo.Redirect(http.StatusSeeOther, path)
}

// exact finds the message with an identifier; zero for none or several. Errors: payment.ArchivedError for one that left the database.
func (v *Request) exact(s Searched) (uuid.UUID, error) {
	if s.Text == "" {
		return uuid.Nil, nil
	}
	var id uuid.UUID
	var err error
	asks := []store.Filter{{EndToEndIDs: []string{s.Whole}}, {ExternalIDs: []string{s.Whole}}}
	switch {
	case s.Global != "":
		id, err = v.Config.Reader.InternalID(v.Context(), v.By.Realm, s.Global)
	case s.ID != uuid.Nil:
		var m payment.Message
		m, err = v.Config.Reader.Message(v.Context(), v.By.Realm, s.ID)
		id, asks = m.InternalID, append(asks, store.Filter{UETR: s.ID.String()})
	}
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		return uuid.Nil, err
	}
	if err == nil && id != uuid.Nil {
		return id, nil
	}
	for _, ask := range asks {
		ask.PageSize = 2
		list, err := v.Config.Reader.Messages(v.Context(), v.By.Realm, ask)
		if err != nil {
			return uuid.Nil, err
		}
		if len(list) == 1 {
			return list[0].InternalID, nil
		}
		if len(list) > 1 {
			return uuid.Nil, nil
		}
	}
	var left *payment.ArchivedError
	if errors.As(err, &left) {
		return uuid.Nil, left
	}
	return uuid.Nil, nil
}

// search lists a page of messages, and the place at which the next one begins.
func (v *Request) search(f *Filter, found Searched) (list []payment.Message, next store.ListPlace, err error) {
	if f.Impossible {
		return nil, next, nil
	}
	ask := store.Filter{
		Kind: f.Kind(payment.Kinds()), Direction: f.Direction(), Scheme: string(f.Scheme),
		MakerLogin: f.Maker(), AmountFrom: f.AmountFrom, AmountTo: f.AmountTo, Search: found.Search,
	}
	var before time.Time
	ask.CreatedFrom, before, ask.ChangedSince = f.Days(v.Today())
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

// narrowToLastDay filters for the messages counted by the charts of the dashboard: payment orders that were not closed before their
// release.
func (v *Request) narrowToLastDay(ask *store.Filter) {
	if day := v.LastDay(); ask.CreatedFrom.Before(day) {
		ask.CreatedFrom = day
	}
	ask.Kind = string(payment.KindInstruction)
	for _, state := range payment.States() {
		if state != payment.StateRejected && state != payment.StateWithdrawn && state != payment.StateExpired {
			ask.States = append(ask.States, state)
		}
	}
}

// narrowToApproved filters for the messages measured by the times of the dashboard: payments that needed an approval and were released.
func (v *Request) narrowToApproved(ask *store.Filter) {
	if day := v.LastDay(); ask.CreatedFrom.Before(day) {
		ask.CreatedFrom = day
	}
	ask.Kind, ask.Approved = string(payment.KindInstruction), true
}
