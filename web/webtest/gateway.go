// Package webtest is the whole gateway on a database of a test's own, and the calls the demo's people make of it. Every answer is held
// against the OpenAPI document. It stands apart from stationtest, because tests below the web do without doors. Only tests import it.
package webtest

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	station "countersign/internal/clearing"
	"countersign/internal/payee"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/clearing"
)

// ClearingToken lets the tests in at the door of clearing, for Swiss payments only.
const ClearingToken = "test-clearing-token-canary"

// Gateway is the services of a gateway with their doors.
type Gateway struct {
	*servicetest.Env
	Server *web.Server
	Log    *testutil.Log // everything that is logged
	// Impatient limits the wait of the client in the next requests, in nanoseconds; 0 is no limit.
	Impatient atomic.Int64

	tokens sync.Map // bearer tokens by Person
}

// Options say how a gateway differs from the usual one. Settings are taken as they are, but for Environment and Connected, which are
// set, and Connections, which are those of ClearingToken if there are none.
type Options struct {
	web.Settings
	Pages web.Portal // the door for people; nil for none
	// Payee verifies payees; nil verifies none.
	Payee payee.Verifier
	// Core is the port to core banking; nil for none.
	Core station.Core
	// Database opens the database in another way than with the test's own connections.
	Database func(*storetest.DB, *slog.Logger) *store.Database
}

// New sets the usual gateway up: its clock stands at half past nine (UTC) of 20 November 2026, the day of the samples, and it reaches
// the clearing of both schemes.
func New(t testing.TB) *Gateway {
	t.Helper()
	return With(t, Options{})
}

// With sets a gateway up that differs from the usual one.
func With(t testing.TB, options Options) *Gateway {
	t.Helper()
	g := &Gateway{Log: &testutil.Log{}}
	log := slog.New(slog.NewJSONHandler(g.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	below := servicetest.Options{
		Payee: options.Payee, Core: options.Core, At: time.Date(2026, time.November, 20, 9, 30, 0, 0, time.UTC),
		Log: log,
	}
	if options.Database != nil {
		below.Database = func(db *storetest.DB) *store.Database { return options.Database(db, log) }
	}
	g.Env = servicetest.With(t, below)
	set := options.Settings
	set.Environment = "TEST"
	set.Connected = map[rulebook.Scheme]bool{rulebook.SchemeSIC: true, rulebook.SchemeSCT: true}
	if set.Connections == nil {
		set.Connections = []clearing.Connection{clearing.NewConnection(ClearingToken, rulebook.SchemeSIC)}
	}
	server, err := web.OpenWith(g.Service, set, options.Pages)
	must(t, err)
	g.Server = server
	return g
}

// Rows counts the stored rows about payments, without tokens.
func (g *Gateway) Rows(t testing.TB) (count int) {
	t.Helper()
	must(t, g.DB.Owner(t).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM message_version)
		+ (SELECT count(*) FROM document) + (SELECT count(*) FROM decision) + (SELECT count(*) FROM release)
		+ (SELECT count(*) FROM message_history) + (SELECT count(*) FROM audit_event) + (SELECT count(*) FROM creation_key)
		+ (SELECT count(*) FROM inbox)`).Scan(&count))
	return count
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
