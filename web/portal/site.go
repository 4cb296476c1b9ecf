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
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	adminpkg "countersign/internal/store/admin"
	"countersign/internal/store/integrity"
	"countersign/views"
	"countersign/web/request"
)

// EventsPath is the stream of live counts.
const EventsPath = "/events"

// FlightPath tells the page of a payment under way what became of it.
const FlightPath = "/payments/:id/flight"

// askedByPages are the routes that do not count as a use of the session: an open page alone must not keep somebody signed in.
var askedByPages = map[string]bool{EventsPath: true, FlightPath: true}

// IBANPath is the fragment with the details of an account number while a payment is typed.
const IBANPath = "/payments/iban"

// OutlookPath is the fragment with the preview of a payment form while it is typed.
const OutlookPath = "/payments/outlook"

// StayPath prolongs the session of somebody who was told that it is about to end.
const StayPath = "/stay"

// SiteConfig holds the dependencies and settings of the portal.
type SiteConfig struct {
	Auth       *auth.Station
	Submission *service.Payments
	Approval   *service.Approvals
	Admin      *service.Administration
	Reader     *store.Reader
	Drafts     *store.Drafts
	Desk       *store.Desk
	Sessions   *adminpkg.Sessions
	Rules      rulebook.Settings
	Now        func() time.Time // UTC in microseconds, as the database keeps times
	NewID      func() uuid.UUID // UUIDv7
	// Clearing shows the state of the gateway to its operators.
	Clearing *clearing.Service
	// Connections returns the state of the connections to clearing; nil for unknown.
	Connections func() []clearing.ConnectionStatus
	// Sealing returns the state of the sealing of the audit log; nil for unknown.
	Sealing func() integrity.SignerStanding
	// Verify checks the audit log of a realm against its seals; nil without seals.
	Verify func(context.Context, string) (integrity.Verification, error)
	Zone   *time.Location // of the banking day: Europe/Zurich
	Log    *slog.Logger

	Environment string    // DEMO, TEST or PROD, shown on each page
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

// Site holds the shared dependencies of all pages and the sessions of the people.
type Site struct {
	Config   SiteConfig
	sessions *scs.SessionManager
	keeper   keeper
	counter  *store.Counter
	figures  *store.SharedFigures
	acts     sync.Map // when each person sent a form last, by their id
}

// keeper keeps a form that was sent after the session had run out. The address it returns opens the form again as it was; it is ""
// when there was nothing to keep.
type keeper func(*Visit) (string, error)

// NewSite makes a site. It fails when a part is missing.
func NewSite(cfg SiteConfig, keep keeper) (*Site, error) {
	stations := cfg.Auth != nil && cfg.Submission != nil && cfg.Approval != nil && cfg.Admin != nil
	stores := cfg.Reader != nil && cfg.Drafts != nil && cfg.Desk != nil && cfg.Sessions != nil
	if !stations || !stores || cfg.Now == nil || cfg.NewID == nil || cfg.Zone == nil || cfg.Log == nil {
		return nil, errors.New("portal: stations, stores, clock, identifiers, time zone and log are needed")
	}
	s := &Site{Config: cfg, keeper: keep}
	s.sessions = s.newSessions()
	s.counter = store.NewCounter(cfg.Reader, cfg.CountsShared, views.MaxWaiting)
	s.figures = store.NewSharedFigures(cfg.Reader, cfg.FiguresShared, s.Config.Now)
	return s, nil
}

// Room makes the two functions a room lists its pages with. A room has a type of visit of its own, on which its pages stand; in makes one
// of a visit.
func Room[V any](site *Site, in func(*Visit) V) (get, post func(path string, handle func(V) error) request.Route) {
	route := func(method, path string, handle func(V) error) request.Route {
		return request.Route{Method: method, Path: path, Handle: site.signedIn(func(v *Visit) error { return handle(in(v)) })}
	}
	get = func(path string, handle func(V) error) request.Route { return route(http.MethodGet, path, handle) }
	post = func(path string, handle func(V) error) request.Route { return route(http.MethodPost, path, handle) }
	return get, post
}
