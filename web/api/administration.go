package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/web/request"
)

// fieldsOf reads the members of an object as administered fields in their canonical text. Empty values and false become "". Values that the
// schema refuses are left out.
func fieldsOf(b Body, path ...string) administration.Values {
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
		case administration.TypeWords, administration.TypeList:
			shown[name] = administration.WordsOf[string](text)
		case administration.TypeNumber:
			number, err := strconv.Atoi(text)
			if err == nil {
				shown[name] = number
			}
		case administration.TypeYesNo:
			shown[name] = text == administration.Yes
		default:
			shown[name] = text
		}
	}
	return shown
}

// subjectPage reads which page of a short list is asked for. Such lists are read whole, so they have no cursor.
func (q *query) subjectPage() paging {
	return paging{number: q.count("currentPage", 1, maxSkip), size: q.count("pageSize", defaultPageSize, maxPageSize)}
}

// subjectLists are the answers of the lists of subjects by noun.
var subjectLists = map[string]func(h Header, list []AdministrationValues, p Page) any{
	"user": func(h Header, list []AdministrationValues, p Page) any {
		return UserSubjects{Header: h, Users: list, Page: p}
	},
	"client": func(h Header, list []AdministrationValues, p Page) any {
		return ClientSubjects{Header: h, Clients: list, Page: p}
	},
	"account": func(h Header, list []AdministrationValues, p Page) any {
		return AccountSubjects{Header: h, Accounts: list, Page: p}
	},
	"policy": func(h Header, list []AdministrationValues, p Page) any {
		return PolicySubjects{Header: h, Policies: list, Page: p}
	},
	"provider": func(h Header, list []AdministrationValues, p Page) any {
		return ProviderSubjects{Header: h, Providers: list, Page: p}
	},
	"realm": func(h Header, list []AdministrationValues, p Page) any {
		return RealmSubjects{Header: h, Realms: list, Page: p}
	},
	"webhook": func(h Header, list []AdministrationValues, p Page) any {
		return WebhookSubjects{Header: h, Webhooks: list, Page: p}
	},
	"limit": func(h Header, list []AdministrationValues, p Page) any {
		return LimitSubjects{Header: h, Limits: list, Page: p}
	},
}

// listSubjects answers with a page of the subjects of a noun.
func (a *API) listSubjects(noun string) echo.HandlerFunc {
	return func(c echo.Context) error {
		q := openQuery(c, []string{"currentPage", "pageSize"}, nil)
		p := q.subjectPage()
		err := firstOf(administration.MayAdminister(principal(c)), q.err())
		var list []administration.Subject
		if err == nil {
			list, err = a.cfg.Admin.Subjects(c.Request().Context(), principal(c), noun)
		}
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
		list = list[min(p.skip(), len(list)):]
		shown := make([]AdministrationValues, 0, p.size)
		for _, one := range list[:min(p.size, len(list))] {
			shown = append(shown, shownValues(one.Values()))
		}
		return c.JSON(http.StatusOK, subjectLists[noun](a.header(c), shown, Page{CurrentPage: p.number, PageSize: p.size}))
	}
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
