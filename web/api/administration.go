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

// shownValues converts fields of administration to JSON.
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

// listSubjects answers with a page of the subjects of a noun, under its plural: the schema LimitSubjects and its like.
func (a *API) listSubjects(noun, plural string) echo.HandlerFunc {
	return func(c echo.Context) error {
		q := openQuery(c, []string{"currentPage", "pageSize"}, nil)
		// Such lists are short and read whole, so they have no cursor.
		p := paging{number: q.count("currentPage", 1, maxSkip), size: q.count("pageSize", defaultPageSize, maxPageSize)}
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
		page := Page{CurrentPage: p.number, PageSize: p.size}
		return c.JSON(http.StatusOK, map[string]any{"header": a.header(c), plural: shown, "page": page})
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
	answer := DryRunAnswer{Header: a.header(c), Of: run.Of, Changed: run.More + run.Fewer, ByApprovals: map[string]int{}}
	for approvals, count := range run.ByApprovals {
		answer.ByApprovals[strconv.Itoa(approvals)] = count
	}
	return c.JSON(http.StatusOK, answer)
}
