package clearing_test

import (
	"context"
	"fmt"
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

// nameOf returns the name of a statement, "" for a list of another realm than demo.
func nameOf(sql string, values []any) string {
	_, name, _ := strings.Cut(sql, "-- name: ")
	name, _, _ = strings.Cut(name, " ")
	if name == "MessageListOverdue" && !slices.ContainsFunc(values, func(value any) bool { return value == "demo" }) {
		return ""
	}
	return name
}

// delayed is a tracer that delays statements by name: until the caller cancels them, or for a time.
type delayed struct {
	name  string
	wait  time.Duration // 0: until the caller cancels
	times atomic.Int64  // how many more statements to delay
}

// before delays the statement.
func (d *delayed) before(ctx context.Context, conn *pgx.Conn, sql string, values []any) {
	switch {
	case nameOf(sql, values) != d.name || d.times.Add(-1) < 0:
	case d.wait > 0: // on the server, which would end an idle transaction
		_, _ = conn.PgConn().Exec(ctx, fmt.Sprintf("SELECT pg_sleep(%f)", d.wait.Seconds())).ReadAll()
	default:
		<-ctx.Done()
	}
}

// overdueUnder makes a payment overdue while the tracer delays its statements, and returns how late it became Unconfirmed.
func overdueUnder(t *testing.T, d *delayed, times int64) {
	t.Helper()
	now, forward := clockAhead()
	h := servicetest.With(t, servicetest.Options{Now: now, Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(ctx, store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Tracer: storetest.BeforeStatement(d.before)})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	goingOn(t, h)
	began := h.Now()
	m := approved(t, h, rulebook.SchemeSIC)
	inState(t, h, m, payment.StateProcessing) // over a connection without the tracer
	d.times.Store(times)
	forward(10 * time.Second)
	inState(t, h, m, payment.StateUnconfirmed)
	late := longest(t, h, rulebook.SchemeSIC, payment.StateUnconfirmed, began)
	t.Logf("Unconfirmed after %s", late)
	// Half a second until the scan, 3 s for its time-out and its retry.
	if late > 14*time.Second+busyMachine {
		t.Errorf("the payment was Unconfirmed after %s", late)
	}
	receive(t, h, answer(t, m, "A"+string(m.GlobalID), "ACSC", ""))
	h.CheckInvariants(t)
}

// TestAScanWithoutAReplyIsRetried: the database never answers one statement of the scan that finds a payment overdue. The payment becomes
// Unconfirmed within 3 s all the same.
func TestAScanWithoutAReplyIsRetried(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MessageListOverdue", "MessageGet", "MessageMove"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overdueUnder(t, &delayed{name: name}, 1)
		})
	}
}

// TestASlowDatabaseStillMovesOverduePayments: each list of overdue messages takes longer than the first attempt of a scan may take. The
// retry has more time.
func TestASlowDatabaseStillMovesOverduePayments(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	overdueUnder(t, &delayed{name: "MessageListOverdue", wait: 1700 * time.Millisecond}, 1<<40)
}
