package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/web/problem"
)

// fields reads the members of an object as fields of administration, in their canonical text. What the schema refuses is not there.
func (b body) fields(path ...string) administration.Values {
	members, _ := b.value(path...).(map[string]any)
	if len(path) == 0 {
		members = b.members
	}
	values := administration.Values{}
	for name, member := range members {
		switch value := member.(type) {
		case string:
			values[name] = value
		case bool:
			if value {
				values[name] = administration.Yes
			}
		case []any:
			words := make([]identity.Role, 0, len(value))
			for _, entry := range value {
				word, _ := entry.(string)
				words = append(words, identity.Role(word))
			}
			values[name] = administration.Words(words)
		default:
			values[name] = b.numbers[b.prefix+pointerTo(append(path[:len(path):len(path)], name))]
		}
	}
	return values.Compact()
}

// shownValues are fields of administration as JSON has them.
func shownValues(values administration.Values) AdministrationValues {
	shown := AdministrationValues{}
	for name, text := range values {
		switch administration.TypeOf(name) {
		case administration.TypeWords:
			shown[name] = administration.WordsOf[string](text)
		case administration.TypeNumber:
			number, err := strconv.Atoi(text)
			if err == nil {
				shown[name] = number
			}
		case administration.TypeYesNo:
			shown[name] = text == administration.Yes
		case administration.TypeText, administration.TypeAmount:
			shown[name] = text
		}
	}
	return shown
}

// subjectPage reads which page of a short list is asked for. Such lists are read whole, so they have no cursor.
func (q *query) subjectPage() paging {
	return paging{number: q.count("currentPage", 1, maxSkip), size: q.count("pageSize", defaultPageSize, maxPageSize)}
}

// valued is what has fields: a user account, a client, a debtor account, a policy.
type valued interface{ Values() administration.Values }

// subjects reads one list of what a realm is made of and cuts a page out of it.
func subjects[T valued](c echo.Context, read func() ([]T, error)) ([]AdministrationValues, Page, error) {
	q := openQuery(c, []string{"currentPage", "pageSize"}, nil)
	p := q.subjectPage()
	err := firstOf(administration.MayAdminister(principal(c)), q.err())
	if err != nil {
		return nil, Page{}, err
	}
	list, err := read()
	if err != nil {
		return nil, Page{}, err
	}
	list = list[min(p.skip(), len(list)):]
	shown := make([]AdministrationValues, 0, p.size)
	for _, one := range list[:min(p.size, len(list))] {
		shown = append(shown, shownValues(one.Values()))
	}
	return shown, Page{CurrentPage: p.number, PageSize: p.size}, nil
}

// listUsers lists the user accounts of the realm.
func (a *API) listUsers(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.User, error) { return a.cfg.Admin.Users(c.Request().Context(), principal(c)) })
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, UserSubjects{Header: a.header(c), Users: list, Page: page})
}

// listClients lists the clients of the realm.
func (a *API) listClients(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.Client, error) {
		return a.cfg.Admin.Clients(c.Request().Context(), principal(c))
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, ClientSubjects{Header: a.header(c), Clients: list, Page: page})
}

// listDebtorAccounts lists the debtor accounts of the realm.
func (a *API) listDebtorAccounts(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.Account, error) {
		return a.cfg.Admin.Accounts(c.Request().Context(), principal(c))
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, AccountSubjects{Header: a.header(c), Accounts: list, Page: page})
}

// listPolicies lists the policies of the realm, those in force first.
func (a *API) listPolicies(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.Policy, error) {
		return a.cfg.Admin.Policies(c.Request().Context(), principal(c))
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, PolicySubjects{Header: a.header(c), Policies: list, Page: page})
}

// listProviders lists the identity provider of the realm, when it has one.
func (a *API) listProviders(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.Provider, error) {
		p, found, err := a.cfg.Admin.Provider(c.Request().Context(), principal(c))
		if !found {
			return nil, err
		}
		return []administration.Provider{p}, err
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, ProviderSubjects{Header: a.header(c), Providers: list, Page: page})
}

// listRealms tells what the realm asks of all its people.
func (a *API) listRealms(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.Factors, error) {
		asked, err := a.cfg.Admin.Factors(c.Request().Context(), principal(c))
		return []administration.Factors{asked}, err
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, RealmSubjects{Header: a.header(c), Realms: list, Page: page})
}

// listLimits lists the limits of the realm with what is used of them today.
func (a *API) listLimits(c echo.Context) error {
	list, page, err := subjects(c, func() ([]administration.LimitToday, error) {
		return a.cfg.Admin.Limits(c.Request().Context(), principal(c))
	})
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, LimitSubjects{Header: a.header(c), Limits: list, Page: page})
}

// tryPolicy tells what a policy would have asked of the last messages.
func (a *API) tryPolicy(c echo.Context) error {
	order, err := a.administrate(c, form{schema: a.bodies.policy, mode: flat})
	if err != nil {
		return a.failChange(c, err)
	}
	run, err := a.cfg.Admin.DryRun(c.Request().Context(), principal(c), order.fields())
	if err != nil {
		return a.failChange(c, err)
	}
	answer := DryRunAnswer{Header: a.header(c), Of: run.Of, Changed: run.Changed, ByApprovals: map[string]int{}}
	for approvals, count := range run.ByApprovals {
		answer.ByApprovals[strconv.Itoa(approvals)] = count
	}
	return c.JSON(http.StatusOK, answer)
}
