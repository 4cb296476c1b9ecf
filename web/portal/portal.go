// Package portal is the door for people: sign-in, the maker's pages and the checker's pages. A handler reads the form, calls one
// station or the reader, and renders one view. It holds no rule about payments: whether somebody may do something is asked of package
// payment, what is wrong with a payment is said by the stations, and here it is only put beside the right field.
//
// Every page is complete without a script. A request with HX-Request gets the part of the page it asks for; a form that is refused
// comes back with 422 and everything that was typed; one that is taken answers 303. State changes by POST only.
package portal

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"countersign/internal/approval"
	"countersign/internal/auth"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/submission"
)

// Config is what the portal works with.
type Config struct {
	Auth       *auth.Station
	Submission *submission.Station
	Approval   *approval.Station
	Reader     *store.Reader
	Drafts     *store.Drafts
	Sessions   *store.SessionStore
	Rules      rulebook.Settings
	Now        func() time.Time
	NewID      func() uuid.UUID // UUIDv7
	Zone       *time.Location   // of the banking day: Europe/Zurich
	Log        *slog.Logger

	Environment string // DEMO, TEST or PROD, shown on each page
	TLS         bool   // browsers reach the portal by https, directly or through a proxy
	Realm       string // offered on the sign-in page; may be empty
	DemoHint    string // a line on the sign-in page; empty outside the demo
	// OperatorRealm is the realm whose supervisors and administrators look after the gateway itself: they see the quarantine, whose
	// documents belong to no realm. With "" nobody does.
	OperatorRealm string
	// SimulatorURL is the address of the demo's clearing simulator, which then has a page; "" outside the demo.
	SimulatorURL string
	// EventsPause is the time between two looks of a page's live counts; 0 means five seconds.
	EventsPause time.Duration
}

// Portal serves the pages.
type Portal struct {
	cfg      Config
	sessions *scs.SessionManager
	streams  streams
	// simulator talks to the demo's simulator.
	simulator *http.Client
}

// New makes the portal. It fails when a part is missing.
func New(cfg Config) (*Portal, error) {
	stations := cfg.Auth != nil && cfg.Submission != nil && cfg.Approval != nil
	stores := cfg.Reader != nil && cfg.Drafts != nil && cfg.Sessions != nil
	if !stations || !stores || cfg.Now == nil || cfg.NewID == nil || cfg.Zone == nil || cfg.Log == nil {
		return nil, errors.New("portal: stations, stores, clock, identifiers, time zone and log are needed")
	}
	if cfg.EventsPause <= 0 {
		cfg.EventsPause = defaultEventsPause
	}
	p := &Portal{cfg: cfg, streams: make(streams, maxStreams), simulator: &http.Client{Timeout: simulatorWait}}
	p.sessions = p.newSessions()
	return p, nil
}

// now is the time in the resolution the database keeps.
func (p *Portal) now() time.Time { return p.cfg.Now().UTC().Truncate(time.Microsecond) }
