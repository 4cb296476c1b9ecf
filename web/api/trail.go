package api

import (
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/internal/store"
	"countersign/web/request"
)

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
			Sequence: s.Sequence, From: string(s.From), Action: string(s.Action), To: string(s.To), Version: s.Version, Actor: s.Actor,
			UserID: s.ActorLogin, ClientID: s.ClientID, Channel: s.Channel, Reason: s.Reason, At: moment(s.At),
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
			ID: e.ID.String(), InternalID: orEmpty(e.MessageID), Sequence: e.Sequence, Event: e.Event, Outcome: outcomeOf(e), Actor: e.Actor,
			UserID: e.ActorLogin, ClientID: e.ClientID, Channel: e.Channel, RequestID: e.RequestID, SourceAddress: e.SourceAddress,
			ContentHash: hex.EncodeToString(e.ContentHash), Detail: json.RawMessage(e.Detail), At: moment(e.At),
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
