// Package portal serves the pages for people. It registers the pages of the roles, and holds those of all: sign-in, the dashboard, the
// stream of live counts, the profile.
//
// A handler reads the form, calls one service or the reader, and renders one view. It holds no rule about payments: package payment decides
// permissions, the services find the mistakes, and the handler places them beside the right field.
//
// Every page works without a script. A request with HX-Request gets a part of the page; a refused form returns 422 with everything that was
// typed; an accepted one returns 303. State changes by POST only, except for the sign-in of a user whom an identity provider sends back.
package portal

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/store"
)

// Config holds the dependencies of the portal.
type Config = SiteConfig

// Portal serves the pages.
type Portal struct {
	site    *Site
	streams *streams
	// pause is the time between two looks of a stream.
	pause time.Duration
	// rights tell the streams when there is reason to look at them again.
	rights *store.Rights
	// simulator talks to the demo's simulator.
	simulator *http.Client
}

// New makes the portal. It fails when a part is missing.
func New(cfg Config) (*Portal, error) {
	site, err := NewSite(cfg, keepAfterTimeout)
	if err != nil {
		return nil, err
	}
	p := &Portal{
		site: site, streams: newStreams(), pause: cfg.EventsPause, rights: store.NewRights(cfg.Reader, rightsShared),
		simulator: &http.Client{Timeout: simulatorWait},
	}
	if p.pause <= 0 {
		p.pause = defaultEventsPause
	}
	return p, nil
}

// Sessions is the middleware that loads and stores the session. It belongs around the portal's routes only: the API knows no cookie.
func (p *Portal) Sessions() echo.MiddlewareFunc { return p.site.SessionMiddleware() }
