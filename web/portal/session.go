package portal

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
	"countersign/web/request"
)

// How long a session lasts: since the last request, and since sign-in.
const (
	sessionIdle = 15 * time.Minute
	sessionLife = 12 * time.Hour
	// approvalIdle is sessionIdle for somebody who was last on a page where payments are approved.
	approvalIdle = 5 * time.Minute
)

// The keys of a session: the signed-in user, and a sentence for the next page. Roles are read for each request instead.
const (
	keyRealm  = "realm"
	keyUser   = "user"
	keyName   = "name"
	keySince  = "since"  // of the sign-in, in microseconds
	keyAsOf   = "asOf"   // of the account that was signed in to, in microseconds
	keyUsed   = "used"   // when the last use was noted, in microseconds
	keyEnds   = "ends"   // absolute expiry in microseconds, by the clock of the machine
	keyDecide = "decide" // the last page was one of approvals
	keyStatus = "status"
	keyActed  = "acted" // when a form was answered last, in microseconds
)

func (p *Portal) newSessions() *scs.SessionManager {
	m := scs.New()
	m.Store = p.Config.Sessions
	m.IdleTimeout, m.Lifetime = sessionIdle, sessionLife
	m.Cookie.Name, m.Cookie.Secure = p.hostCookie("sid"), p.Config.TLS
	m.Cookie.HttpOnly, m.Cookie.Persist = true, false
	// Strict: no page of another site can make a request that counts as signed in, not even by a link. A link from a mail therefore
	// arrives without the cookie; reopen takes care of that.
	m.Cookie.SameSite = http.SameSiteStrictMode
	m.ErrorFunc = noteSessionFailure
	return m
}

// hostCookie returns the name of a cookie that, by https, no other host may set.
func (p *Portal) hostCookie(name string) string {
	if p.Config.TLS {
		return "__Host-" + name
	}
	return name
}

// cookieOf returns the value of a cookie; "" for none.
func cookieOf(c echo.Context, name string) string {
	cookie, err := c.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie that no script reads. life is in seconds: 0 lasts until the browser is closed, a negative one deletes the cookie.
func (v *Request) setCookie(name, value string, life int, site http.SameSite) {
	v.Echo.SetCookie(&http.Cookie{ //nolint:gosec // Secure follows the setting that says whether browsers come by HTTPS
		Name: name, Value: value, Path: "/", MaxAge: life, Secure: v.Config.TLS, HttpOnly: true, SameSite: site,
	})
}

// Sessions is the middleware that loads and stores the session. It belongs around the portal's routes only: the API knows no cookie.
func (p *Portal) Sessions() echo.MiddlewareFunc {
	loadAndSave := echo.WrapMiddleware(p.sessions.LoadAndSave)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		used := loadAndSave(next)
		return func(c echo.Context) error {
			if !askedByPages[c.Path()] {
				return p.withSession(c, used)
			}
			ctx, err := p.sessions.Load(c.Request().Context(), cookieOf(c, p.sessions.Cookie.Name))
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	}
}

// emptySession ends the session of the person signed in before and continues under a new token, so that a token known before the sign-in is
// useless.
func (v *Request) emptySession() error {
	err := v.tellEnd(store.EndedBySignIn)
	if err == nil {
		err = v.portal.sessions.Clear(v.Context())
	}
	if err != nil {
		return err
	}
	return v.portal.sessions.RenewToken(v.Context())
}

// StartSession binds an empty session to a person.
func (v *Request) StartSession(by identity.Principal) error {
	ctx, s := v.Context(), v.portal
	err := v.emptySession()
	if err == nil {
		err = v.speakTo(by)
	}
	if err != nil {
		return err
	}
	s.sessions.Put(ctx, keyRealm, by.Realm)
	s.sessions.Put(ctx, keyUser, by.UserID.String())
	s.sessions.Put(ctx, keyName, by.UserName)
	s.sessions.Put(ctx, keySince, v.At.UnixMicro())
	s.sessions.Put(ctx, keyAsOf, by.AsOf.UnixMicro())
	s.sessions.Put(ctx, keyUsed, v.At.UnixMicro())
	s.sessions.Put(ctx, keyEnds, s.sessions.Deadline(ctx).UnixMicro())
	return v.Config.Sessions.Start(ctx, store.SessionStart{
		Token: s.sessions.Token(ctx), By: by, Device: deviceWords(v.Echo.Request().UserAgent()), At: v.At, EndsAt: v.At.Add(sessionLife),
		Alone: v.Config.OneCheckerSession,
	})
}

// principal returns the signed-in person with the current roles. ok is false when nobody is signed in, or the person no longer may be: the
// session then ends.
func (p *Portal) principal(c echo.Context) (by identity.Principal, ok bool, err error) {
	ctx := c.Request().Context()
	account, known := p.account(ctx, keyRealm, keyUser, keySince, keyAsOf)
	if !known {
		return identity.Principal{}, false, nil
	}
	by, err = p.Config.Auth.SessionPrincipal(ctx, account)
	if errors.Is(err, auth.ErrUnauthorized) {
		// The browser keeps the cookie, which is good for nothing but to know whose form comes too late.
		return identity.Principal{}, false, p.Config.Sessions.DeleteCtx(ctx, p.sessions.Token(ctx))
	}
	if err != nil {
		return identity.Principal{}, false, err
	}
	by.SourceAddress = Address(c)
	return by, true, nil
}

// account returns the account whose realm, id, sign-in and AsOf are under these keys of the session; known is false for none. An older
// session has no AsOf.
func (p *Portal) account(ctx context.Context, realm, user, since, asOf string) (account auth.PortalSession, known bool) {
	id, err := uuid.Parse(p.sessions.GetString(ctx, user))
	account = auth.PortalSession{Realm: p.sessions.GetString(ctx, realm), UserID: id, Since: time.UnixMicro(p.sessions.GetInt64(ctx, since))}
	if p.sessions.Exists(ctx, asOf) {
		account.AsOf = time.UnixMicro(p.sessions.GetInt64(ctx, asOf)).UTC()
	}
	return account, err == nil
}

// Address returns the client address of the request.
func Address(c echo.Context) string {
	known := request.Address(c.Request().Context())
	if known != "" {
		return known
	}
	return c.RealIP()
}

// sessionLeft returns the remaining life of the session of a visit; zero without a session.
func (p *Portal) sessionLeft(v *Request) time.Duration {
	if v.By.UserName == "" {
		return 0
	}
	since := p.sessions.GetInt64(v.Context(), keySince)
	return time.UnixMicro(since).Add(sessionLife).Sub(v.At)
}

// hadSession reports whether the browser sent a session cookie at all.
func (v *Request) hadSession() bool {
	return cookieOf(v.Echo, v.portal.sessions.Cookie.Name) != ""
}

// EndSession ends the session of this request.
func (v *Request) EndSession() error {
	err := v.tellEnd(store.EndedBySignOut)
	if err != nil {
		return err
	}
	return v.portal.sessions.Destroy(v.Context())
}

// tellEnd ends the session of a signed-in person and records it in the audit trail.
func (v *Request) tellEnd(reason string) error {
	by, signedIn, err := v.SignedInAs()
	if err != nil || !signedIn {
		return err
	}
	token := v.portal.sessions.Token(v.Context())
	v.setCookie(v.leftCookie(), token, int(leftFor.Seconds()), http.SameSiteStrictMode)
	return v.Config.Sessions.End(v.Context(), store.SessionEnd{Token: token, By: by, Reason: reason, At: v.At})
}

// leftCookie names the cookie with the session that this browser left last, for forms from other windows.
func (v *Request) leftCookie() string { return v.portal.sessions.Cookie.Name + "-left" }

// SignedInAs returns the signed-in person; ok is false when nobody is.
func (v *Request) SignedInAs() (by identity.Principal, ok bool, err error) {
	return v.portal.principal(v.Echo)
}

// Refresh reads session and person again, and reports whether the session is still open.
func (v *Request) Refresh() (bool, error) {
	_, found, err := v.Config.Sessions.FindCtx(v.Context(), cookieOf(v.Echo, v.portal.sessions.Cookie.Name))
	if err != nil || !found {
		return false, err
	}
	var open bool
	v.By, open, err = v.SignedInAs()
	return open, err
}

// LocalPath returns the path if it is one of this portal, to continue after sign-in, else "/": never another site.
func LocalPath(given string) string {
	elsewhere := !strings.HasPrefix(given, "/") || strings.HasPrefix(given, "//") || strings.ContainsAny(given, "\\\r\n\t")
	if elsewhere || strings.HasPrefix(given, "/sign") {
		return "/"
	}
	parsed, err := url.Parse(given)
	if err != nil || parsed.IsAbs() || parsed.Host != "" {
		return "/"
	}
	return given
}

// leftFor is the time during which a form can still belong to a session that was signed out.
const leftFor = 15 * time.Minute

// LapsedOwner returns the owner of the session in the cookie if it expired or ended recently, or of the last session signed out in this
// browser; known is false for none.
func (v *Request) LapsedOwner() (owner identity.Principal, known bool, err error) {
	for _, name := range []string{v.portal.sessions.Cookie.Name, v.leftCookie()} {
		token := cookieOf(v.Echo, name)
		if token == "" {
			continue
		}
		data, found, err := v.Config.Sessions.LapsedCtx(v.Context(), token, v.At.Add(-store.LapsedFor))
		if err != nil {
			return identity.Principal{}, false, err
		}
		if found {
			return v.ownerIn(data)
		}
	}
	return identity.Principal{}, false, nil
}

// ownerIn parses the owner from the data of a session.
func (v *Request) ownerIn(data []byte) (owner identity.Principal, known bool, err error) {
	_, values, err := v.portal.sessions.Codec.Decode(data)
	if err != nil {
		return identity.Principal{}, false, err
	}
	realm, _ := values[keyRealm].(string)
	text, _ := values[keyUser].(string)
	name, _ := values[keyName].(string)
	user, err := uuid.Parse(text)
	return identity.Principal{Realm: realm, UserID: user, UserName: name}, err == nil && realm != "", nil
}

// whose names the person whose pages are shown now, as forms send it back.
func (v *Request) whose() string { return v.By.Realm + "/" + v.By.UserName }

// madeFor returns the person named in the submitted form, "" for a form without one. is is false for a request without a readable form,
// which its handler refuses.
func (v *Request) madeFor() (person string, is bool) {
	r := v.Echo.Request()
	switch {
	case r.Method != http.MethodPost:
		return "", false
	case !strings.HasPrefix(r.Header.Get(echo.HeaderContentType), echo.MIMEApplicationForm):
		return v.Echo.QueryParam(views.PersonField), true
	}
	form, err := v.Form()
	return form.Get(views.PersonField), err == nil
}

// ofAnother refuses a form whose page was made for another person than the one signed in. The input is saved for the person of the page, if
// that person was signed in last in this browser, and a typed reason is shown to be copied.
func (v *Request) ofAnother(madeFor string) error {
	v.Echo.SetRequest(v.Echo.Request().WithContext(views.ForPerson(v.Context(), v.whose())))
	err := v.prepare()
	if err != nil {
		return v.fail(err)
	}
	_, name, _ := strings.Cut(madeFor, "/")
	page := views.SignedInAsAnother(v.layout("", views.PlaceNone), name)
	owner, known, err := v.LapsedOwner()
	if err != nil {
		return v.fail(err)
	}
	if known && owner.Realm+"/"+owner.UserName == madeFor {
		now := v.By
		kept, err := keepAfterTimeout(v)
		v.By = now
		var unreadable *FormError
		if err != nil && !errors.As(err, &unreadable) {
			return v.fail(err)
		}
		if kept != "" {
			page.Text = i18n.Text("%s What you typed was saved. Sign in again as the same user to open the form as you left it.").With(page.Text)
			page.Also = []ui.Step{{Label: page.NextLabel, URL: page.NextURL}}
			page.NextLabel, page.NextURL = i18n.Text("Sign in as %s").With(name), "/signin?next="+url.QueryEscape(kept)
		}
	}
	if form, err := v.Form(); err == nil {
		page.Typed = cmp.Or(form.Get("reason"), form.Get("amendReason"), form.Get("duplicateReason"), form.Get("note"))
	}
	if !v.Fragment() {
		return v.Render(http.StatusConflict, views.ProblemPage(page))
	}
	v.Echo.Response().Header().Set("HX-Retarget", "#another") // above the form, which stays with what was typed
	v.Echo.Response().Header().Set("HX-Reswap", "innerHTML show:#another:top")
	return v.Render(http.StatusConflict, views.ProblemNotice(page))
}

// sessionFailure is an error of the session library while it loads or stores a session.
type sessionFailure struct{ err error }

type sessionFailureKey struct{}

// noteSessionFailure stores the error for withSession. The library has no other way to report it.
func noteSessionFailure(_ http.ResponseWriter, r *http.Request, err error) {
	failure, _ := r.Context().Value(sessionFailureKey{}).(*sessionFailure)
	if failure != nil {
		failure.err = err
	}
}

// withSession runs a handler within the session library. When loading or storing a session fails, an error page replaces the answer of the
// handler.
func (p *Portal) withSession(c echo.Context, used echo.HandlerFunc) error {
	failure, own := &sessionFailure{}, c.Response()
	c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), sessionFailureKey{}, failure)))
	c.SetResponse(echo.NewResponse(&heldBack{ResponseWriter: own, failure: failure}, c.Echo()))
	err := used(c)
	c.SetResponse(own)
	if failure.err != nil && !own.Committed {
		own.Header().Del(echo.HeaderLocation)
		return p.newRequest(c).fail(failure.err)
	}
	return err
}

// heldBack forwards an answer unless its session failed.
type heldBack struct {
	http.ResponseWriter
	failure *sessionFailure
}

// WriteHeader sends the status.
func (h *heldBack) WriteHeader(status int) {
	if h.failure.err == nil {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write sends a part of the body.
func (h *heldBack) Write(content []byte) (int, error) {
	if h.failure.err != nil {
		return len(content), nil
	}
	return h.ResponseWriter.Write(content)
}

// Unwrap returns the underlying writer for http.ResponseController.
func (h *heldBack) Unwrap() http.ResponseWriter { return h.ResponseWriter }
