//go:build long

package clearing_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// faultRounds is how often `make faults` plays each fault. The tests take minutes, so they have a build tag.
func faultRounds(t *testing.T) int {
	t.Helper()
	return testutil.Count(t, "COUNTERSIGN_FAULTS", 0)
}

// wire is a clearing that remembers what it took, recognises duplicates, and settles all but some, which it never answers. Its answers come
// again until they are stored, as those of a real one do.
type wire struct {
	house   *servicetest.Env
	answer  func(context.Context, clearing.Document) error // how they come to the gateway
	answers sync.WaitGroup
	mu      sync.Mutex
	took    map[string]string // the content by message id
	times   map[string]int
	wrong   []string
}

func silent(reference string) bool {
	digest := fnv.New32a()
	_, _ = digest.Write([]byte(reference))
	return digest.Sum32()%10 == 0
}

// Deliver takes a document.
func (w *wire) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	w.mu.Lock()
	known, there := w.took[reference]
	if there && known != string(content) {
		w.wrong = append(w.wrong, reference)
	}
	w.took[reference] = string(content)
	w.times[reference]++
	w.mu.Unlock()
	id, ours := payment.ParseReference(reference)
	if there || !ours || silent(reference) || reference[:2] != "P8" {
		return nil
	}
	w.answers.Go(func() {
		settled := clearing.Document{
			Scheme: scheme, Reference: "ANS" + reference, Content: settlement(string(id)), ReceivedAt: w.house.Now(),
		}
		for range 600 {
			err := w.answer(context.WithoutCancel(ctx), settled)
			if err == nil || err == clearing.ErrDuplicate { //nolint:errorlint // it is returned as it is
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	return nil
}

// client is somebody who enters and approves payments, one after the other, and writes down what was acknowledged.
type client struct {
	made, approved []uuid.UUID
	times          []time.Time // of approvals
	failed         int
}

func (c *client) work(ctx context.Context, h *servicetest.Env, scheme rulebook.Scheme, by [2]identity.Principal, may *allowance) {
	for ; ctx.Err() == nil; time.Sleep(30 * time.Millisecond) {
		if !may.take() {
			continue
		}
		m, err := h.Submission.Create(ctx, by[0], h.Order(scheme))
		if err == nil {
			c.made = append(c.made, m.Message.InternalID)
			_, err = h.Approval.Approve(ctx, by[1], service.Input{InternalID: m.Message.InternalID})
		}
		switch {
		case err == nil:
			may.approved.Add(1)
			c.approved, c.times = append(c.approved, m.Message.InternalID), append(c.times, time.Now())
		case ctx.Err() == nil:
			c.failed++
		}
	}
}

// allowance is how many payments the clients may enter while something is broken: what piles up has to be worked off afterwards.
type allowance struct {
	limited        atomic.Bool
	left, approved atomic.Int64
}

func (a *allowance) take() bool { return !a.limited.Load() || a.left.Add(-1) >= 0 }

// limit begins to count, at some payments that may still be entered; unlimited ends it. 0: as many as come.
func (a *allowance) limit(payments int64) (unlimited func()) {
	a.left.Store(payments)
	a.limited.Store(payments > 0)
	return func() { a.limited.Store(false) }
}

// fault breaks something, and returns what mends it.
type fault struct {
	name  string
	begin func(t *testing.T, l *storetest.Line) (end func())
	// away: nothing can be written while it lasts. What falls due meanwhile is late from its end on.
	away bool
	// maybeAway: for a machine that opens no connection within the time that one lives, the database is away. A probe finds out.
	maybeAway bool
	// silent: connections stay open without any reply.
	silent bool
	// most is how many payments are entered while it lasts, 0 for as many as come.
	most int64
}

func lineFaults() []fault {
	again := func(every time.Duration, do func(*storetest.Line)) func(*testing.T, *storetest.Line) func() {
		return func(_ *testing.T, l *storetest.Line) func() {
			stop, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				for {
					do(l)
					select {
					case <-stop:
						return
					case <-time.After(every):
					}
				}
			}()
			return func() { close(stop); <-done }
		}
	}
	return []fault{
		{name: "half-open", silent: true, begin: func(_ *testing.T, l *storetest.Line) func() { l.Swallow(); return func() {} }},
		{name: "half-open again and again", silent: true, begin: again(2*time.Second, (*storetest.Line).Swallow)},
		{name: "black hole", away: true, silent: true, begin: func(_ *testing.T, l *storetest.Line) func() { l.Freeze(); return l.Thaw }},
		{name: "latency of 100 ms", begin: func(_ *testing.T, l *storetest.Line) func() {
			l.Delay(50 * time.Millisecond)
			return func() { l.Delay(0) }
		}},
		{name: "resets", maybeAway: true, begin: again(200*time.Millisecond, (*storetest.Line).Break)},
		{name: "refused", away: true, begin: func(t *testing.T, l *storetest.Line) func() { l.Cut(); return func() { l.Connect(t) } }},
	}
}

// TestNothingIsLostInFaultsOfTheNetwork plays each fault between the gateway and its database while payments are entered, approved, sent
// and answered: what was acknowledged is there, each payment is at clearing once with one content, the invariants hold, and what was not
// answered is Unconfirmed. How late, and how long until approvals are acknowledged again, is reported.
func TestNothingIsLostInFaultsOfTheNetwork(t *testing.T) {
	rounds := faultRounds(t)
	for _, f := range lineFaults() {
		for round := range rounds {
			t.Run(fmt.Sprintf("%s %d", f.name, round+1), func(t *testing.T) { play(t, f, behindALine(t)) })
		}
	}
}

// scene is a gateway whose clock runs, with a clearing that remembers.
type scene struct {
	h    *servicetest.Env
	w    *wire
	eye  *witness
	line *storetest.Line // to its database; nil where the test has a server of its own
	way  string          // through the line
}

// play runs a gateway through a fault.
func play(t *testing.T, f fault, s scene) {
	t.Helper()
	const before, during, after = 9 * time.Second, 5 * time.Second, 4 * time.Second // time-outs fall into the fault
	h, w := s.h, s.w
	stop := goingOn(t, h)
	working, leave := context.WithCancel(ctx)
	clients := make([]*client, 4)
	var may allowance
	var all sync.WaitGroup
	for i := range clients {
		clients[i] = &client{}
		by := [2]identity.Principal{h.Person(t, "maker1"), h.Person(t, "checker1")}
		all.Go(func() { clients[i].work(working, h, rulebook.Schemes()[i%2], by, &may) })
	}
	time.Sleep(before)
	var broken span
	broken.from = h.Now()
	unlimited := may.limit(f.most)
	var probed func() span
	if f.maybeAway {
		probed = probe(t, s.way, h.Now)
	}
	end := f.begin(t, s.line)
	time.Sleep(during)
	end()
	unlimited()
	mended, mendedAt := time.Now(), h.Now()
	if f.away {
		broken.to = mendedAt
	}
	acknowledged := may.approved.Load()
	time.Sleep(after)
	for deadline := time.Now().Add(time.Minute); may.approved.Load() == acknowledged && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond) // a machine that does much else takes longer to be back
	}
	leave()
	all.Wait()
	if f.maybeAway {
		broken = probed()
	}
	outcome(t, h, w, clients, mended)
	late(t, h, broken, f.silent, s.eye)
	settles(t, h, mendedAt)
	stop()
	w.answers.Wait()
	h.CheckInvariants(t)
}

// newScene is a gateway that a network of the test's own leads to its clearing; nil for none between. db is its database; nil for a new one,
// to which a line leads.
func newScene(t *testing.T, db *storetest.DB, network clearing.Network) scene {
	t.Helper()
	s := scene{w: &wire{took: map[string]string{}, times: map[string]int{}}, eye: &witness{now: runningClock()}}
	if network == nil {
		network = s.w
	}
	if db != nil {
		s.h = servicetest.On(t, db, s.eye.sees(t, network, func(db *storetest.DB) string { return db.URL }))
	} else {
		s.h = servicetest.With(t, s.eye.sees(t, network, func(db *storetest.DB) string {
			s.line, s.way = db.Relay(t)
			return s.way
		}))
	}
	s.w.house, s.w.answer = s.h, s.h.Clearing.Receive
	return s
}

// behindALine is a gateway that reaches its database by a line, which a test may do anything to.
func behindALine(t *testing.T) scene {
	t.Helper()
	return newScene(t, nil, nil)
}

// outcome waits for the end of every payment that was acknowledged, and judges.
func outcome(t *testing.T, h *servicetest.Env, w *wire, clients []*client, mended time.Time) {
	t.Helper()
	states := func(id uuid.UUID) payment.Message {
		m, err := h.Messages.Message(ctx, "demo", id)
		if err != nil {
			t.Errorf("what was acknowledged is lost: %s: %v", id, err)
		}
		return m
	}
	made, approved, failed, normal := 0, 0, 0, time.Duration(-1)
	for _, c := range clients {
		made, approved, failed = made+len(c.made), approved+len(c.approved), failed+c.failed
		for _, at := range c.times {
			if after := at.Sub(mended); after >= 0 && (normal < 0 || after < normal) {
				normal = after
			}
		}
		for _, id := range c.made {
			states(id)
		}
		for _, id := range c.approved {
			ends(t, id, states)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	repeated := 0
	for _, n := range w.times {
		repeated += n - 1
	}
	t.Logf("%d made, %d approved, %d calls failed; clearing got %d documents, %d of them again; normal again after %s",
		made, approved, failed, len(w.took), repeated, normal.Round(time.Millisecond))
	if len(w.wrong) > 0 {
		t.Errorf("clearing got other documents under ids it knew: %v", w.wrong)
	}
	if normal < 0 || approved == 0 {
		t.Error("no approval was acknowledged after the fault")
	}
}

// span is a time in which nothing could be written: from some time, to another one that is not before it; to is zero for none.
type span struct{ from, to time.Time }

// maxLate is how late the clock may be, not counting the time in which the database was away. A scan on a connection without any reply adds
// silentLate.
const (
	maxLate    = 2 * time.Second
	silentLate = 3 * time.Second
)

// late fails the test when a payment became Unconfirmed later than allowed. The time in which the database was away does not count.
func late(t *testing.T, h *servicetest.Env, away span, silent bool, eye *witness) {
	t.Helper()
	limit := maxLate
	if silent {
		limit += silentLate
	}
	if away.to.IsZero() {
		away.to = away.from
	}
	var count int
	var most, p50 float64
	must(t, h.DB.Owner(t).QueryRow(ctx, `
SELECT count(*), coalesce(max(late), 0), coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY late), 0) FROM (
  SELECT extract(epoch FROM y.at - due - greatest(interval '0', least(y.at, $2) - greatest(due, $1)))::float8 AS late
  FROM (SELECT realm, message_id, accepted_at + interval '10 seconds' AS due FROM message) m
  JOIN message_history y USING (realm, message_id) WHERE y.action = 'time out') x`, away.from, away.to).Scan(&count, &most, &p50))
	t.Logf("%d time-outs; the clock late by %.2f s at most, half of them by %.2f s", count, most, p50)
	if most > limit.Seconds() || count == 0 {
		t.Errorf("the clock was late by %.2f s with one of %d time-outs, want %s at most", most, count, limit)
		eye.explains(t, h, limit, away)
	}
}

// settles says when payments settled again after the end of a fault, and when the last one had settled that was approved before it.
func settles(t *testing.T, h *servicetest.Env, mended time.Time) {
	t.Helper()
	var first, last float64
	must(t, h.DB.Owner(t).QueryRow(ctx, `
SELECT coalesce(extract(epoch FROM min(y.at) - $1), -1)::float8,
  coalesce(extract(epoch FROM max(y.at) FILTER (WHERE m.accepted_at < $1) - $1), 0)::float8
FROM message m JOIN message_history y USING (realm, message_id) WHERE y.to_state = 'Settled' AND y.at >= $1`, mended).Scan(&first, &last))
	t.Logf("payments settled again %.2f s after the end of the fault, and all that were approved before it after %.2f s", first, last)
	if first < 0 {
		t.Error("no payment settled after the fault")
	}
}

// ends waits until a payment is settled, or unconfirmed where clearing is silent.
func ends(t *testing.T, id uuid.UUID, look func(uuid.UUID) payment.Message) {
	t.Helper()
	var m payment.Message
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		m = look(id)
		wanted := payment.StateSettled
		if silent(m.Reference()) {
			wanted = payment.StateUnconfirmed
		}
		if m.State == wanted {
			return
		}
	}
	t.Errorf("%s is %s in the end", m.GlobalID, m.State)
}
