package clearing_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestTheJobAloneDeliversAndTriesAgain: without the watch, which would deliver four seconds later what a job did not, an approved payment
// and one that needs no approval are delivered, also when clearing refuses the first attempts. The jobs try six times within some seconds;
// the minute is for a busy machine, and far from the pause of an hour.
func TestTheJobAloneDeliversAndTriesAgain(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
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
	h.RunJobs(t)
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker1", Client: "demo-straight", Channel: "api"})
	for _, scheme := range rulebook.Schemes() {
		approved(t, h, scheme)
		h.Create(t, straight, scheme)
	}
	const payments = 4
	for deadline := time.Now().Add(time.Minute); len(h.Network.Delivered()) < payments && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if sent := h.Network.Delivered(); len(sent) != payments {
		t.Errorf("the jobs delivered %d of %d payments: %v", len(sent), payments, sent)
	}
}

// TestAnAttemptThatTookLongIsFollowedAfterItsPause: a time-out of clearing takes longer than the first pauses. Counted from the beginning
// of the attempt they would be over before they begin, and the job queue, which says so in the log, would take its own of seconds to
// minutes.
func TestAnAttemptThatTookLongIsFollowedAfterItsPause(t *testing.T) {
	t.Parallel()
	log := &testutil.Log{}
	h := servicetest.With(t, servicetest.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	defer h.CheckInvariants(t)
	const slow = 3
	tries := 0
	h.Network.Refuse = func(servicetest.Delivery) error { // one at a time
		tries++
		if tries <= slow {
			time.Sleep(500 * time.Millisecond) // the pauses are 0.1, 0.2 and 0.4 s
			return errors.New("timed out")
		}
		return nil
	}
	h.RunJobs(t)
	approved(t, h, rulebook.SchemeSIC)
	for deadline := time.Now().Add(time.Minute); len(h.Network.Delivered()) == 0 && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
	if sent := h.Network.Delivered(); len(sent) != 1 {
		t.Errorf("delivered %d times", len(sent))
	}
	if said := log.String(); strings.Contains(said, "invalid next retry") {
		t.Errorf("the queue did not take the pause it was given:\n%s", said)
	}
}

// TestWhoDeliversNothingKeepsNoJobs: in a process without deliveries what is approved would wait in memory, with its content, for ever.
func TestWhoDeliversNothingKeepsNoJobs(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	approved(t, h, rulebook.SchemeSIC)
	if !busy(h) {
		t.Error("no job waits for whoever delivers")
	}
	h.Jobs.Rest()
	approved(t, h, rulebook.SchemeSIC)
	if queues := h.Jobs.Waiting(); len(queues) != 0 {
		t.Errorf("jobs wait where nothing is delivered: %v", queues)
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
