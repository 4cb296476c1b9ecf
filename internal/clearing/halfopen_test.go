package clearing_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// TestTheClockRunsOnWhenConnectionsSwallowEverything: the connections to the database are there, and nothing comes back on them. New ones
// work. Payments are unconfirmed when their time is over, and new ones are sent.
func TestTheClockRunsOnWhenConnectionsSwallowEverything(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	var line *storetest.Line
	now, forward := clockAhead()
	h := servicetest.With(t, servicetest.Options{Now: now, Database: func(db *storetest.DB) *store.Database {
		var through string
		line, through = db.Relay(t)
		database, err := store.Open(
			ctx, store.Config{URL: through, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler)},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})
	defer h.CheckInvariants(t)
	goingOn(t, h)
	began := h.Now()
	for round := 1; round <= 3; round++ {
		approveMany(t, h, rulebook.SchemeSIC, 2)
		until(t, h, round*2, "SELECT count(*) FROM message WHERE delivered_at IS NOT NULL")
		if round > 1 { // at the worst moment: when the clock is about to look at them
			var oldest time.Time
			must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT min(accepted_at) FROM message WHERE state <> 'Unconfirmed'").Scan(&oldest))
			forward(max(0, 9700*time.Millisecond-h.Now().Sub(oldest)))
		}
		line.Swallow()
		if round == 1 {
			forward(5 * time.Second)
		}
		until(t, h, round*2, "SELECT count(*) FROM message WHERE state = 'Unconfirmed'")
	}
	late := longest(t, h, rulebook.SchemeSIC, payment.StateUnconfirmed, began)
	t.Logf("the longest to unconfirmed: %s", late)
	// Half a second between two scans, and up to 3 s for the scan that finds the connections dead.
	if late > 15*time.Second+busyMachine {
		t.Errorf("payments were unconfirmed after up to %s", late)
	}
}

// breaker is a tracer that breaks all connections to the database before a statement of the name.
type breaker struct {
	line  *storetest.Line
	name  string
	times atomic.Int64 // left
	broke atomic.Int64
	alone atomic.Int64 // statements that make one message Unconfirmed
}

// before breaks them.
func (b *breaker) before(_ context.Context, _ *pgx.Conn, sql string, values []any) {
	if strings.Contains(sql, "-- name: "+b.name+" ") && b.times.Add(-1) >= 0 {
		b.line.Break()
		b.broke.Add(1)
	}
	for _, value := range values {
		if actions, is := value.([]string); is && slices.Equal(actions, []string{"time out"}) {
			b.alone.Add(1)
		}
	}
}

// behindABreaker is a gateway whose connections to its database break as the breaker says.
func behindABreaker(t *testing.T, b *breaker) *servicetest.Env {
	t.Helper()
	return servicetest.With(t, servicetest.Options{Database: func(db *storetest.DB) *store.Database {
		var through string
		b.line, through = db.Relay(t)
		database, err := store.Open(ctx, store.Config{
			URL: through, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler), Tracer: storetest.BeforeStatement(b.before),
		})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
}

// TestNoPaymentPausesForAConnectionThatBroke: one payment is overdue, and each time that the clock moves it, its connections break. As soon
// as one does not, the payment is unconfirmed: what happened to the connections is not held against it.
func TestNoPaymentPausesForAConnectionThatBroke(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const broken = 6
	b := &breaker{name: "MessageMove"}
	h := behindABreaker(t, b)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	h.Clock.Add(10*time.Second + time.Millisecond)
	b.times.Store(broken)
	for range 3 * broken { // the clock of the gateway stands still: no pause ends
		h.Clearing.RunOnce(ctx)
	}
	if b.broke.Load() != broken {
		t.Errorf("the connections broke %d times, want %d", b.broke.Load(), broken)
	}
	want{state: payment.StateUnconfirmed}.check(t, h, m)
}

// TestWhatIsOverdueIsMovedTogetherAfterConnectionsBroke: each time that the clock moves what is overdue, its connections break. As soon as
// one does not, all of it is unconfirmed by one statement: nothing was learnt of any payment that would have it moved by itself.
func TestWhatIsOverdueIsMovedTogetherAfterConnectionsBroke(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const broken, payments = 6, 20
	b := &breaker{name: "MessageMove"}
	h := behindABreaker(t, b)
	defer h.CheckInvariants(t)
	var last payment.Message
	for range payments {
		last = approved(t, h, rulebook.SchemeSIC)
		send(t, h, last)
	}
	h.Clock.Add(10*time.Second + time.Millisecond)
	b.alone.Store(0)
	b.times.Store(broken)
	for range 3 * broken {
		h.Clearing.RunOnce(ctx)
	}
	var unconfirmed int
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM message WHERE state = 'Unconfirmed'").Scan(&unconfirmed))
	if b.broke.Load() != broken || unconfirmed != payments || b.alone.Load() > 0 {
		t.Errorf("after %d connections that broke, %d of %d payments are unconfirmed, and %d statements were about one of them",
			b.broke.Load(), unconfirmed, payments, b.alone.Load())
	}
	want{state: payment.StateUnconfirmed}.check(t, h, last)
}
