package api

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/web/request"
)

// maxStatement is the number of bookings of the longest camt.053.
const maxStatement = 10_000

var statementFilters = []string{"iban", "day", "currentPage", "pageSize", "after"}

// showStatement lists the bookings of an account on a day, or writes all of them as a camt.053 for a caller who accepts application/xml.
func (a *API) showStatement(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, statementFilters, nil)
	page, whole := q.paging(), accepts(c.Request(), echo.MIMEApplicationXML)
	day := q.bankingDay("day", a.cfg.Zone)
	until := day.AddDate(0, 0, 1)
	if whole && a.cfg.Now().Before(until) {
		q.refuse("day", "DT01", "Ask for the camt.053 of a day that is over; its bookings until now are there as JSON.")
	}
	err := firstOf(payment.MayRead(by), q.err())
	var of payment.DebtorAccount
	if err == nil {
		of, err = a.account(c, q.account("iban"))
	}
	if err == nil {
		err = a.whole(c, day)
	}
	var archived *payment.ArchivedError
	if errors.As(err, &archived) {
		problem := request.ProblemOf(err)
		problem.Text = i18n.Text("Payments of this day were moved to the archive of %s.").With(i18n.ISODate(archived.Month))
		return a.Fail(c, problem, err)
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	if whole {
		page = paging{size: maxStatement}
	}
	list, err := walk(page, messageKey, func(from uuid.UUID, size int32) ([]payment.Message, error) {
		return a.cfg.Reader.Booked(c.Request().Context(), by.Realm, of.IBAN, day, until, from, size)
	})
	list, shownPage := cut(list, page, messageKey)
	if err == nil && whole && shownPage.Next != "" {
		q.refuse("day", "FF01", "Read this day as JSON, page by page: it has more bookings than a camt.053 takes here.")
		err = q.err()
	}
	if err == nil && whole {
		return a.sendReport(c, of, day, list)
	}
	var transactions []Transaction
	if err == nil {
		transactions, err = a.transactions(c, list)
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	return c.JSON(http.StatusOK, TransactionList{Header: a.header(c), Transactions: transactions, Page: shownPage})
}

// bankingDay reads a required day, as its beginning.
func (q *query) bankingDay(name string, zone *time.Location) time.Time {
	day, err := calendar.ParseDay(time.DateOnly, q.text(name), zone)
	if err != nil {
		q.refuse(name, "DT01", "Enter "+name+" as a date, such as 2026-11-20.")
	}
	return day
}

// whole refuses a day of which payments left the database with an archive. Error: payment.ArchivedError.
func (a *API) whole(c echo.Context, day time.Time) error {
	left, err := a.cfg.Reader.Archived(c.Request().Context(), principal(c).Realm)
	if err == nil && day.Format("2006-01") <= left.Month {
		return &payment.ArchivedError{Month: left.Month}
	}
	return err
}

// account finds an account of the realm. Error: payment.ErrNotFound.
func (a *API) account(c echo.Context, iban string) (payment.DebtorAccount, error) {
	list, err := a.cfg.Reader.Accounts(c.Request().Context(), principal(c).Realm)
	at := slices.IndexFunc(list, func(known payment.DebtorAccount) bool { return known.IBAN == iban })
	if err == nil && at < 0 {
		err = payment.ErrNotFound
	}
	if err != nil {
		return payment.DebtorAccount{}, err
	}
	return list[at], nil
}

// sendReport writes bookings of an account as a camt.053 of a day, or the only one as a camt.054 when there is no day. Errors:
// payment.WithheldError, payment.StateError.
func (a *API) sendReport(c echo.Context, of payment.DebtorAccount, day time.Time, list []payment.Message) error {
	report := interbank.AccountReport{
		IBAN: of.IBAN, Owner: of.Holder.Name, Agent: of.AgentBIC, Currency: money.Currency(of.Currency), Day: day, At: a.cfg.Now(),
	}
	err := a.cfg.Reader.Prove(c.Request().Context(), principal(c).Realm, list)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	for _, m := range list {
		booking, err := payment.BookingOf(m)
		if err != nil {
			return a.Fail(c, request.FieldsProblem(payment.Finding{Code: "NARR", Text: i18n.OfError(err)}), err)
		}
		booking.At = booking.At.In(a.cfg.Zone)
		report.Bookings = append(report.Bookings, booking)
	}
	write := report.Statement
	if day.IsZero() {
		write = report.Notification
	}
	content, err := write()
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	c.Response().Header().Set(echo.HeaderVary, echo.HeaderAccept)
	return c.Blob(http.StatusOK, echo.MIMEApplicationXML, content)
}
