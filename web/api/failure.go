package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/problem"
)

// listErrors lists the transactions that need somebody's eye: failed at clearing, not answered in time, or a recall whose answer is late.
// A quarantined document is not among them: it belongs to no realm, and showing it could tell one institution about another.
func (a *API) listErrors(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, pageParameters, nil)
	page := q.paging()
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	list, err := a.search(c, store.Filter{
		States: []payment.State{payment.StateFailed, payment.StateUnconfirmed, payment.StateOverdue},
	}, page)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	list, shownPage := cut(list, page, messageKey)
	entries := make([]ErrorEntry, 0, len(list))
	for _, m := range list {
		entries = append(entries, errorEntryOf(m))
	}
	return c.JSON(http.StatusOK, ErrorList{Header: a.header(c), Errors: entries, Page: shownPage})
}

func errorEntryOf(m payment.Message) ErrorEntry {
	entry := ErrorEntry{
		InternalID: m.InternalID.String(), GlobalID: string(m.GlobalID), ExternalID: m.ExternalID, Scheme: string(m.Scheme), Kind: kindOf(m),
		State: string(m.State), At: moment(m.StateSince), Amount: amountOf(m), ReasonCode: m.StatusCode, Message: m.StatusText,
	}
	switch m.State {
	case payment.StateUnconfirmed:
		entry.Message = "Clearing has not answered in time. The payment may still settle."
	case payment.StateOverdue:
		entry.Message = "The other bank has not answered the recall in time. It may still answer."
	default:
	}
	return entry
}
