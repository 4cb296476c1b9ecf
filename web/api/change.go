package api

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/administration"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/web/request"
)

// administrationRoutes lists the calls of administrators.
func (a *API) administrationRoutes() []request.Route {
	const home = "/api/admin/v1/"
	routes := []request.Route{
		{Method: http.MethodPost, Path: home + "change/create", Handle: a.requestChange},
		{Method: http.MethodPost, Path: home + "change/approval", Handle: a.decideChange},
		{Method: http.MethodGet, Path: home + "change/list", Handle: a.listChanges},
		{Method: http.MethodGet, Path: home + "change/:changeId", Handle: a.showChange},
		{Method: http.MethodPost, Path: home + "policy/dry-run", Handle: a.tryPolicy},
	}
	lists := administration.Lists()
	for _, noun := range slices.Sorted(maps.Keys(lists)) {
		routes = append(routes, request.Route{Method: http.MethodGet, Path: home + noun + "/list", Handle: a.listSubjects(noun, lists[noun])})
	}
	return routes
}

// administrate reads the body of an administrator. The right to administer is checked before the body.
func (a *API) administrate(c echo.Context, f Form) (Body, error) {
	err := administration.MayAdminister(principal(c))
	if err != nil {
		return Body{}, err
	}
	return readBody(c, f, MaxSize)
}

// failChange writes an error of a call that changes something: what took too long may have been done.
func (a *API) failChange(c echo.Context, err error) error {
	if errors.Is(err, payment.ErrNotFound) {
		return a.Fail(c, request.NotFound(), err)
	}
	return a.Fail(c, request.ProblemOfCommand(err), err)
}

// requestChange stores a change requested by an administrator.
func (a *API) requestChange(c echo.Context) error {
	command, err := a.administrate(c, a.forms.Change)
	if err != nil {
		return a.failChange(c, err)
	}
	made, err := a.cfg.Admin.Request(c.Request().Context(), principal(c), service.RequestInput{
		Kind: administration.Kind(command.Text("kind")), Subject: command.Text("subject"), Note: command.Text("note"),
		Values: fieldsOf(command, "values"),
	})
	if err != nil {
		return a.failChange(c, err)
	}
	return c.JSON(http.StatusOK, ChangeAnswer{Header: a.header(c), Change: shownChange(made.Change), SetupCode: made.Code})
}

// decideChange approves or rejects a change requested by another administrator.
func (a *API) decideChange(c echo.Context) error {
	command, err := a.administrate(c, a.forms.ChangeApproval)
	if err != nil {
		return a.failChange(c, err)
	}
	id, err := parseID(command.Text("changeId"))
	if err != nil {
		return a.failChange(c, payment.ErrNotFound)
	}
	decided, err := a.cfg.Admin.Decide(c.Request().Context(), principal(c), service.DecideInput{
		ChangeID: id, Approve: command.Text("ApprovalDetails", "action") == string(payment.ActionApprove),
		Reason: command.Text("ApprovalDetails", "rejectReason"),
	})
	if err != nil {
		return a.failChange(c, err)
	}
	return c.JSON(http.StatusOK, ChangeAnswer{
		Header: a.header(c), Change: shownChange(decided.Change), SetupLink: decided.SetUpPath, ClientSecret: decided.ClientSecret,
		WebhookSecret: decided.WebhookSecret,
	})
}

// changeFilters are the parameters of the list of changes.
var changeFilters = append([]string{"state", "kind", "subject"}, pageParameters...)

// listChanges lists the changes of the realm.
func (a *API) listChanges(c echo.Context) error {
	by := principal(c)
	q := openQuery(c, changeFilters, nil)
	filter := store.ChangeFilter{
		Kind:    administration.Kind(q.oneOf("kind", texts(administration.Kinds())...)),
		State:   administration.State(q.oneOf("state", texts(changeStates)...)),
		Subject: q.text("subject"),
	}
	page := q.paging()
	filter.OldestFirst, filter.Since = page.oldestFirst, page.changedSince
	err := firstOf(administration.MayAdminister(by), q.err())
	var list []administration.Change
	if err == nil {
		list, err = walk(page, changeKey, func(from uuid.UUID, size int32) ([]administration.Change, error) {
			filter.From, filter.PageSize = from, size
			return a.cfg.Admin.Changes(c.Request().Context(), by, filter)
		})
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	list, shownPage := cut(list, page, changeKey)
	answer := ChangeList{Header: a.header(c), Changes: make([]Change, 0, len(list)), Page: shownPage}
	for _, change := range list {
		answer.Changes = append(answer.Changes, shownChange(change))
	}
	return c.JSON(http.StatusOK, answer)
}

// changeStates are the states of a change.
var changeStates = []administration.State{administration.StatePending, administration.StateApplied, administration.StateRejected}

func changeKey(c administration.Change) uuid.UUID { return c.ID }

func texts[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = string(word)
	}
	return words
}

// showChange shows one change.
func (a *API) showChange(c echo.Context) error {
	id, err := parseID(c.Param("changeId"))
	if err != nil {
		err = payment.ErrNotFound
	}
	err = firstOf(administration.MayAdminister(principal(c)), openQuery(c, nil, nil).err(), err)
	var change administration.Change
	if err == nil {
		change, err = a.cfg.Admin.Change(c.Request().Context(), principal(c), id)
	}
	if err != nil {
		return a.Fail(c, request.ProblemOf(err), err)
	}
	return c.JSON(http.StatusOK, ChangeAnswer{Header: a.header(c), Change: shownChange(change)})
}

func shownChange(c administration.Change) Change {
	shown := Change{
		ChangeID: c.ID.String(), Kind: ChangeKind(c.Kind), Subject: c.Subject, State: string(c.State()), Before: shownValues(c.Before),
		After: shownValues(c.After), Note: c.Note, RequestedBy: c.Requester.Login, RequestedByName: c.Requester.Name,
		RequestedAt: moment(c.RequestedAt),
	}
	if d := c.Decision; d != nil {
		shown.DecidedBy, shown.DecidedByName, shown.DecidedAt, shown.RejectReason = d.By.Login, d.By.Name, moment(d.At), d.Reason
	}
	return shown
}
