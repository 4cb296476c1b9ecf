//go:build long

package main

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// frozen is how long clearing stands still: longer than the schemes' ten seconds.
const frozen = 15 * time.Second

// TestNothingIsLostInFaultsOfClearing has a simulator stand still (SIGSTOP), a process of its own, while the office works: its system goes
// on taking connections for it, and nothing answers. What is approved meanwhile is Unconfirmed after ten seconds, people go on working, and
// when clearing goes on every payment and recall comes to its end, once.
func TestNothingIsLostInFaultsOfClearing(t *testing.T) {
	for range testutil.Count(t, "COUNTERSIGN_FAULTS", 0) {
		t.Run("frozen simulator", freezeSimulator)
	}
}

func freezeSimulator(t *testing.T) {
	h := newHouse(t)
	h.external = true
	simulator := h.openSimulator(t)
	p := h.open(t)
	o := newOffice(t, h)
	first := o.load()
	o.waitFor(t, 0, 100)
	frozenAt := time.Now()
	must(t, simulator.process.Signal(syscall.SIGSTOP))
	before := o.acknowledged.Load()
	must(t, first.Wait())
	second := o.load()
	time.Sleep(frozen)
	must(t, second.Wait())
	thawedAt := time.Now()
	meanwhile := o.acknowledged.Load() - before
	must(t, simulator.process.Signal(syscall.SIGCONT))
	o.finish(t)
	o.settle(t, func(paper *paper, state string) bool { return state == paper.ends() })
	o.settleRecalls(t)
	ended := time.Since(thawedAt)
	o.compare(t, h.log(t))
	o.compareRecalls(t, h.log(t))
	h.check(t)
	timesOut(t, h, frozenAt)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	t.Logf("%d payments, %d recalls; %d requests acknowledged while clearing stood still for %s; all at their end %s later",
		len(o.papers()), len(o.claims()), meanwhile, thawedAt.Sub(frozenAt).Round(time.Second), ended.Round(100*time.Millisecond))
	if meanwhile == 0 {
		t.Error("nobody could work while clearing stood still")
	}
}

// stands is how long one of two gateways stands still.
const stands = 30 * time.Second

// TestNothingIsSentTwiceInFaultsOfOneOfTwoGateways has two gateways of one database at work, of which one stands still (SIGSTOP) for half a
// minute in the middle of what it does, and then goes on with it: the other one has carried on meanwhile, and every payment and recall took
// effect once.
func TestNothingIsSentTwiceInFaultsOfOneOfTwoGateways(t *testing.T) {
	for range testutil.Count(t, "COUNTERSIGN_FAULTS", 0) {
		t.Run("one of two stands still", freezeGateway)
	}
}

func freezeGateway(t *testing.T) {
	h := newHouse(t)
	h.external = true
	h.openSimulator(t)
	p := h.open(t)
	other, second := h.second(t)
	o, beside := newOffice(t, h), newOffice(t, other)
	beside.comesAgain = true // what it was asked before may be over when it goes on
	work, workBeside := o.load(), beside.load()
	beside.waitFor(t, 0, 60)
	since := time.Now()
	must(t, second.process.Signal(syscall.SIGSTOP))
	must(t, work.Wait())
	time.Sleep(time.Until(since.Add(stands)))
	must(t, second.process.Signal(syscall.SIGCONT))
	must(t, workBeside.Wait())
	for _, one := range []*office{o, beside} {
		one.finish(t)
		one.settle(t, func(paper *paper, state string) bool { return state == paper.ends() })
		one.settleRecalls(t)
	}
	o.orders, o.recalls = append(o.orders, beside.orders...), append(o.recalls, beside.recalls...)
	log := h.log(t)
	o.compare(t, log)
	o.compareRecalls(t, log)
	h.check(t)
	sent := 0
	for _, e := range log {
		if e.Direction == "in" && e.Name == "pacs.008.001.08" {
			sent++
		}
	}
	timeouts, most := lateness(t, h, since)
	t.Logf("%d payments, %d recalls; clearing got %d payments, %d of them again; %d became Unconfirmed, the last of them %.2f s late",
		len(o.papers()), len(o.claims()), sent, sent-len(effective(t, log)), timeouts, most)
	for _, one := range []*program{second, p} {
		if code := one.terminate(t); code != 0 {
			t.Errorf("a gateway ends with %d", code)
		}
	}
}

// second starts another gateway on the demo's database, with an address of its own.
func (h *house) second(t *testing.T) (*house, *program) {
	t.Helper()
	other := *h
	other.gateway = freeAddress(t)
	p := start(t, append(h.settings(),
		"COUNTERSIGN_LISTEN="+other.gateway, "COUNTERSIGN_TLS=false", "COUNTERSIGN_OPERATOR_REALM="+demo.Realm,
		"COUNTERSIGN_DATABASE_URL="+strings.Replace(h.databaseURL(t), "user=postgres", "user="+demoLogin, 1),
		"COUNTERSIGN_RELEASE_KEY_FILE="+filepath.Join(h.data, "release.key"),
		"COUNTERSIGN_TOKEN_KEY_FILE="+filepath.Join(h.data, "token.key"),
		"COUNTERSIGN_AUDIT_KEY_FILE="+filepath.Join(h.data, "audit.key"),
		"COUNTERSIGN_CLEARING_TOKEN_FILE="+secretIn(t, t.TempDir(), "clearing-answers-the-other-one", 0o600)), "serve")
	p.answers(t, "http://"+other.gateway+"/readyz")
	return &other, p
}

// TestNothingIsLostInFaultsOfAStopWhileItCatchesUp has clearing stand still until hundreds of payments wait for it. It goes on, and while
// the gateway catches up it is asked to stop (SIGTERM): it ends in order, and the next one brings everything to its end, once.
func TestNothingIsLostInFaultsOfAStopWhileItCatchesUp(t *testing.T) {
	for range testutil.Count(t, "COUNTERSIGN_FAULTS", 0) {
		t.Run("stop while it catches up", stopCatchingUp)
	}
}

func stopCatchingUp(t *testing.T) {
	h := newHouse(t)
	h.external = true
	simulator := h.openSimulator(t)
	p := h.open(t)
	o := newOffice(t, h)
	must(t, simulator.process.Signal(syscall.SIGSTOP))
	frozenAt := time.Now()
	work := o.load()
	must(t, work.Wait())
	time.Sleep(time.Until(frozenAt.Add(frozen)))
	waiting := h.undelivered(t)
	must(t, simulator.process.Signal(syscall.SIGCONT))
	if !poll(func() bool { return h.undelivered(t) <= waiting*3/4 }) {
		t.Error("what waited does not leave when clearing goes on")
	}
	began := time.Now()
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	stopped := time.Since(began)
	p = h.open(t)
	left := h.undelivered(t)
	o.finish(t)
	o.settle(t, func(paper *paper, state string) bool { return state == paper.ends() })
	o.settleRecalls(t)
	o.compare(t, h.log(t))
	o.compareRecalls(t, h.log(t))
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
	t.Logf("%d payments, %d of them waited for clearing; stopped within %s with some of them left: %d as the next one was ready",
		len(o.papers()), waiting, stopped.Round(10*time.Millisecond), left)
	if waiting == 0 {
		t.Error("nothing waited for clearing")
	}
}

// undelivered is how many messages are approved and not with clearing.
func (h *house) undelivered(t *testing.T) (count int) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), h.databaseURL(t))
	must(t, err)
	must(t, conn.QueryRow(context.Background(),
		"SELECT count(*) FROM message WHERE accepted_at IS NOT NULL AND delivered_at IS NULL AND state NOT IN ('Settled', 'Failed')",
	).Scan(&count))
	must(t, conn.Close(context.Background()))
	return count
}

// timesOut holds that payments became Unconfirmed, and says how late.
func timesOut(t *testing.T, h *house, since time.Time) {
	t.Helper()
	const maxLate = 2.0
	count, most := lateness(t, h, since)
	t.Logf("%d payments became Unconfirmed, the last of them %.2f s late", count, most)
	if count == 0 || most > maxLate {
		t.Errorf("%d payments became Unconfirmed, up to %.2f s late", count, most)
	}
}

// lateness is how many payments became Unconfirmed since a time, and how many seconds after their ten at most.
func lateness(t *testing.T, h *house, since time.Time) (count int, most float64) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), h.databaseURL(t))
	must(t, err)
	must(t, conn.QueryRow(context.Background(), `
SELECT count(*), coalesce(max(extract(epoch FROM y.at - m.accepted_at) - 10), 0)::float8
FROM message m JOIN message_history y USING (realm, message_id) WHERE y.action = 'time out' AND y.at >= $1`, since).Scan(&count, &most))
	must(t, conn.Close(context.Background()))
	return count, most
}
