// Package web is the server: it puts the doors (API, portal, clearing) and the operator's pages into one route table, with the
// middleware that belongs around each. It decides nothing about payments.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/net/netutil"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/web/api"
	clearingpkg "countersign/web/clearing"
	"countersign/web/request"
	"countersign/web/vop"
)

// Limits of connections; the configurable ones are in Limits. readTimeout is longer than any request may take, because net/http applies it
// also while a handler runs: it then waits in the read for the client to hang up. A request with both Content-Length and Transfer-Encoding
// needs no rule of ours: net/http reads the chunks alone (RFC 9112 section 6.1), and closes the connection when it cannot parse them.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = pageLimit + 5*time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	// finishTimeout limits the requests in progress when the server stops; after it their contexts end.
	finishTimeout = 4 * time.Second
	// shutdownTimeout is the time after which all connections are closed: longer than finishTimeout, so that an answer still gets out.
	shutdownTimeout = 5 * time.Second
)

// Portal is the door for people.
type Portal interface {
	// Routes lists every page.
	Routes() []request.Route
	// Sessions is the middleware around them.
	Sessions() echo.MiddlewareFunc
}

// Config holds the dependencies and settings of a Server.
type Config struct {
	API     *api.API
	Inbound *clearingpkg.Door
	// Questions is the door for banks that ask about payees.
	Questions *vop.Door
	Portal    Portal          // nil for a server without pages
	Database  *store.Database // asked for readiness only
	Now       func() time.Time
	NewID     func() uuid.UUID // UUIDv7: the server's id of each request
	Log       *slog.Logger

	// Connected says of each scheme whether the gateway has a way to its clearing, Connections how that way stands.
	Connected   map[rulebook.Scheme]bool
	Connections func() []clearing.ConnectionStatus
	// Sealing returns the state of the signing of the audit trail.
	Sealing func() integrity.SignerStanding
	// Wait returns how long approved payments wait for their delivery; the server takes fewer calls while they wait.
	Wait func() time.Duration

	Zone         *time.Location // of the day in the examples of the description
	Realm        string         // in which the page of the description signs in; "" for the demo's
	SimulatorURL string         // address of the demo's simulator; "" elsewhere

	Environment string // DEMO, TEST or PROD
	TLS         bool   // clients reach the server by https, directly or through a proxy
	// TrustedProxies are the networks of the proxies in front. Only from there X-Forwarded-For, -Proto and -Host are believed.
	TrustedProxies []netip.Prefix
	Limits         Limits
}

// Server answers requests.
type Server struct {
	cfg    Config
	echo   *echo.Echo
	routes []request.Route
	// streams are the paths whose answers go on until somebody ends them.
	streams map[string]bool
	// waits are the paths whose contexts end when the server stops: streams, and calls that wait for an event.
	waits map[string]bool
	// addresses and principals count the calls of each.
	addresses  *buckets[string]
	principals *buckets[caller]

	last     atomic.Pointer[look] // at the database; nil before the first
	unready  atomic.Bool          // the log says so
	stopping atomic.Bool
}

// New makes the server. It fails when a part is missing.
func New(cfg Config) (*Server, error) {
	if cfg.API == nil || cfg.Inbound == nil || cfg.Questions == nil || cfg.Database == nil || cfg.Now == nil ||
		cfg.NewID == nil || cfg.Log == nil || cfg.Connections == nil || cfg.Sealing == nil || cfg.Wait == nil {
		return nil, errors.New("web: doors, database, clock, identifiers, log and clearing's connections are needed")
	}
	cfg.Limits = cfg.Limits.withDefaults()
	s := &Server{
		cfg: cfg, echo: echo.New(), addresses: newBuckets[string](cfg.Limits.PerAddress),
		principals: newBuckets[caller](cfg.Limits.PerPrincipal), streams: map[string]bool{}, waits: map[string]bool{},
	}
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.IPExtractor = clientAddress(cfg.TrustedProxies)
	s.echo.HTTPErrorHandler = s.fail
	all := surrounded(matched, s.traced, s.identify, s.logged, recovered(), s.secured, s.endStream)
	s.echo.Use(func(echo.HandlerFunc) echo.HandlerFunc { return all })
	return s, s.register()
}

// Handler is the server as a handler, for tests and for other listeners.
func (s *Server) Handler() http.Handler { return s.echo }

// Routes is a copy of the whole table, in the order of registration.
func (s *Server) Routes() []request.Route {
	return append([]request.Route(nil), s.routes...)
}

// handle answers a request. TLS ends here only at the door for clearing, which leads nowhere else.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	if r.TLS != nil && !strings.HasPrefix(r.URL.Path, clearingpkg.Path) {
		http.NotFound(w, r)
		return
	}
	s.echo.ServeHTTP(w, r)
}

// errCut: a request was not done when the program had to end, which is not its client's doing.
var errCut = errors.New("the request was cut off by the end of the program")

// Serve answers requests until the context ends. After that /readyz says that it is not ready, while requests are still taken for
// Limits.Drain, in which a balancer turns to other servers. Then the requests in progress finish, so that the client of a decision that is
// being written still gets its answer. Streams end with the context.
// doors are listeners with TLS for documents of clearing alone.
func (s *Server) Serve(ctx context.Context, listener net.Listener, doors ...net.Listener) error {
	requests, end := context.WithCancelCause(withStop(context.WithoutCancel(ctx), ctx))
	cut := func() { end(errCut) }
	defer cut()
	server := &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      s.cfg.Limits.Write, // streams lift it, and time each write
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelWarn),
	}
	go s.keepLooking(requests)
	ended := make(chan error, 1+len(doors))
	go func() { ended <- server.Serve(netutil.LimitListener(listener, s.cfg.Limits.Connections)) }()
	for _, door := range doors {
		go func() { ended <- server.Serve(door) }()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	time.Sleep(s.cfg.Limits.Drain)
	defer time.AfterFunc(finishTimeout, cut).Stop()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(late)
	if err == nil {
		return nil
	}
	s.cfg.Log.WarnContext(ctx, "connections of clients are closed: their requests did not end in time")
	err = server.Close()
	if err != nil {
		return fmt.Errorf("stop the server: %w", err)
	}
	return nil
}
