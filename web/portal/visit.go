package portal

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/web/request"
)

// maxForm is the largest form taken, in bytes.
const maxForm = 64 << 10

// visit is one request for a page: who asks, when, and how the answer looks.
type visit struct {
	*Portal
	echo       echo.Context
	by         identity.Principal
	at         time.Time
	preference auth.Preference
	waiting    int    // messages that wait for this person
	status     string // a sentence left by the request before
}

// handler answers one request. An error it returns becomes a page.
type handler func(*visit) error

// signedIn makes a route of a page for people who are signed in.
func (p *Portal) signedIn(handle handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := p.newVisit(c)
		by, ok, err := p.principal(c)
		if err != nil {
			return v.fail(err)
		}
		if !ok {
			return v.askToSignIn()
		}
		v.by = by
		c.SetRequest(c.Request().WithContext(request.WithPrincipal(c.Request().Context(), by)))
		err = v.prepare()
		if err != nil {
			return v.fail(err)
		}
		err = handle(v)
		if err != nil {
			return v.fail(err)
		}
		return nil
	}
}

// open makes a route of a page for everybody.
func (p *Portal) open(handle handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := p.newVisit(c)
		err := handle(v)
		if err != nil {
			return v.fail(err)
		}
		return nil
	}
}

func (p *Portal) newVisit(c echo.Context) *visit {
	header := c.Response().Header()
	header.Add(echo.HeaderVary, "HX-Request")
	header.Set(echo.HeaderCacheControl, "no-store")
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, maxUpload+maxForm)
	return &visit{Portal: p, echo: c, at: p.now(), preference: auth.Preference{Theme: "auto", Density: "default", Shortcuts: true}}
}

// prepare reads what surrounds every page.
func (v *visit) prepare() error {
	var err error
	v.preference, err = v.cfg.Auth.Preference(v.ctx(), v.by)
	if err != nil {
		return err
	}
	if !v.fragment() {
		v.status = v.sessions.PopString(v.ctx(), keyStatus)
	}
	return v.countWaiting()
}

// countWaiting counts what waits for this person; nothing waits for somebody who may not decide.
func (v *visit) countWaiting() error {
	v.waiting = 0
	if !v.by.Has(identity.RoleChecker) {
		return nil
	}
	totals, err := v.cfg.Reader.Waiting(v.ctx(), v.by.Realm, v.by.PersonID, views.MostWaiting)
	for _, total := range totals {
		v.waiting += int(total.Count)
	}
	return err
}

// fragment reports whether htmx asks for a part of the page. A page restored from its history is whole.
func (v *visit) fragment() bool {
	header := v.echo.Request().Header
	return header.Get("HX-Request") == "true" && header.Get("HX-History-Restore-Request") != "true"
}

// shell is what surrounds the page.
func (v *visit) shell(title string, place views.Place) views.Shell {
	return views.Shell{
		Title: title, Environment: v.cfg.Environment, Person: v.person(), Place: place, QueueCount: v.waiting, Status: v.status,
		Theme: views.Theme(v.preference.Theme), Density: views.Density(v.preference.Density), Shortcuts: v.preference.Shortcuts, Now: v.at,
		Simulator: v.cfg.SimulatorURL != "",
	}
}

func (v *visit) person() views.Person {
	if v.by.UserName == "" {
		return views.Person{}
	}
	return views.Person{
		UserName: v.by.UserName, Realm: v.by.Realm, Roles: roleNames(v.by.Roles), MaySubmit: v.by.Has(identity.RoleMaker),
		MayDecide: v.by.Has(identity.RoleChecker), MayRead: payment.MayRead(v.by) == nil,
		MayOperate: v.mayOperate() == nil,
	}
}

// roleNames are the roles as people call them.
func roleNames(roles []identity.Role) []string {
	known := map[identity.Role]string{
		identity.RoleMaker: "Maker", identity.RoleChecker: "Checker",
		identity.RoleSupervisor: "Supervisor", identity.RoleAdministrator: "Administrator",
	}
	names := make([]string, 0, len(roles))
	for _, role := range roles {
		names = append(names, known[role])
	}
	return names
}

// mayMake tells why the person may not prepare or change payments, or nil.
func mayMake(by identity.Principal) error { return payment.Message{}.MayChange(by) }

// render writes a view. It is written as a whole, so that a failure leaves no half page.
func (v *visit) render(status int, view templ.Component) error {
	var page bytes.Buffer
	err := view.Render(v.ctx(), &page)
	if err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return v.echo.HTMLBlob(status, page.Bytes())
}

// goTo answers a form that was taken, with a sentence for the page that follows; "" for none.
func (v *visit) goTo(path, sentence string) error {
	if sentence != "" {
		v.sessions.Put(v.ctx(), keyStatus, sentence)
	}
	return v.echo.Redirect(http.StatusSeeOther, path)
}

// form reads the fields of a form.
func (v *visit) form() (url.Values, error) {
	r := v.echo.Request()
	r.Body = http.MaxBytesReader(v.echo.Response(), r.Body, maxForm)
	err := r.ParseForm()
	if err != nil {
		return nil, &formError{err}
	}
	return r.PostForm, nil
}

// formError: the form cannot be read: it is too large or not a form.
type formError struct{ cause error }

func (e *formError) Error() string { return "read the form: " + e.cause.Error() }

func (e *formError) Unwrap() error { return e.cause }

// id reads the identifier in the path. Text that is no identifier names nothing.
func (v *visit) id(parameter string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.echo.Param(parameter))
	if err != nil || id == uuid.Nil {
		return uuid.Nil, payment.ErrNotFound
	}
	return id, nil
}

// ctx is the context of the request, with its session.
func (v *visit) ctx() context.Context { return v.echo.Request().Context() }
