package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/internal/approval"
	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/submission"
	"countersign/web"
	"countersign/web/api"
	"countersign/web/inbound"
	"countersign/web/portal"
)

// gateway is what serve and demo have in common: everything but where the settings come from.
type gateway struct {
	DatabaseURL string
	ReleaseKeys keyring.Ring
	TokenKeys   keyring.Ring
	Environment string // shown on every page: DEMO, TEST or PROD
	TLS         bool   // the portal is reached through HTTPS
	Realm       string // offered on the sign-in page, "" for none
	SignInHint  string // a line on the sign-in page, "" for none
	// SimulatorURL is the address of the demo's simulator, which then has a page; "" elsewhere.
	SimulatorURL string
	// OperatorRealm is the realm whose supervisors and administrators see what clearing sent to nobody; "" for none.
	OperatorRealm string
	Rules         rulebook.Settings
	Network       clearing.Network
	Connected     map[rulebook.Scheme]bool // the schemes that Network reaches
	// Inbound receives documents of clearing until the context ends, where the transport does not deliver them to our own door.
	Inbound func(context.Context, func(context.Context, clearing.Document) error) error
	// ClearingToken is what clearing shows when it delivers; "" lets nobody deliver.
	ClearingToken string
	// TrustedProxies are the networks of the proxies in front, and Limits what the doors take; zero values are the defaults.
	TrustedProxies []netip.Prefix
	Limits         web.Limits
	// Refuse looks at a database with a current schema and says why this gateway must not serve it; nil takes any.
	Refuse func(context.Context, *store.Reader, store.Readiness) error
	Log    *slog.Logger
}

// run builds the parts and serves until ctx ends. It listens only when nothing speaks against serving. Requests and deliveries under
// way are finished.
func (g gateway) run(ctx context.Context, listen func() (net.Listener, error)) error {
	seal, err := payment.NewSealer(g.ReleaseKeys)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{URL: g.DatabaseURL, Seal: seal, Log: g.Log})
	if err != nil {
		return err
	}
	defer db.Close()
	jobs, err := store.NewJobs(db, g.Log)
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		return fmt.Errorf("load the banks' time zone: %w", err)
	}
	writer := store.NewStore(db, jobs, newID)
	parts := stations{
		clearing: clearing.New(clearing.Config{
			Store: writer, Network: g.Network, Rules: g.Rules, Seal: seal, Now: time.Now, NewID: newID, Random: random, Zone: zone, Log: g.Log,
		}),
		submission: submission.New(submission.Config{
			Store: writer, Rules: g.Rules, Seal: seal, Now: time.Now, NewID: newID, Random: random, Zone: zone,
		}),
		approval: approval.New(approval.Config{Store: writer, Rules: g.Rules, Seal: seal, Now: time.Now, Zone: zone}),
	}
	parts.auth, err = auth.New(auth.Config{Database: db, Now: time.Now, Keys: g.TokenKeys, Log: g.Log})
	if err != nil {
		return err
	}
	server, err := g.server(db, parts, zone)
	if err != nil {
		return err
	}
	ready, err := g.examine(ctx, store.NewReader(db))
	if err != nil {
		return err
	}
	err = writer.CheckKeys(ctx)
	if err != nil {
		return fmt.Errorf("COUNTERSIGN_RELEASE_KEY_FILE: %w", err)
	}
	listener, err := listen()
	if err != nil {
		return err
	}
	g.Log.InfoContext(ctx, "countersign is up", "address", listener.Addr().String(), "environment", g.Environment,
		"fourEyes", web.FourEyes(ready.Unguarded))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Serve(ctx, listener) })
	group.Go(func() error { return jobs.Run(ctx, db, parts.clearing.Handlers()) })
	group.Go(func() error { parts.clearing.Watch(ctx); return nil })
	if g.Inbound != nil {
		group.Go(func() error { return g.Inbound(ctx, parts.clearing.Receive) })
	}
	group.Go(func() error {
		return cleanUp(ctx, g.Log, parts.auth.CleanUp, func(ctx context.Context) (int64, error) { return db.CleanPortal(ctx, time.Now()) })
	})
	return group.Wait()
}

// server opens the doors: API, clearing and portal.
func (g gateway) server(db *store.Database, parts stations, zone *time.Location) (*web.Server, error) {
	reader := store.NewReader(db)
	calls, err := api.New(api.Config{
		Auth: parts.auth, Submission: parts.submission, Approval: parts.approval, Reader: reader, Now: time.Now, Log: g.Log, TLS: g.TLS,
	})
	if err != nil {
		return nil, err
	}
	var connections []inbound.Connection
	if g.ClearingToken != "" {
		connections = append(connections, inbound.NewConnection(g.ClearingToken, rulebook.Schemes()...))
	}
	documents, err := inbound.New(inbound.Config{Station: parts.clearing, Connections: connections, Now: time.Now})
	if err != nil {
		return nil, err
	}
	sessions, err := store.NewSessionStore(db, g.TokenKeys, time.Now)
	if err != nil {
		return nil, err
	}
	pages, err := portal.New(portal.Config{
		Auth: parts.auth, Submission: parts.submission, Approval: parts.approval, Reader: reader, Drafts: store.NewDrafts(db),
		Sessions: sessions, Rules: g.Rules, Now: time.Now, NewID: newID, Zone: zone, Log: g.Log,
		Environment: g.Environment, TLS: g.TLS, Realm: g.Realm, DemoHint: g.SignInHint, SimulatorURL: g.SimulatorURL, OperatorRealm: g.OperatorRealm,
	})
	if err != nil {
		return nil, err
	}
	return web.New(web.Config{
		API: calls, Inbound: documents, Portal: pages, Reader: reader, Now: time.Now, NewID: newID, Log: g.Log,
		Connected: g.Connected, Environment: g.Environment, TLS: g.TLS, TrustedProxies: g.TrustedProxies, Limits: g.Limits,
	})
}

// examine refuses to start on a database that cannot serve, or must not be served.
func (g gateway) examine(ctx context.Context, reader *store.Reader) (store.Readiness, error) {
	ready, err := reader.Ready(ctx)
	if err != nil {
		return ready, fmt.Errorf("look at the database: %w", err)
	}
	err = ready.Schema.Err()
	if err == nil && g.Refuse != nil {
		err = g.Refuse(ctx, reader, ready)
	}
	return ready, err
}

// stations are the parts that do the work behind the doors.
type stations struct {
	submission *submission.Station
	approval   *approval.Station
	clearing   *clearing.Station
	auth       *auth.Station
}

// cleanUp removes what is over, every ten minutes: dead tokens, old counters of failed sign-ins, ended sessions, old drafts.
func cleanUp(ctx context.Context, log *slog.Logger, works ...func(context.Context) (int64, error)) error {
	ticker := time.NewTicker(10 * time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, work := range works {
			_, err := work(ctx)
			if err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "clean up", "error", err.Error())
			}
		}
	}
}

func newID() uuid.UUID {
	id, err := uuid.NewV7()
	if err != nil {
		panic(err) // the system has no randomness left
	}
	return id
}

func random() (b [4]byte) {
	_, _ = rand.Read(b[:]) // never fails
	return b
}
