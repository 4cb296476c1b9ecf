package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/web/api/body"
	"countersign/web/problem"
)

// fieldsOf reads the members of an object as administered fields in their canonical text. Empty values and false become "". Values that the
// schema refuses are left out.
func fieldsOf(b body.Body, path ...string) administration.Values {
	values := administration.Values{}
	for name, member := range b.Members(path...) {
		switch value := member.(type) {
		case string:
			values[name] = value
		case bool:
			values[name] = ""
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
			values[name] = b.Decimal(append(path[:len(path):len(path)], name)...)
		}
	}
	return values
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

// valued is an administered noun: a user account, a client, a debtor account, a policy.
type valued interface{ Values() administration.Values }

// subjects is one page of a list of administered nouns.
type subjects struct {
	header Header
	list   []AdministrationValues
	page   Page
}

// listSubjects answers with a page of the list that read returns to the caller.
func listSubjects[T valued](
	a *API, c echo.Context, read func(context.Context, identity.Principal) ([]T, error), answer func(subjects) any,
) error {
	list, page, err := pageOfSubjects(c, read)
	if err != nil {
		return a.Fail(c, problem.Of(err), err)
	}
	return c.JSON(http.StatusOK, answer(subjects{a.header(c), list, page}))
}

func pageOfSubjects[T valued](
	c echo.Context, read func(context.Context, identity.Principal) ([]T, error),
) ([]AdministrationValues, Page, error) {
	q := openQuery(c, []string{"currentPage", "pageSize"}, nil)
	p := q.subjectPage()
	err := firstOf(administration.MayAdminister(principal(c)), q.err())
	if err != nil {
		return nil, Page{}, err
	}
	list, err := read(c.Request().Context(), principal(c))
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
	return listSubjects(a, c, a.cfg.Admin.Users, func(s subjects) any {
		return UserSubjects{Header: s.header, Users: s.list, Page: s.page}
	})
}

// listClients lists the clients of the realm.
func (a *API) listClients(c echo.Context) error {
	return listSubjects(a, c, a.cfg.Admin.Clients, func(s subjects) any {
		return ClientSubjects{Header: s.header, Clients: s.list, Page: s.page}
	})
}

// listDebtorAccounts lists the debtor accounts of the realm.
func (a *API) listDebtorAccounts(c echo.Context) error {
	return listSubjects(a, c, a.cfg.Admin.Accounts, func(s subjects) any {
		return AccountSubjects{Header: s.header, Accounts: s.list, Page: s.page}
	})
}

// listPolicies lists the policies of the realm, those in force first.
func (a *API) listPolicies(c echo.Context) error {
	return listSubjects(a, c, a.cfg.Admin.Policies, func(s subjects) any {
		return PolicySubjects{Header: s.header, Policies: s.list, Page: s.page}
	})
}

// listProviders lists the identity provider of the realm, when it has one.
func (a *API) listProviders(c echo.Context) error {
	return listSubjects(a, c, a.providers, func(s subjects) any {
		return ProviderSubjects{Header: s.header, Providers: s.list, Page: s.page}
	})
}

func (a *API) providers(ctx context.Context, by identity.Principal) ([]administration.Provider, error) {
	p, found, err := a.cfg.Admin.Provider(ctx, by)
	if !found {
		return nil, err
	}
	return []administration.Provider{p}, err
}

// listRealms lists the settings of the caller's realm.
func (a *API) listRealms(c echo.Context) error {
	return listSubjects(a, c, a.realms, func(s subjects) any {
		return RealmSubjects{Header: s.header, Realms: s.list, Page: s.page}
	})
}

func (a *API) realms(ctx context.Context, by identity.Principal) ([]administration.Factors, error) {
	asked, err := a.cfg.Admin.Factors(ctx, by)
	return []administration.Factors{asked}, err
}

// listLimits lists the limits of the realm with the amounts used today.
func (a *API) listLimits(c echo.Context) error {
	return listSubjects(a, c, a.cfg.Admin.Limits, func(s subjects) any {
		return LimitSubjects{Header: s.header, Limits: s.list, Page: s.page}
	})
}

// tryPolicy applies a policy to the last messages and counts the approvals it would have required.
func (a *API) tryPolicy(c echo.Context) error {
	command, err := a.administrate(c, a.forms.Policy)
	if err != nil {
		return a.failChange(c, err)
	}
	run, err := a.cfg.Admin.DryRun(c.Request().Context(), principal(c), fieldsOf(command))
	if err != nil {
		return a.failChange(c, err)
	}
	answer := DryRunAnswer{Header: a.header(c), Of: run.Of, Changed: run.Changed, ByApprovals: map[string]int{}}
	for approvals, count := range run.ByApprovals {
		answer.ByApprovals[strconv.Itoa(approvals)] = count
	}
	return c.JSON(http.StatusOK, answer)
}
