package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestARefusedDeliveryIsTriedAgain: an approved payment and one that needs no approval are delivered, also when clearing refuses the first
// attempts. The attempts take some seconds; the minute is for a busy machine, and far from the pause of an hour.
func TestARefusedDeliveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := servicetest.With(t, servicetest.Options{Now: runningClock()})
	defer h.CheckInvariants(t)
	const refusals = 3
	refused := map[string]int{}
	h.Network.Refuse = func(d servicetest.Delivery) error { // one at a time
		refused[d.Reference]++
		if refused[d.Reference] <= refusals {
			return errors.New("down")
		}
		return nil
	}
	h.Run(t)
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker1", Client: "demo-straight", Channel: "api"})
	for _, scheme := range rulebook.Schemes() {
		approved(t, h, scheme)
		h.Create(t, straight, scheme)
	}
	const payments = 4
	delivered := func() (references map[string]bool) {
		references = map[string]bool{}
		for _, d := range h.Network.Delivered() {
			if strings.HasPrefix(d.Reference, "P8") {
				references[d.Reference] = true
			}
		}
		return references
	}
	for deadline := time.Now().Add(time.Minute); len(delivered()) < payments && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if sent := delivered(); len(sent) != payments {
		t.Errorf("%d of %d payments were delivered: %v", len(sent), payments, sent)
	}
}

// TestAnAttemptThatTookLongIsFollowedAfterItsPause: a time-out of clearing takes longer than the first pauses, which count from the end of
// an attempt.
func TestAnAttemptThatTookLongIsFollowedAfterItsPause(t *testing.T) {
	t.Parallel()
	h := servicetest.With(t, servicetest.Options{Now: runningClock()})
	defer h.CheckInvariants(t)
	const slow = 3
	var ends []time.Time
	h.Network.Refuse = func(servicetest.Delivery) error { // one at a time
		if len(ends) > 0 && time.Since(ends[len(ends)-1]) < 100*time.Millisecond {
			t.Errorf("attempt %d follows the one before without a pause", len(ends)+1)
		}
		if len(ends) < slow {
			time.Sleep(500 * time.Millisecond) // the pauses are 0.1, 0.2 and 0.4 s
			ends = append(ends, time.Now())
			return errors.New("timed out")
		}
		return nil
	}
	h.Run(t)
	m := approved(t, h, rulebook.SchemeSIC)
	inState(t, h, m, payment.StateProcessing)
}

// TestAProcessThatDeliversNothingKeepsNoWork: in a process without dispatchers the content of approved payments would stay in memory.
func TestAProcessThatDeliversNothingKeepsNoWork(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	approved(t, h, rulebook.SchemeSIC)
	if busy(h) {
		t.Error("a delivery is queued that nothing takes up")
	}
}

// TestADocumentIsStoredBeforeItIsSent: what clearing may have is known here, whatever crashes next.
func TestADocumentIsStoredBeforeItIsSent(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	conn := h.DB.Connect(t)
	stored := 0
	h.Network.Refuse = func(d servicetest.Delivery) error {
		return conn.QueryRow(
			ctx, "SELECT count(*) FROM document WHERE direction = 'out' AND reference = $1 AND content = $2", d.Reference, []byte(d.Content),
		).Scan(&stored)
	}
	send(t, h, m)
	if stored != 1 {
		t.Errorf("while the document travels, %d of it are stored", stored)
	}
}
