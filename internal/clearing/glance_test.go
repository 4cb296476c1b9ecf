package clearing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// delayed is a tracer that has a statement of the clock, or each of a look's, wait before it is sent: for its end, or for a while.
type delayed struct {
	storetest.Unmoved // by what is no batch: the clock moves messages by batches

	mu      sync.Mutex
	wanted  map[string]bool // by their names
	always  bool            // not once each, but each time
	wait    time.Duration   // 0: until who asks gives it up
	ends    []error         // of those that waited: why they were given up, nil for not
	under   bool            // one waits
	lists   int             // looks begun before the last had waited
	patient [2]int          // those that wait and may for more than a second: now, and at most
}

// begin has statements wait from now on.
func (d *delayed) begin(wait time.Duration, names ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted, d.wait, d.ends, d.lists = make(map[string]bool), wait, nil, 0
	for _, name := range names {
		d.wanted[name] = true
	}
}

// waited says what became of those that waited, and how many looks began.
func (d *delayed) waited() (ends []error, lists int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ends, d.lists
}

// nameOf is the name of a statement, "" for a list of another realm.
func nameOf(statement *pgx.QueuedQuery) string {
	_, name, _ := strings.Cut(statement.SQL, "-- name: ")
	name, _, _ = strings.Cut(name, " ")
	if name == "MessageListOverdue" && !slices.ContainsFunc(statement.Arguments, func(value any) bool { return value == "demo" }) {
		return ""
	}
	return name
}

// take says whether a statement is to wait, and for how long.
func (d *delayed) take(statement *pgx.QueuedQuery) (wait time.Duration, wanted bool) {
	name := nameOf(statement)
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "MessageListOverdue" && (d.under || len(d.wanted) > 0) {
		d.lists++
	}
	wanted = d.wanted[name]
	if !d.always {
		delete(d.wanted, name)
	}
	d.under = d.under || wanted
	return d.wait, wanted
}

// count counts those that wait patiently.
func (d *delayed) count(patient bool, by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if patient {
		d.patient[0] += by
		d.patient[1] = max(d.patient[1], d.patient[0])
	}
}

// TraceBatchStart has it wait.
func (d *delayed) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, statement := range data.Batch.QueuedQueries {
		wait, wanted := d.take(statement)
		if !wanted {
			continue
		}
		limited, cancel := ctx, context.CancelFunc(func() {})
		if wait > 0 {
			limited, cancel = context.WithTimeout(ctx, wait)
		}
		until, _ := ctx.Deadline()
		patient := time.Until(until) > time.Second
		d.count(patient, 1)
		<-limited.Done()
		cancel()
		d.count(patient, -1)
		d.mu.Lock()
		d.ends, d.under = append(d.ends, ctx.Err()), false
		d.mu.Unlock()
	}
	return ctx
}

// overdueOnce has one payment after the other fall due while something is done to the look that finds it, until the test is content with
// what became of that, for as many rounds as a busy machine may need.
func overdueOnce(t *testing.T, tracer pgx.QueryTracer, begin func(), content func() bool) {
	t.Helper()
	now, forward := clockAhead()
	h := stationtest.With(t, stationtest.Options{Now: now, Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(ctx, store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Tracer: tracer})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	goingOn(t, h)
	const rounds = 8
	for range rounds {
		m := approved(t, h, rulebook.SchemeSIC)
		reaches := func(state payment.State) {
			eventually(t, "the payment is "+string(state), func() bool { return current(t, h, m).State == state })
		}
		reaches(payment.StateProcessing)
		begin()
		forward(10 * time.Second)
		reaches(payment.StateUnconfirmed)
		receive(t, h, answer(t, m, "A"+string(m.GlobalID), "ACSC", "")) // nobody asks about it
		if content() {
			h.CheckInvariants(t)
			return
		}
	}
	t.Errorf("in none of %d rounds", rounds)
}

// TestALookThatStallsIsOvertaken: one statement of the look that finds a payment overdue is never answered. Another look moves it
// meanwhile, and ends the first: that had not given up by itself.
func TestALookThatStallsIsOvertaken(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MessageListOverdue", "MessageRead", "MessageMoveIf"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &delayed{}
			overdueOnce(t, d, func() { d.begin(0, name) }, func() bool {
				var ends []error
				eventually(t, "the look is ended", func() bool { ends, _ = d.waited(); return len(ends) == 1 })
				return errors.Is(ends[0], context.Canceled)
			})
		})
	}
}

// TestALookThatIsSlowIsLeftAlone: each statement of a look takes its time, and all of them longer than a look may go without an answer. It
// is neither overtaken nor ended.
func TestALookThatIsSlowIsLeftAlone(t *testing.T) {
	t.Parallel()
	d, slow := &delayed{}, []string{"MessageListOverdue", "MessageRead", "DecisionList", "MessageMoveIf"}
	overdueOnce(t, d, func() { d.begin(350*time.Millisecond, slow...) }, func() bool {
		ends, lists := d.waited()
		t.Logf("what waited ended with %v, and %d looks began", ends, lists)
		return len(ends) == len(slow) && errors.Join(ends...) == nil && lists == 1
	})
}

// TestADatabaseThatIsSlowIsWaitedFor: each list of what is overdue takes longer than a look may stand still. Beside looks that give it up
// soon one waits, longer from time to time, and payments are moved.
func TestADatabaseThatIsSlowIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := &delayed{always: true}
	overdueOnce(t, d, func() { d.begin(1700*time.Millisecond, "MessageListOverdue") }, func() bool { return true })
	if d.patient[1] != 1 {
		t.Errorf("%d looks at a time waited for more than a second: one does, and leaves room for the others", d.patient[1])
	}
}
