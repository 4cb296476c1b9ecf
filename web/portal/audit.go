package portal

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// auditPage is the number of events on one page of the audit trail.
const auditPage = 100

// showAuditTrail lists the actions and refusals of the realm, newest first.
func showAuditTrail(v *Request) error {
	return v.wholeTrail(nil)
}

// wholeTrail shows the page, with the result of a verification.
func (v *Request) wholeTrail(verified *views.AuditVerification) error {
	model, ask := v.auditSearch()
	after := ask.Before
	ask.PageSize = auditPage
	model.Verified = verified
	events, next, err := v.Config.Reader.AuditPage(v.Context(), v.By.Realm, ask)
	if err != nil {
		return err
	}
	model.Seal, err = v.auditSeal()
	if err != nil {
		return err
	}
	if after != uuid.Nil {
		model.Pages.FirstURL = auditURL(model, "")
	}
	switch {
	case next == uuid.Nil:
	case len(events) == auditPage:
		model.Pages.NextURL, model.Pages.NextLabel = auditURL(model, next.String()), "Next page"
	case len(events) > 0:
		model.Pages.NextURL, model.Pages.NextLabel = auditURL(model, next.String()), "Show earlier entries"
	default:
		model.Empty = ui.Empty{
			Icon: "search", Title: "Nothing found so far", Text: "None of the newest events match your search. Older events have not been " +
				"searched yet.",
			LinkLabel: "Show earlier entries", LinkURL: auditURL(model, next.String()),
		}
	}
	about, err := v.messagesIn(events)
	if err != nil {
		return err
	}
	for _, e := range events {
		model.Rows = append(model.Rows, v.auditTrailRow(e, about[e.MessageID]))
	}
	model.Layout.Failed = len(model.Problems) > 0
	if model.Layout.Failed {
		return v.Render(http.StatusUnprocessableEntity, views.AuditTrailPage(model))
	}
	return v.Render(http.StatusOK, views.AuditTrailPage(model))
}

// auditSearch reads the filters, for the page and for the query.
func (v *Request) auditSearch() (views.AuditTrail, store.AuditFilter) {
	query := v.Echo.QueryParams()
	get := func(name string) string { return strings.TrimSpace(Searchable(query.Get(name))) }
	model := views.AuditTrail{
		Layout: v.layout("Audit trail", views.PlaceAudit), From: get("from"), To: get("to"), Actor: get("actor"), Event: get("event"),
		Empty: ui.Empty{Icon: "list", Title: "No entries", Text: "No event in this realm matches your search. Change or clear the search."},
	}
	model.Events = eventOptions(model.Event)
	model.Filtered = model.From+model.To+model.Actor+model.Event != ""
	after, _ := uuid.Parse(query.Get("after"))
	ask := store.AuditFilter{Before: after, Actor: model.Actor, Event: model.Event}
	ask.From = dayOf(&model.Problems, "from", model.From, v.Today())
	ask.To = dayOf(&model.Problems, "to", model.To, v.Today())
	if model.Filtered {
		model.Empty.Icon, model.Empty.Title = "search", "No results"
		model.Empty.LinkLabel, model.Empty.LinkURL = "Clear filters", "/audit"
	}
	if !ask.To.IsZero() {
		ask.To = ask.To.In(v.Config.Zone).AddDate(0, 0, 1).Add(-time.Microsecond)
	}
	if len(model.Problems) == 0 { // the whole search, whichever page shows it
		model.TableURL = "/audit/table" + strings.TrimPrefix(auditURL(model, ""), "/audit")
	}
	return model, ask
}

// auditSeal returns the state of the sealing of the realm's trail.
func (v *Request) auditSeal() (views.AuditSeal, error) {
	seal := views.AuditSeal{Words: "sealed"}
	if v.Config.Sealing != nil {
		seal.Words = i18n.Kept(v.Config.Sealing().String())
	}
	newest, err := v.Config.Reader.Checkpoint(v.Context(), v.By.Realm)
	if err == nil {
		seal.Rows, seal.Signed, seal.Root = newest.Size, newest.At, newest.Root
	}
	return seal, err
}

// messagesIn reads the messages that events are about; none for somebody who reads no messages.
func (v *Request) messagesIn(events []store.HistoryEvent) (map[uuid.UUID]payment.Message, error) {
	if payment.MayRead(v.By) != nil {
		return nil, nil
	}
	var ids []uuid.UUID
	for _, e := range events {
		if e.MessageID != uuid.Nil {
			ids = append(ids, e.MessageID)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return v.Config.Reader.MessagesOf(v.Context(), v.By.Realm, slices.Compact(ids))
}

func (v *Request) auditTrailRow(e store.HistoryEvent, about payment.Message) views.AuditEntry {
	row := auditEntry(e)
	row.Actor = cmp.Or(e.Actor, "–")
	if e.ActorLogin != "" && e.ActorLogin != e.Actor.String() {
		row.Actor = i18n.Text("%s (%s)").With(row.Actor, e.ActorLogin)
	}
	if about.GlobalID != "" && about.Withheld == "" {
		name, _ := views.Facing(about)
		row.About = i18n.Join(" ", i18n.Data(about.Summary.Amount.Format()), cmp.Or(views.Toward(about), "to (a creditor)"), i18n.Data(name))
	}
	if e.MessageID != uuid.Nil && payment.MayRead(v.By) == nil {
		row.URL = "/payments/" + e.MessageID.String() + "/audit"
	} else {
		row.URL = v.changeURL(e.Detail)
	}
	return row
}

// auditURL is the address of a page of the trail under the same filters.
func auditURL(model views.AuditTrail, after string) string {
	return ui.Address("/audit", "from", model.From, "to", model.To, "actor", model.Actor, "event", model.Event, "after", after)
}
