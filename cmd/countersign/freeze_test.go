//go:build long

package main

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/testneed"
)

// frozen is how long clearing stands still: longer than the schemes' ten seconds.
const frozen = 15 * time.Second

// TestNothingIsLostInFaultsOfClearing has a simulator stand still (SIGSTOP), a process of its own, while the office works: its system goes
// on taking connections for it, and nothing answers. What is approved meanwhile is Unconfirmed after ten seconds, people go on working, and
// when clearing goes on every payment and recall comes to its end, once.
func TestNothingIsLostInFaultsOfClearing(t *testing.T) {
	for range testneed.Count(t, "COUNTERSIGN_FAULTS", 0) {
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

// timesOut says how late the clock was, and when the first payment settled again.
func timesOut(t *testing.T, h *house, since time.Time) {
	t.Helper()
	const mostLate = 2.0
	conn, err := pgx.Connect(context.Background(), h.databaseURL(t))
	must(t, err)
	defer func() { must(t, conn.Close(context.Background())) }()
	var count int
	var most float64
	must(t, conn.QueryRow(context.Background(), `
SELECT count(*), coalesce(max(extract(epoch FROM y.at - m.accepted_at) - 10), 0)::float8
FROM message m JOIN message_history y USING (realm, message_id) WHERE y.action = 'time out' AND y.at >= $1`, since).Scan(&count, &most))
	t.Logf("%d payments became Unconfirmed, the last of them %.2f s late", count, most)
	if count == 0 || most > mostLate {
		t.Errorf("%d payments became Unconfirmed, up to %.2f s late", count, most)
	}
}
