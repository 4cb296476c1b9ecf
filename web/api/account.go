package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/internal/payment"
	"countersign/web/problem"
)

// listAccounts lists the accounts the realm may debit.
func (a *API) listAccounts(c echo.Context) error {
	by := principal(c)
	err := firstOf(payment.MayRead(by), openQuery(c, nil, nil).err())
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	accounts, err := a.cfg.Reader.Accounts(c.Request().Context(), by.Realm)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	list := make([]Account, 0, len(accounts))
	for _, account := range accounts {
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
