package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/web/problem"
)

// accountFilters are the parameters of the list of accounts. An account here has neither customer nor entity, so those two fit none.
var accountFilters = []string{"accountNumber", "currency", "customerId", "entityCode", "iban", "name"}

// fits reports whether the query asks for the account.
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
	err := firstOf(payment.MayRead(by), q.err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	accounts, err := a.cfg.Reader.Accounts(c.Request().Context(), by.Realm)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
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
	return c.JSON(http.StatusOK, AccountList{
		Header: a.header(c), Accounts: list, Page: AllOnOnePage{CurrentPage: 1, PageSize: len(list)},
	})
}
