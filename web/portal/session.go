package portal

import (
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
	"countersign/internal/identity"
	"countersign/web/request"
)

// How long a session lasts: since the last request, and since sign-in.
const (
	sessionIdle = 15 * time.Minute
	sessionLife = 12 * time.Hour
)

// What a session holds: who signed in, and a sentence for the next page. Roles are not kept: they are read for each request.
const (
	keyRealm  = "realm"
	keyUser   = "user"
	keyStatus = "status"
)

func (p *Portal) newSessions() *scs.SessionManager {
	m := scs.New()
	m.Store = p.cfg.Sessions
	m.IdleTimeout, m.Lifetime = sessionIdle, sessionLife
	m.Cookie.Name = "sid"
	if p.cfg.TLS {
		m.Cookie.Name, m.Cookie.Secure = "__Host-sid", true
	}
	m.Cookie.HttpOnly, m.Cookie.Persist = true, false
	// Strict: no page of another site can make a request that counts as signed in, not even by a link. A link from a mail therefore
	// arrives without the cookie; reopen takes care of that.
	m.Cookie.SameSite = http.SameSiteStrictMode
	m.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		p.cfg.Log.ErrorContext(r.Context(), "session store", "error", err)
		http.Error(w, "The portal is not available at the moment. Try again in a minute.", http.StatusServiceUnavailable)
	}
	return m
}

// Sessions is the middleware that loads and stores the session. It belongs around the portal's routes only: the API knows no cookie.
func (p *Portal) Sessions() echo.MiddlewareFunc {
	loadAndSave := echo.WrapMiddleware(p.sessions.LoadAndSave)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		used := loadAndSave(next)
		return func(c echo.Context) error {
			if c.Path() != eventsPath {
				return used(c)
			}
			token := ""
			if cookie, err := c.Cookie(p.sessions.Cookie.Name); err == nil {
				token = cookie.Value
			}
			ctx, err := p.sessions.Load(c.Request().Context(), token)
			if err != nil {
				return err
			}
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	}
}

// startSession binds the session to a person under a new token, so that one known before sign-in is worth nothing.
func (p *Portal) startSession(ctx context.Context, by identity.Principal) error {
	err := p.sessions.RenewToken(ctx)
	if err != nil {
		return err
	}
	p.sessions.Put(ctx, keyRealm, by.Realm)
	p.sessions.Put(ctx, keyUser, by.UserID.String())
	return nil
}

// principal finds who is signed in, with the roles of this moment. ok is false when nobody is, or no longer may be: the session then
// ends.
func (p *Portal) principal(c echo.Context) (by identity.Principal, ok bool, err error) {
	ctx := c.Request().Context()
	id, err := uuid.Parse(p.sessions.GetString(ctx, keyUser))
	if err != nil {
		return identity.Principal{}, false, nil
	}
	by, err = p.cfg.Auth.PortalPrincipal(ctx, p.sessions.GetString(ctx, keyRealm), id)
	if errors.Is(err, auth.ErrUnauthorized) {
		return identity.Principal{}, false, p.sessions.Destroy(ctx)
	}
	if err != nil {
		return identity.Principal{}, false, err
	}
	by.SourceAddress = address(c)
	return by, true, nil
}

// address is where the request came from.
func address(c echo.Context) string {
	known := request.Address(c.Request().Context())
	if known != "" {
		return known
	}
	return c.RealIP()
}

// hadSession reports whether the browser sent a session cookie at all.
func (p *Portal) hadSession(c echo.Context) bool {
	_, err := c.Cookie(p.sessions.Cookie.Name)
	return err == nil
}

// localPath returns a path of this portal to go on to after sign-in, or "/" for anything else: never another site.
func localPath(given string) string {
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
