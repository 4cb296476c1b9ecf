//go:build long

package clearing_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/clearing"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// witness sees what the clock asks the database, and what the gateway logs, so that a payment that becomes Unconfirmed late explains itself.
type witness struct {
	now func() time.Time
	log testutil.Log

	mu   sync.Mutex
	seen []sight
}

// sees are the options of a gateway whose clock the witness sees, with a clearing and the address of its database.
func (w *witness) sees(t *testing.T, network clearing.Network, address func(*storetest.DB) string) servicetest.Options {
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	return servicetest.Options{Now: w.now, Log: log, Clearing: network, Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(
			ctx, store.Config{URL: address(db), Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log, Tracer: w},
		)
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}}
}

// sight is a round trip of the clock, or a new connection of whomever.
type sight struct {
	span
	what string
	err  error
}

// clockStatements are what looks for overdue payments ask.
var clockStatements = []string{"MessageListOverdue", "MessageGet", "DecisionList", "MessageMove"}

type sightKey struct{}

func (w *witness) begin(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, sightKey{}, sight{span: span{from: w.now()}, what: what})
}

func (w *witness) end(ctx context.Context, err error) {
	one, begun := ctx.Value(sightKey{}).(sight)
	if !begun || one.what == "" {
		return
	}
	one.to, one.err = w.now(), err
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, one)
}

// TraceBatchStart begins to watch one of the clock.
func (w *witness) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	what := ""
	for _, statement := range data.Batch.QueuedQueries {
		if name := nameOf(statement.SQL, statement.Arguments); slices.Contains(clockStatements, name) {
			what = fmt.Sprintf("%s (%d)", name, len(data.Batch.QueuedQueries))
		}
	}
	return w.begin(ctx, what)
}

// TraceBatchQuery does nothing.
func (*witness) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd has seen it.
func (w *witness) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	w.end(ctx, data.Err)
}

// TraceQueryStart begins to watch what settles or tries a connection.
func (w *witness) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	what := ""
	if name := nameOf(data.SQL, data.Args); slices.Contains(clockStatements, name) {
		what = name
	}
	if strings.HasPrefix(data.SQL, "SET ROLE") || strings.HasPrefix(data.SQL, "-- ping") {
		what = "connection: " + data.SQL[:7]
	}
	return w.begin(ctx, what)
}

// TraceQueryEnd has seen it.
func (w *witness) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	w.end(ctx, data.Err)
}

// explains tells of the payments that were later than some time when they were due, when they became Unconfirmed, and of what the clock did
// from a second before: what it asked, how long that took, and what it failed with; then what the gateway logged.
func (w *witness) explains(t *testing.T, h *servicetest.Env, than time.Duration, away span) {
	t.Helper()
	if w == nil {
		return
	}
	rows, err := h.DB.Owner(t).Query(ctx, `
SELECT m.global_id, m.accepted_at + interval '10 seconds', y.at FROM message m JOIN message_history y USING (realm, message_id)
WHERE y.action = 'time out' AND y.at - m.accepted_at > interval '10 seconds' + $1 ORDER BY 2 LIMIT 5`, than)
	must(t, err)
	var id string
	var due, at, first, last time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &due, &at}, func() error {
		if first.IsZero() {
			first = due
		}
		last = at
		t.Logf("late: %s was due at %s and Unconfirmed at %s", id, clockTime(due), clockTime(at))
		return nil
	})
	must(t, err)
	if first.IsZero() {
		return
	}
	t.Logf("the database was away from %s to %s", clockTime(away.from), clockTime(away.to))
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.seen {
		if one.to.After(first.Add(-time.Second)) && one.from.Before(last.Add(time.Second)) {
			t.Logf("  %s + %6s %s %v", clockTime(one.from), one.to.Sub(one.from).Round(time.Millisecond), one.what, one.err)
		}
	}
	t.Logf("the house logged:\n%s", w.log.String())
}

func clockTime(at time.Time) string { return at.UTC().Format("15:04:05.000") }
