package api

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/auditlog"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/request"
)

// auditFilters are the parameters of the audit trail besides those of the page.
var auditFilters = append([]string{"from", "to", "actor", "event", "messageId"}, pageParameters...)

// event reads the name of an event: of the realm, or of a step of a message, with "-refused" behind it for an attempt.
func (q *query) event() string {
	value := q.text("event")
	name := strings.TrimSuffix(value, "-refused")
	kind, _, _ := strings.Cut(name, ".")
	step := func(m payment.Move) bool { return auditlog.EventOf(kind, string(m.Action)) == name }
	_, known := auditlog.RealmEvents[name]
	ofMessage := slices.Contains(payment.Kinds(), payment.Kind(kind)) && slices.ContainsFunc(payment.Moves(), step)
	if value != "" && !known && !ofMessage {
		q.refuse("event", "CH16", "Enter event as kind.action of a step, such as instruction.approve or instruction.approve-refused, "+
			"or as one of "+
			strings.Join(slices.Sorted(maps.Keys(auditlog.RealmEvents)), ", ")+".")
	}
	return value
}

// auditFilter reads the filters; possible is false when no event can match them.
func auditFilter(q *query) (filter store.AuditFilter, possible bool) {
	filter = store.AuditFilter{From: q.time("from", dayStart), To: q.time("to", dayEnd), Actor: q.text("actor"), Event: q.event()}
	text := q.text("messageId")
	if text == "" {
		return filter, true
	}
	id, err := parseID(text)
	filter.MessageID = id
	return filter, err == nil
}

// listAudit lists the actions and refusals of the realm, newest first; as CSV to a caller who accepts text/csv.
func (a *API) listAudit(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, auditFilters, nil)
	filter, possible := auditFilter(q)
	page := q.paging()
	err := firstOf(payment.MayAudit(by), q.err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	if page.changedSince.After(filter.From) { // an event never changes, so since then is from then
		filter.From = page.changedSince
	}
	var list []store.HistoryEvent
	if possible {
		filter.OldestFirst = page.oldestFirst
		list, err = walk(page, eventKey, func(from uuid.UUID, size int32) ([]store.HistoryEvent, error) {
			filter.Before, filter.PageSize = from, size
			return a.cfg.Reader.AuditTrail(c.Request().Context(), by.Realm, filter)
		})
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
	}
	list, shownPage := cut(list, page, eventKey)
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	if !accepts(c.Request(), request.MIME) {
		return c.JSON(http.StatusOK, AuditList{Header: a.header(c), Events: eventsOf(list), Page: shownPage})
	}
	if shownPage.Next != "" {
		c.Response().Header().Set("X-Next", shownPage.Next)
	}
	return c.Blob(http.StatusOK, request.ContentType, auditTable(list))
}

func eventKey(e store.HistoryEvent) uuid.UUID { return e.ID }

// auditTable writes events as a table.
func auditTable(events []store.HistoryEvent) []byte {
	rows := [][]string{
		{"at", "event", "outcome", "actor", "userId", "clientId", "channel", "sourceAddress", "internalId", "requestId", "detail", "id"},
	}
	for _, e := range eventsOf(events) {
		rows = append(rows, []string{
			e.At, e.Event, e.Outcome, e.Actor, e.UserID, e.ClientID, e.Channel, e.SourceAddress, e.InternalID, e.RequestID, string(e.Detail), e.ID,
		})
	}
	return request.CSV(rows)
}

// showHistory lists every step of a transaction's life.
func (a *API) showHistory(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	steps, err := a.cfg.Reader.History(c.Request().Context(), m.Realm, m.InternalID)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list := make([]Step, 0, len(steps))
	for _, s := range steps {
		list = append(list, Step{
			Sequence: s.Sequence, From: string(s.From), Action: string(s.Action), To: string(s.To), Version: s.Version, Actor: s.Actor.String(),
			UserID: s.ActorLogin, ClientID: s.ClientID, Channel: s.Channel, Reason: s.Reason.String(), At: moment(s.At),
		})
	}
	return c.JSON(http.StatusOK, HistoryAnswer{Header: a.header(c), History: list})
}

// showAudit lists the audit events of a transaction.
func (a *API) showAudit(c echo.Context) error {
	m, err := a.message(c)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	events, err := a.cfg.Reader.Audit(c.Request().Context(), m.Realm, m.InternalID)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, AuditAnswer{Header: a.header(c), Events: eventsOf(events)})
}

// eventsOf shows audit events.
func eventsOf(events []store.HistoryEvent) []AuditEvent {
	list := make([]AuditEvent, 0, len(events))
	for _, e := range events {
		list = append(list, AuditEvent{
			ID: e.ID.String(), InternalID: orEmpty(e.MessageID), Sequence: e.Sequence, Event: e.Event, Outcome: outcomeOf(e),
			Actor: e.Actor.String(), UserID: e.ActorLogin, ClientID: e.ClientID, Channel: e.Channel, RequestID: e.RequestID,
			SourceAddress: e.SourceAddress, ContentHash: hex.EncodeToString(e.ContentHash), Detail: json.RawMessage(e.Detail), At: moment(e.At),
		})
	}
	return list
}

// outcomeOf returns whether the action of an event was done or refused.
func outcomeOf(e store.HistoryEvent) string {
	if e.Refused {
		return "refused"
	}
	return "done"
}
