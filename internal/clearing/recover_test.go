package clearing_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestWhatWaitsLeavesAtOnceWhenClearingIsBack: clearing is away, so that deliveries pause. When it takes the first document again all
// others leave, though the clock of their pauses stands still. One that clearing refuses for itself goes on to pause.
func TestWhatWaitsLeavesAtOnceWhenClearingIsBack(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	refused := approved(t, h, rulebook.SchemeSCT).Reference()
	away, again := true, 0
	h.Network.Refuse = func(d servicetest.Delivery) error { // one at a time
		switch {
		case d.Reference == refused:
			again++
			return clearing.ErrNotAccepted
		case away:
			return errors.New("down")
		}
		return nil
	}
	const refusals, payments = 7, 30
	for range refusals { // until its pause is longer than what follows takes
		h.Clock.Add(5 * time.Second)
		h.Clearing.RunOnce(ctx)
	}
	approveMany(t, h, rulebook.SchemeSCT, payments)
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	if n := len(h.Network.Delivered()); n != 0 || again != refusals {
		t.Fatalf("clearing is away, and has %d documents; the one it refuses was tried %d times", n, again)
	}
	away = false
	tried(t, h)
	h.Clearing.RunOnce(ctx)
	if n := len(h.Network.Delivered()); n != payments || again != refusals {
		t.Errorf("clearing is back and has %d of %d documents; the one it refuses was tried %d times, want %d", n, payments, again, refusals)
	}
}

// TestThePauseAfterTheDatabaseIsShort: each time that a payment is to be sent its connection to the database breaks. However often that
// was, it is offered a second after the database is back; and when clearing does not take it then, it pauses as after the first attempt,
// and not as after the ninth.
func TestThePauseAfterTheDatabaseIsShort(t *testing.T) {
	t.Parallel()
	const broken = 8
	b := &breaker{name: "DocumentInsert"}
	h := behindABreaker(t, b)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	b.times.Store(broken)
	offers := offered(h, m.Reference(), clearing.ErrNotAccepted)
	for looks := 0; looks < 20*broken && b.broke.Load() < broken; looks++ {
		h.Clock.Add(time.Second)
		h.Clearing.RunOnce(ctx)
	}
	secondLater := func() {
		h.Clock.Add(time.Second)
		for range 5 { // the list breaks with a connection that is no more
			h.Clearing.RunOnce(ctx)
		}
	}
	secondLater()
	if b.broke.Load() != broken || *offers != 1 {
		t.Errorf("after %d connections that broke, a second later clearing was offered the payment %d times, want once", b.broke.Load(), *offers)
	}
	h.Network.Refuse = nil
	secondLater()
	if sent := h.Network.Delivered(); len(sent) == 0 || sent[0].Reference != m.Reference() {
		t.Errorf("a second after clearing did not take the payment it has %d documents", len(sent))
	}
}
