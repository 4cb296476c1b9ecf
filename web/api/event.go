package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/web/request"
)

// eventPath is the address of the stream of events. Its calls may wait.
const eventPath = "/api/common/v1/event/list"

// Bounds of a call of the stream.
const (
	defaultEvents = 100
	maxEvents     = 1000
	maxEventWait  = 30 * time.Second
)

// latest as a cursor is the end of the stream.
const latest = "latest"

var eventFilters = []string{"after", "limit", "wait", "type", "kind", "scheme"}

// EventRoutes lists the calls that may wait for an event. They have their own limit of concurrent calls.
func (a *API) EventRoutes() []request.Route {
	return []request.Route{{Method: http.MethodGet, Path: eventPath, Handle: a.listEvents, Waits: true}}
}

// listEvents lists the events behind a cursor, and waits for the next one if there is none.
func (a *API) listEvents(c echo.Context) error {
	ctx, by := c.Request().Context(), principal(c)
	q := openQuery(c, eventFilters, []string{"type"})
	filter, wait := eventFilter(q)
	err := firstOf(a.cfg.Events.MayRead(by), q.err())
	if err == nil && q.text("after") == latest {
		filter.After, err = a.cfg.Events.Last(ctx, by)
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	if wait > 0 {
		// The server's own limits of reading and writing are shorter than the wait; not every server has some to lift.
		controller, end := http.NewResponseController(c.Response()), a.cfg.Now().Add(wait+a.cfg.Timeout)
		_ = errors.Join(controller.SetReadDeadline(end), controller.SetWriteDeadline(end))
	}
	page, err := a.cfg.Events.List(ctx, by, filter, wait)
	if errors.Is(err, store.ErrUnknownEvent) {
		q.refuse("after", "FF01", "Send the next of an answer of this realm as after. The database may have been restored to a time "+
			"before this event: read on from an older event, and ignore events whose id you know.")
		err = q.err()
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list := make([]Event, 0, len(page.Events))
	for _, e := range page.Events {
		list = append(list, EventOf(e))
	}
	return c.JSON(http.StatusOK, EventList{Header: a.header(c), Events: list, Next: orEmpty(page.Next), More: page.More})
}

// eventFilter reads the parameters of the stream.
func eventFilter(q *query) (filter store.EventFilter, wait time.Duration) {
	filter.PageSize = q.count("limit", defaultEvents, maxEvents)
	if value := q.text("wait"); value != "" {
		seconds, err := strconv.Atoi(value)
		wait = time.Duration(seconds) * time.Second
		if err != nil || wait < 0 || wait > maxEventWait {
			q.refuse("wait", "FF01", "Enter wait as whole seconds from 0 to 30.")
			wait = 0
		}
	}
	for _, name := range q.values["type"] {
		if !slices.Contains(administration.EventTypes, name) {
			q.refuse("type", "CH16", "Enter a type of event, such as message.settled.")
			continue
		}
		filter.Types = append(filter.Types, payment.EventType(name))
	}
	if kind := q.oneOf("kind", kinds...); kind != "" {
		filter.Kinds = []payment.Kind{payment.Kind(kind)}
		if filter.Kinds[0] == payment.KindRecall {
			filter.Kinds = append(filter.Kinds, payment.KindReceivedRecall)
		}
	}
	filter.Scheme = rulebook.Scheme(q.oneOf("scheme", schemes...))
	if after := q.text("after"); after != "" && after != latest {
		id, err := parseID(after)
		if err != nil || id == uuid.Nil {
			q.refuse("after", "FF01", "Enter the next of the answer before as after.")
		}
		filter.After = id
	}
	return filter, wait
}

// EventOf shows an event, as the stream and webhooks do.
func EventOf(e store.StreamEvent) Event {
	shown := Event{ID: e.ID.String(), Type: string(e.Type), Timestamp: moment(e.At)}
	if e.Change.ID != uuid.Nil {
		shown.Change = &EventChange{ChangeID: e.Change.ID.String(), Kind: string(e.Change.Kind), Subject: e.Change.Subject}
		return shown
	}
	m := e.Message
	shown.Transaction = &EventTransaction{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, ClientID: m.ClientID,
		Kind: kindOf(payment.Message{Kind: m.Kind}), Scheme: string(m.Scheme), Direction: m.Direction, State: string(e.To),
		Version: m.Version, OriginalInternalID: orEmpty(m.OriginalID), RecallID: orEmpty(m.AnswersID), Reason: e.Reason,
	}
	if e.From != payment.StateNone {
		shown.Transaction.PreviousState = string(e.From)
	}
	if e.StatusCode != "" {
		shown.Transaction.StatusReason = &StatusReason{Code: e.StatusCode, Text: e.Reason}
	}
	return shown
}
