// Package portal is the door for people. It puts the rooms together, each named after who works in it or what is done there (maker,
// checker, administrator, beneficiary, records, rtransaction), and holds what belongs to none: sign-in, the dashboard, the stream of live
// counts, the profile.
//
// A handler reads the form, calls one station or the reader, and renders one view. It holds no rule about payments: whether somebody may
// do something is asked of package payment, what is wrong with a payment is said by the stations, and here it is only put beside the
// right field.
//
// Every page is complete without a script. A request with HX-Request gets the part of the page it asks for; a form that is refused
// comes back with 422 and everything that was typed; one that is taken answers 303. State changes by POST only, but for the sign-in of
// somebody whom an identity provider sends back.
package portal

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/store"
)

// Config is what the portal works with.
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
