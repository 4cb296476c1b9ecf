package portal

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/account"
	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/web/request"
)

// MaxUpload is the largest picture taken, in bytes. Payment files have orderform.MaxFile.
const MaxUpload = 10 << 20

// maxForm is the largest form taken, in bytes.
const maxForm = 64 << 10

// Request is one request for a page: person, time and appearance of the answer.
type Request struct {
	portal     *Portal
	Config     *Config
	Echo       echo.Context
	By         identity.Principal
	At         time.Time
	preference auth.Preference
	Waiting    int           // messages that wait for this person
	totals     []store.Total // of them, for each currency
	Changes    int           // changes of administration, or of beneficiaries, that wait for this person
	broken     []views.BrokenGlass
	Status     i18n.Text                          // a sentence left by the request before
	viewers    map[uuid.UUID][]string             // the other viewers of messages, where the page asked for them
	accounts   []payment.DebtorAccount            // of the realm, once read
	listed     map[contentVersion][]views.Warning // Warnings, once read
	// directories are the bank directories in force, by scheme, once read.
	directories map[rulebook.Scheme]*account.Directory
	unread      error // why the form could not be read, which a second reading would not say
}

// handler answers one request. An error it returns becomes a page.
type handler func(*Request) error

// signedIn makes a route of a page for people who are signed in.
func (p *Portal) signedIn(handle handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := p.newRequest(c)
		by, ok, err := p.principal(c)
		if err != nil {
			return v.fail(err)
		}
		if !ok {
			return v.askToSignIn()
		}
		v.By = by
		if made, is := v.madeFor(); is && made != v.whose() {
			return v.ofAnother(made)
		}
		c.SetRequest(c.Request().WithContext(views.ForPerson(c.Request().Context(), v.whose())))
		if v.MustEnrol() && !strings.HasPrefix(c.Path(), FactorsPath) {
			return c.Redirect(http.StatusSeeOther, FactorsPath)
		}
		c.SetRequest(c.Request().WithContext(request.WithPrincipal(c.Request().Context(), by)))
		err = v.use()
		if err != nil {
			return v.fail(err)
		}
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

// Open makes a route of a page for everybody.
func (p *Portal) Open(handle handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := p.newRequest(c)
		made, _ := v.madeFor()
		if made != "" { // the form to sign out
			by, ok, err := v.SignedInAs()
			if err != nil {
				return v.fail(err)
			}
			v.By = by
			if ok && made != v.whose() {
				return v.ofAnother(made)
			}
			v.By = identity.Principal{}
		}
		err := handle(v)
		if err != nil {
			return v.fail(err)
		}
		return nil
	}
}

func (p *Portal) newRequest(c echo.Context) *Request {
	header := c.Response().Header()
	header.Add(echo.HeaderVary, "HX-Request")
	header.Set(echo.HeaderCacheControl, "no-store")
	most := int64(orderform.MaxFile)
	if c.Path() == qrBillPath {
		most = MaxUpload
	}
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, most+maxForm)
	header.Add(echo.HeaderVary, "Accept-Language")
	v := &Request{
		portal: p, Config: &p.Config, Echo: c, At: p.Config.Now(),
		preference: auth.Preference{Theme: "auto", Density: "default", Shortcuts: true},
	}
	v.speak(LanguageOf(c))
	return v
}

// prepare reads the data that every page shows.
func (v *Request) prepare() error {
	var err error
	v.preference, err = v.Config.Auth.Preference(v.Context(), v.By)
	if err != nil {
		return err
	}
	if own, chosen := i18n.Parse(v.preference.Language); chosen {
		v.speak(own)
	}
	if !v.Fragment() {
		v.Status = i18n.Kept(v.portal.sessions.PopString(v.Context(), keyStatus))
	}
	err = v.CountWaiting()
	if err != nil || !v.By.Has(identity.RoleAdministrator) {
		return err
	}
	glasses, err := v.Config.Reader.BrokenGlasses(v.Context(), v.By.Realm, v.At.Add(-glassShown))
	for _, g := range glasses {
		v.broken = append(v.broken, views.BrokenGlass{User: g.User, Password: g.Password, Reason: g.Reason, At: g.At})
	}
	return err
}

// glassShown is the time during which administrators see a notice about an administrator added by the operator.
const glassShown = 90 * 24 * time.Hour

// Fragment reports whether htmx asks for a part of the page. A page restored from its history is whole.
func (v *Request) Fragment() bool {
	header := v.Echo.Request().Header
	return header.Get("HX-Request") == "true" && header.Get("HX-History-Restore-Request") != "true"
}

// together runs reads in one transaction: meanwhile v.Config.Reader is that of the transaction. work must not use another store of pages,
// such as Desk: it would wait for a second connection.
func together[T any](v *Request, work func() (T, error)) (result T, err error) {
	outer := v.Config
	defer func() { v.Config = outer }()
	err = outer.Reader.Together(v.Context(), v.By.Realm, func(r *store.Reader) (err error) {
		inner := *outer
		inner.Reader, v.Config = r, &inner
		result, err = work()
		return err
	})
	return result, err
}

// layout returns the layout around the page.
func (v *Request) layout(title i18n.Text, place views.Place) views.Layout {
	return views.Layout{
		Title: title, Environment: v.Config.Environment, House: v.Config.House, Person: v.person(), Place: place, QueueCount: v.Waiting,
		Status: v.Status,
		Theme:  views.Theme(v.preference.Theme), Density: views.Density(v.preference.Density), Shortcuts: v.preference.Shortcuts, Now: v.At,
		Simulator: v.Config.SimulatorURL != "", Idle: v.idle(), Life: v.portal.sessionLeft(v), BrokenGlasses: v.broken,
		ChangeCount: v.Changes,
		Here:        v.Echo.Request().URL.RequestURI(),
	}
}

// FormShell returns the layout of a form that is shown with a status. The title marks a refused form.
func (v *Request) FormShell(title i18n.Text, place views.Place, status int) views.Layout {
	layout := v.layout(title, place)
	layout.Failed = status != http.StatusOK
	return layout
}

func (v *Request) person() views.Person {
	if v.By.UserName == "" {
		return views.Person{}
	}
	return views.Person{
		UserName: v.By.UserName, Realm: v.By.Realm, Roles: roleNames(v.By.Roles), MaySubmit: v.By.Has(identity.RoleMaker),
		MayDecide: v.By.Has(identity.RoleChecker), MayRead: payment.MayRead(v.By) == nil,
		MayOperate: v.portal.mayOperate(v.By) == nil, MayAudit: payment.MayAudit(v.By) == nil,
		MayReport:     v.By.Has(identity.RoleSupervisor),
		MayAdminister: v.By.Has(identity.RoleAdministrator),
	}
}

// roleNames are the roles as people call them.
func roleNames(roles []identity.Role) []i18n.Text {
	known := map[identity.Role]i18n.Text{
		identity.RoleMaker: "Maker", identity.RoleChecker: "Checker",
		identity.RoleSupervisor: "Supervisor", identity.RoleAdministrator: "Administrator",
	}
	names := make([]i18n.Text, 0, len(roles))
	for _, role := range roles {
		names = append(names, known[role])
	}
	return names
}

// MayMake tells why the person may not prepare or change payments, or nil.
func MayMake(by identity.Principal) error { return payment.Message{}.MayChange(by) }

// Render writes a view. It is written as a whole, so that a failure leaves no half page.
func (v *Request) Render(status int, view templ.Component) error {
	v.noteAct()
	var page bytes.Buffer
	err := view.Render(v.Context(), &page)
	if err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	header := v.Echo.Response().Header()
	header.Add(echo.HeaderVary, echo.HeaderAcceptEncoding)
	if page.Len() < worthCompressing || !strings.Contains(v.Echo.Request().Header.Get(echo.HeaderAcceptEncoding), "gzip") {
		return v.Echo.HTMLBlob(status, page.Bytes())
	}
	// What is typed comes back in pages, but no secret stands beside it whose length could tell on it: forms are known by their origin.
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, err = writer.Write(page.Bytes())
	err = errors.Join(err, writer.Close())
	if err != nil {
		return fmt.Errorf("compress the page: %w", err)
	}
	header.Set(echo.HeaderContentEncoding, "gzip")
	return v.Echo.HTMLBlob(status, compressed.Bytes())
}

// worthCompressing is the size in bytes from which a page is compressed: below, it fits into one packet.
const worthCompressing = 1400

// GoTo redirects after an accepted form; the next page shows the sentence, "" for none.
func (v *Request) GoTo(path string, sentence i18n.Text) error {
	v.takenWith(sentence)
	return v.Echo.Redirect(http.StatusSeeOther, path)
}

// leaveFor is GoTo for a form that htmx sends from a part of a page: the next page is loaded as a whole.
func (v *Request) leaveFor(path string, sentence i18n.Text) error {
	v.takenWith(sentence)
	return v.jump(path)
}

// takenWith records that a form was accepted, and the sentence for the next page.
func (v *Request) takenWith(sentence i18n.Text) {
	v.noteAct()
	if sentence != "" {
		v.portal.sessions.Put(v.Context(), keyStatus, string(sentence))
	}
}

// Form reads the fields of a form.
func (v *Request) Form() (url.Values, error) {
	r := v.Echo.Request()
	r.Body = http.MaxBytesReader(v.Echo.Response(), r.Body, maxForm)
	err := r.ParseForm()
	if err != nil {
		v.unread = &FormError{Cause: err}
	}
	return r.PostForm, v.unread
}

// FormError says that a form cannot be read: it is too large or not a form.
type FormError struct{ Cause error }

func (e *FormError) Error() string { return "read the form: " + e.Cause.Error() }

func (e *FormError) Unwrap() error { return e.Cause }

// ID reads the identifier in the path. Text that is no identifier names nothing.
func (v *Request) ID(parameter string) (uuid.UUID, error) {
	id, err := uuid.Parse(v.Echo.Param(parameter))
	if err != nil || id == uuid.Nil {
		return uuid.Nil, payment.ErrNotFound
	}
	return id, nil
}

// Origin is the address of the portal as this browser reaches it.
func (v *Request) Origin() string {
	scheme := "http://"
	if v.Config.TLS {
		scheme = "https://"
	}
	return scheme + v.Echo.Request().Host
}

// Context is the context of the request, with its session.
func (v *Request) Context() context.Context { return v.Echo.Request().Context() }

// Readable loads the message the path names for somebody who may read payments.
func (v *Request) Readable() (payment.Message, error) {
	err := payment.MayRead(v.By)
	if err != nil {
		return payment.Message{}, err
	}
	return v.Message()
}

// Message loads the message the path names.
func (v *Request) Message() (payment.Message, error) {
	id, err := v.ID("id")
	if err != nil {
		return payment.Message{}, err
	}
	return v.Config.Reader.Message(v.Context(), v.By.Realm, id)
}

// Midnight is the beginning of the banking day.
func (v *Request) Midnight() time.Time {
	year, month, day := v.Today().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, v.Config.Zone).UTC()
}

// LastDay is the beginning of the 24 hours that charts show: whole hours, the current one counted.
func (v *Request) LastDay() time.Time { return v.At.Truncate(time.Hour).Add(-23 * time.Hour) }

// Today is the current time in the zone of the banking day.
func (v *Request) Today() time.Time { return v.At.In(v.Config.Zone) }

// mayOperate tells why the person may not see the quarantine, or nil. Its documents belong to no realm, so the page is for the people
// who look after the gateway; to those of other realms it does not exist.
func (p *Portal) mayOperate(by identity.Principal) error {
	if p.Config.OperatorRealm == "" || by.Realm != p.Config.OperatorRealm {
		return payment.ErrNotFound
	}
	if by.Has(identity.RoleSupervisor) || by.Has(identity.RoleAdministrator) {
		return nil
	}
	return &payment.ForbiddenError{Text: "To see this page, you need the role of supervisor or administrator."}
}

// MayAmend reports whether the state table, the person's roles, the time to decide and the fields of the form allow an amendment. The
// message comes with its content.
func MayAmend(v *Request, m payment.Message) bool {
	step := payment.Move{Kind: m.Kind, From: m.State, Action: payment.ActionAmend, To: payment.StateApprovalPending}
	if m.Withheld != "" || !payment.Legal(step) || m.MayChange(v.By) != nil || !v.At.Before(m.ExpiresAt) {
		return false
	}
	document, err := payment.DocumentOf(m)
	if err != nil {
		return false
	}
	account, err := v.debtorAccount(m.Summary.DebtorAccount)
	return err == nil && orderform.FitsForm(m.Scheme, document, account)
}
