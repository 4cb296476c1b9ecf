package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing"
	"countersign/internal/keyring"
	"countersign/internal/observability"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/web"
	clearingpkg "countersign/web/clearing"
)

// gateway holds the settings common to serve and demo.
type gateway struct {
	web.Settings
	DatabaseURL string
	// Pools are the sizes of the pools of connections to the database; zero values are the defaults.
	Pools       store.Connections
	Pooled      bool // a pooler stands before the database
	ReleaseKeys keyring.Ring
	TokenKeys   keyring.Ring
	AuditKeys   keyring.Ring // none: the audit trail is not sealed
	Marks       *store.Marks // nil: in memory only
	CheckFile   string       // in which check leaves its outcome; "" for none
	Rules       rulebook.Settings
	Network     clearing.Network
	Profiles    profile.Registry // in which form documents travel
	// Payee verifies the payees of payments in euro; nil verifies none.
	Payee payee.Verifier
	// Core is the port to core banking; nil for none. CreditUnasked lets incoming payments in when it is not reached.
	Core          clearing.Core
	CreditUnasked bool
	// Inbound receives documents of clearing until the context ends, where the transport does not deliver them to our own door.
	Inbound func(context.Context, func(context.Context, clearing.Document) error) error
	// Door is that for documents of clearing alone; nil for none.
	Door *clearingDoor
	// Refuse looks at a database with a current schema and says why this gateway must not serve it; nil takes any.
	Refuse func(context.Context, *store.Database, store.Readiness) error
	Log    *slog.Logger
	// Metrics are served on MetricsListener; both are nil for no metrics.
	Metrics         *observability.Metrics
	MetricsListener net.Listener
	DeliveryWorkers int // 0 for the default
	// WebhookNetworks are the networks beside the public ones that webhooks may reach.
	WebhookNetworks []netip.Prefix
	TracesEndpoint  string // of a collector; "" for none
	// Mail sends notices to people; nil sends none.
	Mail *service.MailConfig
	// Resting: nothing is delivered and no clock runs, so that what creating and approving cost is measured by itself.
	Resting bool
}

// countsShared is the time for which the pages of a realm share the counts of pending messages, figuresShared that for the figures of the
// last day and the last thirty.
const (
	countsShared  = time.Second
	figuresShared = 5 * time.Second
)

// admit lets clearing deliver documents with a token; "" admits nobody. With a door of its own it delivers those of the schemes that have a
// name there, under a certificate of that name.
func (g *gateway) admit(token string) {
	switch {
	case token == "":
	case g.Door == nil:
		g.Connections = append(g.Connections, clearingpkg.NewConnection(token, rulebook.Schemes()...))
	default:
		for scheme, name := range g.Door.names {
			connection := clearingpkg.NewConnection(token, scheme)
			connection.Name = name
			g.Connections = append(g.Connections, connection)
		}
	}
}

// run builds the parts and serves until ctx ends. It listens only when nothing speaks against serving. Requests and deliveries under
// way are finished.
func (g gateway) run(ctx context.Context, listen func() (net.Listener, error)) error {
	seal, err := payment.NewSealer(g.ReleaseKeys)
	if err != nil {
		return err
	}
	traces, err := g.collect(ctx)
	if err != nil {
		return err
	}
	defer closeTraces(ctx, traces)
	g.Log = slog.New(traces.Lines(g.Log.Handler()))
	db, err := store.Open(ctx, store.Config{
		URL: g.DatabaseURL, Connections: g.Pools, Pooled: g.Pooled, Seal: seal, TokenKeys: g.TokenKeys, Marks: g.Marks, Now: time.Now, Log: g.Log,
		Metrics: g.Metrics, Traces: traces,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	var ready store.Readiness
	examined := begun(func() (err error) { ready, err = g.examine(ctx, db); return err })
	parts, server, err := g.build(db, seal)
	refused := examined()
	if err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	err = prepare(ctx, parts)
	if err != nil {
		return err
	}
	listener, err := listen()
	if err != nil {
		return err
	}
	doors, err := g.Door.listen(g.Limits.Connections)
	if err != nil {
		return err
	}
	g.Log.InfoContext(ctx, "countersign is up", "address", listener.Addr().String(), "environment", g.Environment,
		"fourEyes", web.FourEyes(ready.Unguarded))
	g.tell(ctx, parts, ready)
	return g.work(ctx, parts, func(ctx context.Context) error { return server.Serve(ctx, listener, doors...) })
}

// begun does what waits for the database while the program goes on; done waits for its end.
func begun(work func() error) (done func() error) {
	ended := make(chan error, 1)
	go func() { ended <- work() }()
	return func() error { return <-ended }
}

// build makes the services and the doors before them.
func (g gateway) build(db *store.Database, seal payment.Sealer) (*service.Service, *web.Server, error) {
	parts, err := service.New(service.Config{
		Database: db, Seal: seal, TokenKeys: g.TokenKeys, AuditKeys: g.AuditKeys, Rules: g.Rules, Network: g.Network,
		Profiles: g.Profiles, Payee: g.Payee, Core: g.Core, CreditUnasked: g.CreditUnasked, Now: time.Now, Log: g.Log,
		OperatorRealm: g.OperatorRealm, Workers: g.DeliveryWorkers, WebhookNetworks: g.WebhookNetworks, CheckFile: g.CheckFile,
		Mail: g.Mail,
	})
	if err != nil {
		return nil, nil, err
	}
	g.CountsShared, g.FiguresShared = countsShared, figuresShared
	server, err := web.Open(parts, g.Settings)
	return parts, server, err
}

// prepare reads the reference data of the services and checks the keys against the stored rows.
func prepare(ctx context.Context, parts *service.Service) error {
	err := parts.ReadReferences(ctx)
	if err != nil {
		return err
	}
	err = parts.Messages.CheckKeys(ctx)
	if err != nil {
		return aboutKeys("COUNTERSIGN_RELEASE_KEY_FILE", err)
	}
	err = parts.Auth.CheckKeys(ctx)
	if err != nil {
		return aboutKeys("COUNTERSIGN_TOKEN_KEY_FILE", err)
	}
	if parts.Notary != nil {
		parts.Notary.Compare(ctx)
	}
	return nil
}

// aboutKeys names the setting that keys come from, unless it is the database that did not answer.
func aboutKeys(setting string, err error) error {
	if errors.Is(err, store.ErrBusy) || errors.Is(err, store.ErrUnavailable) {
		return fmt.Errorf("hold the keys against what is stored: %w", err)
	}
	return fmt.Errorf("%s: %w", setting, err)
}

// tell says in the log how the gateway stands at its start.
func (g gateway) tell(ctx context.Context, parts *service.Service, ready store.Readiness) {
	if parts.Notary == nil {
		g.Log.WarnContext(ctx, "the audit trail is not sealed: give a file of keys with COUNTERSIGN_AUDIT_KEY_FILE (countersign key new --id ID)")
	}
	if words := web.Directories(ready.Directories, time.Now()); words != "ok" {
		g.Log.WarnContext(ctx, "directories of banks", "state", words)
	}
	for data, words := range web.References(ready.References, time.Now()) {
		g.Log.InfoContext(ctx, "reference data in force", "data", data, "edition", words)
	}
}

// work serves until ctx ends. Deliveries, the clock and inbound documents continue until the last request is answered.
func (g gateway) work(ctx context.Context, parts *service.Service, serve func(context.Context) error) error {
	group, serving := errgroup.WithContext(ctx)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	if !g.Resting {
		group.Go(func() error { return parts.Clearing.Run(working) })
	}
	group.Go(func() error {
		defer stop()
		return serve(serving)
	})
	group.Go(func() error { parts.WatchReferences(working); return nil })
	if parts.Notary != nil {
		group.Go(func() error { parts.Notary.Watch(working); return nil })
	}
	if g.Inbound != nil {
		group.Go(func() error { return g.Inbound(working, parts.Clearing.Receive) })
	}
	if g.Metrics != nil {
		parts.Measure(working)
		group.Go(func() error { return g.serveMetrics(working) })
	}
	group.Go(func() error { return cleanUp(working, g.Log, parts.CleanUp) })
	group.Go(func() error { keepStatistics(working, g.Log, parts.Database.For(store.ForPages)); return nil })
	return g.within(ctx, group.Wait)
}

// stopWithin limits the end of the work after SIGTERM and the drain pause: orderly work ends earlier.
const stopWithin = 6 * time.Second

// within waits for the end of the work. After SIGTERM it gives up the rest in time, which the next start continues as after a crash.
func (g gateway) within(ctx context.Context, wait func() error) error {
	work := make(chan error, 1)
	go func() { work <- wait() }()
	select {
	case err := <-work:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-work:
		return err
	case <-time.After(g.Limits.Drain + stopWithin):
		g.Log.WarnContext(ctx, "some work did not end in time: the next start continues it")
		return nil
	}
}

// tracesWithin limits the export of the last traces at the end of the program.
const tracesWithin = 500 * time.Millisecond

// collect hands traces to a collector, if there is one.
func (g gateway) collect(ctx context.Context) (*observability.Traces, error) {
	if g.TracesEndpoint == "" {
		return nil, nil
	}
	return observability.Collect(context.WithoutCancel(ctx), g.TracesEndpoint, g.Log)
}

// closeTraces exports the last traces. A slow collector delays the end of the program by at most tracesWithin.
func closeTraces(ctx context.Context, traces *observability.Traces) {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesWithin)
	defer cancel()
	_ = traces.Close(late)
}

// examine refuses to start on a database that cannot serve, or must not be served.
func (g gateway) examine(ctx context.Context, db *store.Database) (store.Readiness, error) {
	ready, err := db.Ready(ctx)
	if err != nil {
		return ready, fmt.Errorf("look at the database: %w", err)
	}
	err = ready.Schema.Err()
	if err == nil && g.Refuse != nil {
		err = g.Refuse(ctx, db, ready)
	}
	if err != nil {
		return ready, err
	}
	renewed, err := db.RenewEventOrder(ctx)
	if renewed {
		g.Log.WarnContext(ctx, "the database was restored into another server: new events are behind the restored ones")
	}
	return ready, err
}

// statisticsEvery is the pause between two looks for tables without statistics.
const statisticsEvery = time.Minute

// keepStatistics makes statistics that the server lacks, so that plans do not hang on those of a smaller database.
func keepStatistics(ctx context.Context, log *slog.Logger, db *store.Database) {
	ticker := time.NewTicker(statisticsEvery)
	defer ticker.Stop()
	for {
		made, err := db.MakeStatistics(ctx)
		if len(made) > 0 {
			log.InfoContext(ctx, "made the statistics of tables", "tables", len(made))
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
			log.WarnContext(ctx, "make statistics", "error", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cleanUpWithin limits one clean-up; the next one continues.
const cleanUpWithin = 2 * time.Minute

// cleanUp deletes expired rows every ten minutes.
func cleanUp(ctx context.Context, log *slog.Logger, drop func(context.Context) error) error {
	ticker := time.NewTicker(10 * time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(ctx, cleanUpWithin)
		err := drop(limited)
		cancel()
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "clean up", "error", err.Error())
		}
	}
}

// metricSettings are the address of /metrics and that of the trace collector.
type metricSettings struct {
	MetricsListen  string `help:"Listening address of /metrics, for Prometheus. Restrict it to operators. Default: none." env:"COUNTERSIGN_METRICS_LISTEN"`
	TracesEndpoint string `help:"Address of an OpenTelemetry collector for traces (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces. Default: none." env:"COUNTERSIGN_TRACES_ENDPOINT"`
}

// apply opens the address, if there is one, and has the gateway counted.
func (s *metricSettings) apply(g *gateway) error {
	if s.TracesEndpoint != "" {
		at, err := url.Parse(s.TracesEndpoint)
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
			return errors.New("COUNTERSIGN_TRACES_ENDPOINT: give an address such as http://127.0.0.1:4318/v1/traces")
		}
		g.TracesEndpoint = s.TracesEndpoint
	}
	if s.MetricsListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.MetricsListen)
	if err != nil {
		return fmt.Errorf("listen for the metrics (COUNTERSIGN_METRICS_LISTEN moves it): %w", err)
	}
	g.MetricsListener, g.Metrics = listener, observability.New()
	g.Log = slog.New(g.Metrics.CountAlarms(g.Log.Handler()))
	return nil
}

// serveMetrics answers Prometheus until ctx ends.
func (g gateway) serveMetrics(ctx context.Context) error {
	const within = 5 * time.Second
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.Metrics.Handler())
	server := &http.Server{
		Handler: mux, ReadTimeout: within, WriteTimeout: within, ErrorLog: slog.NewLogLogger(g.Log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(g.MetricsListener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the metrics: %w", err)
}
