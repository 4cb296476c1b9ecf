//go:build long

package clearing_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// mayHang is a clearing that settles what it takes, of which SEPA's side accepts connections and never answers while it hangs.
type mayHang struct {
	healthy halfDead
	hangs   atomic.Bool
	tried   atomic.Int64 // while it hung
}

// Deliver takes a document and settles it, or lets it wait.
func (n *mayHang) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	if scheme == rulebook.SchemeSCT && n.hangs.Load() {
		n.tried.Add(1)
		<-ctx.Done()
		return ctx.Err()
	}
	return n.healthy.take(ctx, scheme, reference)
}

// inFlight is how many SEPA payments are under way when their clearing hangs, and swissPayments how many are timed beside them.
const (
	inFlight      = 600
	swissPayments = 300
)

// TestSwissPaymentsSettleAsEverWhileSEPAHangs has 600 SEPA payments under way and Swiss ones come one after the other: with a clearing that
// works, then with SEPA's hanging, then after a restart meanwhile, then working again. Swiss payments take as long as ever (p99 less than
// half as much again), and each SEPA payment is Unconfirmed when its ten seconds are over, a second late at most.
func TestSwissPaymentsSettleAsEverWhileSEPAHangs(t *testing.T) {
	for range faultRounds(t) {
		network := &mayHang{}
		now := runningClock()
		h := servicetest.With(t, servicetest.Options{Now: now, Clearing: network})
		network.healthy.house = h
		stop := goingOn(t, h)
		entered := func(scheme rulebook.Scheme, count int) []uuid.UUID { return pending(t, h, scheme, count) }
		before := swissBeside(t, h, entered, payment.StateSettled)
		network.hangs.Store(true)
		during := swissBeside(t, h, entered, payment.StateUnconfirmed)
		waiting, next := entered(rulebook.SchemeSCT, inFlight), entered(rulebook.SchemeSIC, swissPayments)
		began := h.Now()
		approveAll(t, h, waiting)
		stop()
		again := h.Again(t, servicetest.Options{Now: now, Clearing: network})
		network.healthy.house = again
		stop = goingOn(t, again)
		restarted := swiss(t, again, next)
		unconfirmed(t, h, began)
		network.hangs.Store(false)
		after := swissBeside(t, again, entered, payment.StateSettled)
		stop()
		t.Logf("Swiss payments to settled, p50 and p99: before %s %s, while SEPA hangs %s %s, after a restart meanwhile %s %s, "+
			"afterwards %s %s; %d deliveries to SEPA tried", before.p50, before.p99, during.p50, during.p99, restarted.p50, restarted.p99,
			after.p50, after.p99, network.tried.Load())
		usual := max(before.p99, after.p99)
		for _, one := range []took{during, restarted} {
			if float64(one.p99) > 1.5*float64(usual) {
				t.Errorf("the p99 of Swiss payments is %s, and %s without the fault", one.p99, usual)
			}
		}
		h.CheckInvariants(t)
	}
}

type took struct{ p50, p99 time.Duration }

// swissBeside approves 600 SEPA payments and times Swiss ones while those are under way, until they have a state.
func swissBeside(
	t *testing.T, h *servicetest.Env, entered func(rulebook.Scheme, int) []uuid.UUID, state payment.State,
) took {
	t.Helper()
	waiting, ids := entered(rulebook.SchemeSCT, inFlight), entered(rulebook.SchemeSIC, swissPayments)
	began := h.Now()
	var both sync.WaitGroup
	both.Go(func() { approveAll(t, h, waiting) })
	times := swiss(t, h, ids)
	both.Wait()
	if state == payment.StateUnconfirmed {
		unconfirmed(t, h, began)
		return times
	}
	none(t, h.DB.Connect(t), "SELECT count(*) FROM message WHERE state NOT IN ('Settled', 'Unconfirmed')")
	return times
}

// pending makes payments that wait for their approval.
func pending(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, count int) []uuid.UUID {
	t.Helper()
	maker := h.Person(t, "maker1")
	ids := make([]uuid.UUID, count)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < count; i += 4 {
				ids[i] = h.Create(t, maker, scheme).InternalID
			}
		})
	}
	all.Wait()
	return ids
}

func approveAll(t *testing.T, h *servicetest.Env, ids []uuid.UUID) {
	t.Helper()
	checker := h.Person(t, "checker1")
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := worker; i < len(ids); i += 4 {
				_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: ids[i]})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// swiss approves Swiss payments, one every 20 ms, and says how long they take to settle.
func swiss(t *testing.T, h *servicetest.Env, ids []uuid.UUID) (times took) {
	t.Helper()
	began, checker := h.Now(), h.Person(t, "checker1")
	for _, id := range ids {
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: id})
		must(t, err)
		time.Sleep(20 * time.Millisecond)
	}
	conn := h.DB.Connect(t)
	none(t, conn, "SELECT count(*) FROM message WHERE scheme = 'sic-inst' AND state <> 'Settled'")
	var p50, p99 float64
	must(t, conn.QueryRow(ctx, `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY took), percentile_cont(0.99) WITHIN GROUP (ORDER BY took)
		FROM (SELECT extract(epoch FROM y.at - m.accepted_at)::float8 AS took FROM message m JOIN message_history y USING (realm, message_id)
		      WHERE m.scheme = 'sic-inst' AND y.to_state = 'Settled' AND m.accepted_at >= $1) x`, began).Scan(&p50, &p99))
	milliseconds := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
	}
	return took{milliseconds(p50), milliseconds(p99)}
}

// none waits until a count of rows is none.
func none(t *testing.T, conn *pgx.Conn, query string) {
	t.Helper()
	eventually(t, query+" is 0", func() bool {
		var left int
		must(t, conn.QueryRow(ctx, query).Scan(&left))
		return left == 0
	})
}

// unconfirmed waits until all SEPA payments approved since a time are Unconfirmed, and judges when they were.
func unconfirmed(t *testing.T, h *servicetest.Env, began time.Time) {
	t.Helper()
	conn := h.DB.Connect(t)
	none(t, conn, "SELECT count(*) FROM message WHERE scheme = 'sct-inst' AND state NOT IN ('Settled', 'Unconfirmed')")
	var count int
	var first, last float64
	must(t, conn.QueryRow(ctx, `SELECT count(*), min(extract(epoch FROM y.at - m.accepted_at))::float8,
		max(extract(epoch FROM y.at - m.accepted_at))::float8 FROM message m JOIN message_history y USING (realm, message_id)
		WHERE m.scheme = 'sct-inst' AND y.action = 'time out' AND m.accepted_at >= $1`, began).Scan(&count, &first, &last))
	t.Logf("%d SEPA payments became Unconfirmed %.2f s to %.2f s after their acceptance", count, first, last)
	if count != inFlight || first < 10 || last > 11 {
		t.Errorf("%d of %d SEPA payments became Unconfirmed, after %.2f s to %.2f s, want 10 s to 11 s", count, inFlight, first, last)
	}
}
