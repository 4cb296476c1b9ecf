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
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/web/request"
)

// EventsPath is the stream of live counts.
const EventsPath = "/events"

// FlightPath is polled by the page of a payment in progress.
const FlightPath = "/payments/:id/flight"

// askedByPages are the routes that do not count as a use of the session: an open page alone must not keep somebody signed in.
var askedByPages = map[string]bool{EventsPath: true, FlightPath: true}

// IBANPath is the fragment with the details of an account number while a payment is typed.
const IBANPath = "/payments/iban"

// OutlookPath is the fragment with the preview of a payment form while it is typed.
const OutlookPath = "/payments/outlook"

// StayPath prolongs a session that is about to end.
const StayPath = "/stay"

// Config holds the dependencies and settings of the portal.
type Config struct {
	Auth       *auth.Service
	Submission *service.Payments
	Approval   *service.Approvals
	Admin      *service.Administration
	Webhooks   *service.Webhooks
	Notices    *service.Notices
	Reader     *store.Reader
	Drafts     *store.Drafts
	Desk       *store.Desk
	Sessions   *store.Sessions
	Rules      rulebook.Settings
	Now        func() time.Time // UTC in microseconds, as the database keeps times
	NewID      func() uuid.UUID // UUIDv7
	// Clearing shows the state of the gateway to its operators.
	Clearing *clearing.Service
	// Connections returns the state of the connections to clearing.
	Connections func() []clearing.ConnectionStatus
	// Sealing returns the state of the sealing of the audit log; nil for unknown.
	Sealing func() integrity.SignerStanding
	// Checks returns the outcomes of the last integrity checks, by the rows they are of; nil for unknown.
	Checks func() (map[string]integrity.Outcome, error)
	// Verify checks the audit log of a realm against its seals; nil without seals.
	Verify func(context.Context, string) (integrity.Verification, error)
	// Evidence makes the bundle that proves a message without a database; nil without seals.
	Evidence func(ctx context.Context, realm string, message uuid.UUID) ([]byte, error)
	Zone     *time.Location // of the banking day: Europe/Zurich
	Log      *slog.Logger

	Environment string // DEMO, TEST or PROD, shown on each page
	House       views.House
	TLS         bool      // browsers reach the portal by https, directly or through a proxy
	Realm       string    // offered on the sign-in page; may be empty
	DemoHint    i18n.Text // a line on the sign-in page; empty outside the demo
	// OperatorRealm is the realm whose supervisors and administrators look after the gateway itself: they see the quarantine, whose
	// documents belong to no realm. With "" nobody does.
	OperatorRealm string
	// OneCheckerSession ends the other sessions of a checker who signs in.
	OneCheckerSession bool
	// SimulatorURL is the address of the demo's clearing simulator, which then has a page; "" outside the demo.
	SimulatorURL string
	// EventsPause is the time between two looks of a page's live counts; 0 means five seconds.
	EventsPause time.Duration
	// CountsShared is the time during which the pages of a realm share the counts of waiting messages; 0 disables sharing. After an action a
	// person gets fresh counts.
	CountsShared time.Duration
	// FiguresShared is the same for the figures of first pages about the last day and the last thirty.
	FiguresShared time.Duration
}

// Portal serves the pages.
type Portal struct {
	Config   Config
	sessions *scs.SessionManager
	counter  *store.Counter
	figures  *store.SharedFigures
	acts     sync.Map // when each person sent a form last, by their id
	streams  *streams
	// rights tell the streams when there is reason to look at them again.
	rights *store.Rights
	// simulator talks to the demo's simulator.
	simulator *http.Client
}

// New makes the portal. It fails when a part is missing.
func New(cfg Config) (*Portal, error) {
	services := cfg.Auth != nil && cfg.Submission != nil && cfg.Approval != nil && cfg.Admin != nil
	stores := cfg.Reader != nil && cfg.Drafts != nil && cfg.Desk != nil && cfg.Sessions != nil
	if !services || !stores || cfg.Now == nil || cfg.NewID == nil || cfg.Zone == nil || cfg.Log == nil {
		return nil, errors.New("portal: services, stores, clock, identifiers, time zone and log are needed")
	}
	if cfg.EventsPause <= 0 {
		cfg.EventsPause = defaultEventsPause
	}
	p := &Portal{
		Config: cfg, streams: &streams{each: map[uuid.UUID]int{}}, rights: store.NewRights(cfg.Reader, rightsShared),
		simulator: &http.Client{Timeout: simulatorWait},
	}
	p.sessions = p.newSessions()
	p.counter = store.NewCounter(cfg.Reader, cfg.CountsShared, views.MaxWaiting)
	p.figures = store.NewSharedFigures(cfg.Reader, cfg.FiguresShared, cfg.Now)
	return p, nil
}

func (p *Portal) get(path string, handle handler) request.Route {
	return p.route(http.MethodGet, path, handle)
}

func (p *Portal) post(path string, handle handler) request.Route {
	return p.route(http.MethodPost, path, handle)
}

// may returns the handler for people with a right: others get the error of right.
func may(right func(identity.Principal) error, handle handler) handler {
	return func(v *Request) error {
		err := right(v.By)
		if err != nil {
			return err
		}
		return handle(v)
	}
}

// with returns the handler for the subject of a page, such as the message that the path names.
func with[T any](read func(*Request) (T, error), handle func(*Request, T) error) handler {
	return func(v *Request) error {
		subject, err := read(v)
		if err != nil {
			return err
		}
		return handle(v, subject)
	}
}

// about returns the handler for a fixed subject, such as a kind of change.
func about[T any](handle func(*Request, T) error, subject T) handler {
	return func(v *Request) error { return handle(v, subject) }
}

// route returns the route of a page for signed-in people.
func (p *Portal) route(method, path string, handle handler) request.Route {
	return request.Route{Method: method, Path: path, Handle: p.signedIn(handle)}
}
