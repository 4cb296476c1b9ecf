package api

import (
	"bytes"
	"mime"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/store/lookup"
	"countersign/web/problem"
)

// mimeCSV is what a caller accepts who wants the trail as a table (RFC 4180).
const mimeCSV = "text/csv"

// auditFilters are the parameters of the audit trail besides those of the page.
var auditFilters = append([]string{"from", "to", "actor", "event", "messageId"}, pageParameters...)

// auditFilter reads the filters; possible is false when no event can fit them.
func auditFilter(q *query) (filter lookup.AuditFilter, possible bool) {
	filter = lookup.AuditFilter{From: q.time("from", dayStart), To: q.time("to", dayEnd), Actor: q.text("actor"), Event: q.text("event")}
	text := q.text("messageId")
	if text == "" {
		return filter, true
	}
	id, err := parseID(text)
	filter.MessageID = id
	return filter, err == nil
}

// listAudit lists what was done and what was refused in the realm, newest first; as a table to a caller who accepts text/csv.
func (a *API) listAudit(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, auditFilters, nil)
	filter, possible := auditFilter(q)
	page := q.paging()
	err := firstOf(payment.MayAudit(by), q.err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	if page.changedSince.After(filter.From) { // an event never changes, so since then is from then
		filter.From = page.changedSince
	}
	var list []lookup.Event
	if possible {
		filter.OldestFirst = page.oldestFirst
		list, err = walk(page, eventKey, func(from uuid.UUID, size int32) ([]lookup.Event, error) {
			filter.Before, filter.PageSize = from, size
			return a.cfg.Reader.AuditTrail(c.Request().Context(), by.Realm, filter)
		})
		if err != nil {
			return a.Fail(c, problem.Of(err), err)
		}
	}
	list, shownPage := cut(list, page, eventKey)
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	if !acceptsCSV(c.Request()) {
		return c.JSON(http.StatusOK, AuditList{Header: a.header(c), Events: eventsOf(list), Page: shownPage})
	}
	if shownPage.Next != "" {
		c.Response().Header().Set("X-Next", shownPage.Next)
	}
	return c.Blob(http.StatusOK, mimeCSV+"; charset=utf-8", auditTable(list))
}

func eventKey(e lookup.Event) uuid.UUID { return e.ID }

// acceptsCSV reports whether the caller asks for a table before JSON.
func acceptsCSV(r *http.Request) bool {
	for _, accepted := range strings.Split(r.Header.Get(echo.HeaderAccept), ",") {
		kind, _, err := mime.ParseMediaType(accepted)
		if err == nil && kind == echo.MIMEApplicationJSON {
			return false
		}
		if err == nil && kind == mimeCSV {
			return true
		}
	}
	return false
}

// auditTable writes events as RFC 4180 with a line of names first. Every field is quoted: where a spreadsheet takes another sign than the
// comma for the separator, bare text would begin new cells.
func auditTable(events []lookup.Event) []byte {
	var table bytes.Buffer
	rows := [][]string{
		{"at", "event", "outcome", "actor", "userId", "clientId", "channel", "sourceAddress", "internalId", "requestId", "detail", "id"},
	}
	for _, e := range eventsOf(events) {
		rows = append(rows, []string{
			e.At, e.Event, e.Outcome, e.Actor, e.UserID, e.ClientID, e.Channel, e.SourceAddress, e.InternalID, e.RequestID, string(e.Detail), e.ID,
		})
	}
	for _, row := range rows {
		for i := range row {
			row[i] = `"` + strings.ReplaceAll(inert(row[i]), `"`, `""`) + `"`
		}
		table.WriteString(strings.Join(row, ",") + "\r\n")
	}
	return table.Bytes()
}

// formula finds where a spreadsheet would see a formula begin, with a usual or a full-width sign: at the start of a cell, and after what
// may separate cells (semicolon, tab, end of line) in the spreadsheet of a reader. Blanks and quotes before the sign are lost on import.
var formula = regexp.MustCompile("(^|[;\t\r\n])([ \"]*[=+\\-@\uff1d\uff0b\uff0d\uff20])")

// inert keeps a spreadsheet from taking a text for a formula: names, reasons and request ids are typed by people. An apostrophe before
// makes it text.
func inert(cell string) string { return formula.ReplaceAllString(cell, "${1}'${2}") }
