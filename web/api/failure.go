package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/request"
)

// failureFilters are the parameters of the list of errors besides those of the page. An error is a state of a transaction, so each filters
// transactions.
var failureFilters = append([]string{
	"category", "entity", "message", "objectReference", "objectReferenceType", "objectType", "service", "severity",
}, pageParameters...)

// failureCategory is a state that needs attention.
type failureCategory struct {
	name, severity string
	state          payment.State
}

// failureCategories lists them with how severe each is: what clearing refused will not happen, the others may still end well.
var failureCategories = []failureCategory{
	{"failed", severityError, payment.StateFailed},
	{"unconfirmed", severityWarning, payment.StateUnconfirmed},
	{"overdue", severityWarning, payment.StateOverdue},
}

const (
	severityError   = "error"
	severityWarning = "warning"
)

// referenceTypes are the identifiers of a transaction that an error may be found by.
var referenceTypes = []string{"internalId", "globalId", "externalId", "instructionId", "endToEndId"}

// failureFilter holds the filters of a list of errors.
type failureFilter struct {
	store.Filter
	message    string // any part of the sentence, in lower case
	impossible bool   // no error can fit
}

// failureFilter reads the filters. realm is the only entity there are errors of.
func (q *query) failureFilter(realm string) failureFilter {
	f := failureFilter{message: strings.ToLower(q.text("message"))}
	names := make([]string, 0, len(failureCategories))
	for _, c := range failureCategories {
		names = append(names, c.name)
	}
	category, severity := q.oneOf("category", names...), q.oneOf("severity", severityError, severityWarning)
	for _, c := range failureCategories {
		if (category == "" || category == c.name) && (severity == "" || severity == c.severity) {
			f.States = append(f.States, c.state)
		}
	}
	f.Kind, f.Scheme = q.oneOf("objectType", kinds...), q.oneOf("service", schemes...)
	entity := q.text("entity")
	f.impossible = len(f.States) == 0 || entity != "" && entity != realm
	return q.reference(f)
}

// reference reads what an error is about. Without a type it is an internalId or a Global ID.
func (q *query) reference(f failureFilter) failureFilter {
	reference, kind := q.text("objectReference"), q.oneOf("objectReferenceType", referenceTypes...)
	if reference == "" {
		if kind != "" {
			q.refuse("objectReference", "CH21", "Enter objectReference with its type, or leave the type out.")
		}
		return f
	}
	switch kind {
	case "externalId":
		f.ExternalIDs = []string{reference}
		return f
	case "instructionId":
		f.InstructionID = reference
		return f
	case "endToEndId":
		f.EndToEndIDs = []string{reference}
		return f
	}
	id, err := parseID(reference)
	global, errGlobal := payment.Parse(reference)
	switch {
	case err == nil && kind != "globalId":
		f.InternalID = id
	case errGlobal == nil && kind != "internalId":
		f.GlobalID = string(global)
	default:
		f.impossible = true
	}
	return f
}

// listErrors lists the transactions that need attention: failed at clearing, not answered in time, or a recall with a late answer.
// Quarantined documents are not listed: they belong to no realm, and could tell one institution about another.
func (a *API) listErrors(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, failureFilters, nil)
	filter := q.failureFilter(by.Realm)
	page := q.paging()
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	var list []payment.Message
	if !filter.impossible {
		list, err = a.searchErrors(c, filter, page)
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
	}
	list, shownPage := cut(list, page, messageKey)
	entries := make([]ErrorEntry, 0, len(list))
	for _, m := range list {
		entries = append(entries, errorEntryOf(m))
	}
	return c.JSON(http.StatusOK, ErrorList{Header: a.header(c), Errors: entries, Page: shownPage})
}

// searchErrors reads one page. Sentences of errors are made here, so a search for their words reads on: errors are few, and the time of a
// call limits the search.
func (a *API) searchErrors(c echo.Context, filter failureFilter, page paging) ([]payment.Message, error) {
	if filter.message == "" {
		return a.search(c, filter.Filter, page)
	}
	return walk(page, messageKey, func(from uuid.UUID, size int32) ([]payment.Message, error) {
		var fit []payment.Message
		for {
			stride := page
			stride.number, stride.after, stride.size = 0, from, maxStride
			passed, err := a.search(c, filter.Filter, stride)
			if err != nil {
				return nil, err
			}
			for _, m := range passed {
				if strings.Contains(strings.ToLower(errorText(m)), filter.message) {
					fit = append(fit, m)
				}
			}
			if len(passed) <= maxStride || len(fit) >= int(size) {
				return fit[:min(len(fit), int(size))], nil
			}
			from = messageKey(passed[len(passed)-1])
		}
	})
}

// showError shows one error, by the internalId or the Global ID of its transaction. A transaction that is well is no error: 404.
func (a *API) showError(c echo.Context) error {
	m, err := a.message(c)
	if err == nil && !slices.ContainsFunc(failureCategories, func(f failureCategory) bool { return f.state == m.State }) {
		err = payment.ErrNotFound
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, ErrorAnswer{Header: a.header(c), Error: errorEntryOf(m)})
}

func errorEntryOf(m payment.Message) ErrorEntry {
	entry := ErrorEntry{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, Scheme: string(m.Scheme), Kind: kindOf(m),
		State: string(m.State), At: moment(m.StateSince), Amount: amountOf(m), ReasonCode: m.StatusCode, Message: errorText(m),
		ID: m.InternalID.String(), Entity: m.Realm, Service: string(m.Scheme), ObjectType: kindOf(m),
		ObjectReference: m.InternalID.String(), ObjectReferenceType: "internalId",
	}
	for _, c := range failureCategories {
		if c.state == m.State {
			entry.Category, entry.Severity = c.name, c.severity
		}
	}
	return entry
}

// errorText returns the sentence about a transaction that failed or is late.
func errorText(m payment.Message) string {
	switch m.State {
	case payment.StateUnconfirmed:
		return "Clearing has not answered in time. The payment may still settle."
	case payment.StateOverdue:
		return "The other bank has not answered the recall in time. It may still answer."
	default:
		return m.StatusText
	}
}
