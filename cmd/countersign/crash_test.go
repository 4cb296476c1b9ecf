package main

import (
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// killing says how the crash tests kill one demo.
type killing struct {
	rounds int
	random *rand.Rand
}

// killsOfALife is how often one demo is killed. More kills take further demos: a look at all payments after each kill looks at some
// hundreds.
const killsOfALife = 25

// killings has demos killed. Other seeds and more rounds: COUNTERSIGN_CRASH_SEED and COUNTERSIGN_CRASH_ROUNDS (make kill).
func killings(t *testing.T, live func(*testing.T, killing)) {
	t.Helper()
	number := func(name string, otherwise int) int {
		value, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return otherwise
		}
		return value
	}
	seed, rounds := number("COUNTERSIGN_CRASH_SEED", 1), number("COUNTERSIGN_CRASH_ROUNDS", 2)
	for ; rounds > 0 && !t.Failed(); rounds -= killsOfALife {
		t.Run("COUNTERSIGN_CRASH_SEED="+strconv.Itoa(seed), func(t *testing.T) {
			live(t, killing{rounds: min(rounds, killsOfALife), random: rand.New(rand.NewPCG(uint64(seed), 0))})
		})
		seed++
	}
}

// strike lets the office work and kills the demo at a moment of chance: after 20 to 150 acknowledged requests, and up to 20 ms. Just
// before it calls last.
func (k killing) strike(t *testing.T, o *office, p *program, last func()) {
	t.Helper()
	before := o.acknowledged.Load()
	group := o.load()
	o.waitFor(t, before, 20+k.random.Int64N(130))
	time.Sleep(time.Duration(k.random.Int64N(int64(20 * time.Millisecond))))
	last()
	p.kill(t)
	must(t, group.Wait())
}

func TestAKilledGatewayLosesNothingAndSendsNothingTwice(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	killings(t, killGateway)
}

func killGateway(t *testing.T, kill killing) {
	t.Helper()
	h := newHouse(t)
	h.external = true
	h.openSimulator(t)
	p := h.open(t)
	postmaster := h.postmaster(t)
	o := newOffice(t, h)
	for range kill.rounds {
		kill.strike(t, o, p, func() {})
		p = h.open(t)
		if now := h.postmaster(t); now != postmaster || !strings.Contains(p.output.String(), "adopted the running postgres") {
			t.Errorf("the database server was process %d and is %d: it was not adopted", postmaster, now)
		}
		o.holdsWhatItAcknowledged(t)
	}
	o.finish(t)
	o.settle(t, func(paper *paper, state string) bool { return state == paper.ends() })
	o.settleRecalls(t)
	o.compare(t, h.log(t))
	o.compareRecalls(t, h.log(t))
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	t.Logf("%d payments, %d recalls, %d acknowledged requests, %d kills", len(o.papers()), len(o.claims()), o.acknowledged.Load(), kill.rounds)
}

func TestAKilledDemoLosesNothingAndChangesNothingItSent(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	killings(t, killDemo)
}

func killDemo(t *testing.T, kill killing) {
	t.Helper()
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	var logs [][]logEntry
	for range kill.rounds {
		kill.strike(t, o, p, func() { logs = append(logs, h.log(t)) })
		p = h.open(t)
		o.holdsWhatItAcknowledged(t)
	}
	o.finish(t)
	// The simulator dies with the demo and forgets what it took, so an answer it owed may never come.
	o.settle(t, func(paper *paper, state string) bool {
		return state == paper.ends() || !paper.leave && slices.Contains([]string{"Processing", "Unconfirmed", "Failed"}, state)
	})
	o.settleRecalls(t, "Processing", "Acknowledged", "Refused")
	sent := map[string]logEntry{}
	for _, log := range append(logs, h.log(t)) {
		for _, e := range effective(t, log) {
			first, repeated := sent[e.TransactionID]
			if repeated && (first.MessageID != e.MessageID || first.XML != e.XML) {
				t.Errorf(
					"%s was sent again as %s with another document than as %s: clearing would not recognise it", e.TransactionID, e.MessageID,
					first.MessageID,
				)
			}
			sent[e.TransactionID] = e
		}
	}
	for _, paper := range o.papers() {
		if _, was := sent[paper.global]; was && paper.leave {
			t.Errorf("%s was sent without an approval", paper.id)
		}
	}
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	t.Logf("%d payments, %d recalls, %d acknowledged requests, %d kills", len(o.papers()), len(o.claims()), o.acknowledged.Load(), kill.rounds)
}

// holdsWhatItAcknowledged: what was created is there, what was approved is on its way or at its end.
func (o *office) holdsWhatItAcknowledged(t *testing.T) {
	t.Helper()
	onItsWay := []string{"Approved", "Processing", "Unconfirmed", "Settled", "Failed"}
	for _, p := range o.papers() {
		if !p.created {
			continue
		}
		state, err := o.state(p)
		must(t, err)
		// An approval that was not acknowledged may have happened all the same.
		held := slices.Contains(onItsWay, state) && !p.leave || state == "Approval Pending" && !p.approved
		if !held {
			t.Errorf("%s (approval acknowledged: %t, to be left: %t) is %q", p.id, p.approved, p.leave, state)
		}
	}
	o.holdsItsRecalls(t)
}

// again repeats what had no answer; that it was done by the first time is an answer too.
func again(t *testing.T, ask func() (reply, error)) {
	t.Helper()
	r, err := ask()
	must(t, err)
	if r.status != http.StatusOK && !r.done() {
		t.Fatalf("once more: %d %s", r.status, r.text)
	}
}

// finish repeats what had no answer. A repeated creation makes no second payment; a repeated approval may find the first one done.
func (o *office) finish(t *testing.T) {
	t.Helper()
	for _, p := range o.papers() {
		if !p.created {
			again(t, func() (reply, error) { return o.create(p) })
		}
		if !p.approved && !p.leave {
			again(t, func() (reply, error) { return o.approve(p) })
		}
	}
	o.finishRecalls(t)
}

// settle waits until every payment has come to its end.
func (o *office) settle(t *testing.T, done func(*paper, string) bool) {
	t.Helper()
	until := time.Now().Add(patience)
	for _, p := range o.papers() {
		state, err := o.state(p)
		for err == nil && !done(p, state) && time.Now().Before(until) {
			time.Sleep(50 * time.Millisecond)
			state, err = o.state(p)
		}
		must(t, err)
		if !done(p, state) {
			t.Errorf("%s (cents %s) is %q, not %q", p.id, p.cents, state, p.ends())
		}
	}
}

// effective lists the payments that took effect at clearing; each may do so once in a log, and travels under one message id.
func effective(t *testing.T, log []logEntry) []logEntry {
	t.Helper()
	var list []logEntry
	ids, counts := map[string]string{}, map[string]int{}
	for _, e := range log {
		if e.Direction != "in" || e.Name != "pacs.008.001.08" {
			continue
		}
		if first, known := ids[e.TransactionID]; known && first != e.MessageID {
			t.Errorf("%s came as %s and as %s", e.TransactionID, first, e.MessageID)
		}
		ids[e.TransactionID] = e.MessageID
		if e.Effective {
			counts[e.TransactionID]++
			list = append(list, e)
		}
	}
	for transaction, count := range counts {
		if count != 1 {
			t.Errorf("%s took effect %d times", transaction, count)
		}
	}
	return list
}

// compare holds the log of a simulator that was there all the time against the office's papers: what was approved took effect once, and
// nothing else did.
func (o *office) compare(t *testing.T, log []logEntry) {
	t.Helper()
	took := map[string]bool{}
	for _, e := range effective(t, log) {
		took[e.TransactionID] = true
	}
	for _, p := range o.papers() {
		if took[p.global] == p.leave {
			t.Errorf("%s (%s, approval left out: %t) took effect: %t", p.id, p.global, p.leave, took[p.global])
		}
		delete(took, p.global)
	}
	for transaction := range took {
		t.Errorf("%s took effect and is nobody's payment", transaction)
	}
}
