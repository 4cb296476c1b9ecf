package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/web/request"
)

// accountFilters are the parameters of the list of accounts, with those of the page. An account here has no customer and no entity, so
// these two match none.
var accountFilters = append([]string{"accountNumber", "currency", "customerId", "entityCode", "iban", "name"}, pageParameters...)

// accountPage is the requested page of the accounts. The cursor is the last IBAN of the page before.
type accountPage struct {
	number, size int
	after        string
	backwards    bool
}

// accountPaging reads the page. Accounts store no time of their changes, so each may have changed since any time.
func (q *query) accountPaging() accountPage {
	q.time("changedSince", dayStart)
	p := accountPage{
		number: q.count("currentPage", 1, maxSkip), size: q.count("pageSize", defaultPageSize, maxPageSize),
		after: q.account("after"), backwards: q.oneOf("order", "asc", "desc") == "desc",
	}
	if p.after != "" && q.values.Has("currentPage") {
		q.refuse("currentPage", "CH17", "Remove currentPage: after says where the page begins.")
	}
	return p
}

// of cuts the page out of the accounts that fit.
func (p accountPage) of(list []Account) ([]Account, Page) {
	if p.backwards {
		slices.Reverse(list)
	}
	start, page := (p.number-1)*p.size, Page{CurrentPage: p.number, PageSize: p.size}
	if p.after != "" {
		last := slices.IndexFunc(list, func(a Account) bool { return a.Account == p.after })
		start, page.CurrentPage = last+1, 0
		if last < 0 {
			start = len(list) // the account is gone, or was never in this list
		}
	}
	list = list[min(start, len(list)):]
	if len(list) > p.size {
		list = list[:p.size]
		page.Next = list[len(list)-1].Account
	}
	return list, page
}

// fits reports whether the account matches the query.
func (q *query) fits(account payment.DebtorAccount) bool {
	for _, name := range []string{"accountNumber", "iban"} {
		if asked := q.account(name); asked != "" && asked != account.IBAN {
			return false
		}
	}
	if q.text("customerId") != "" || q.text("entityCode") != "" {
		return false
	}
	if currency := q.text("currency"); currency != "" && currency != account.Currency {
		return false
	}
	return strings.Contains(strings.ToLower(account.Holder.Name), strings.ToLower(q.text("name")))
}

// listAccounts lists the accounts the realm may debit.
func (a *API) listAccounts(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, accountFilters, nil)
	q.oneOf("currency", currencies...)
	page := q.accountPaging()
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	accounts, err := a.cfg.Reader.Accounts(c.Request().Context(), by.Realm)
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list := make([]Account, 0, len(accounts))
	for _, account := range accounts {
		if !q.fits(account) {
			continue
		}
		h := account.Holder
		list = append(list, Account{
			Account: account.IBAN, Scheme: string(account.Scheme), Currency: account.Currency, Agent: account.AgentBIC, Open: account.Open,
			Holder: Holder{Name: h.Name, Street: h.Street, Building: h.Building, Postcode: h.Postcode, Town: h.Town, Country: h.Country},
		})
	}
	list, shownPage := page.of(list)
	return c.JSON(http.StatusOK, AccountList{Header: a.header(c), Accounts: list, Page: shownPage})
}
