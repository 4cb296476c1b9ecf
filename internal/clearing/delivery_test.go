package clearing_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// flying is a gateway whose clearing runs, with so many workers of a scheme; its clock stands still.
func flying(t *testing.T, workers int) *servicetest.Env {
	t.Helper()
	h := servicetest.Traced(t, nil, workers)
	h.Run(t)
	return h
}

// inState waits until a message is in a state; it asks by a connection that is not counted.
func inState(t *testing.T, h *servicetest.Env, m payment.Message, state payment.State) {
	t.Helper()
	own := h.DB.Connect(t)
	var is string
	for deadline := time.Now().Add(time.Minute); is != string(state); time.Sleep(5 * time.Millisecond) {
		err := own.QueryRow(ctx, "SELECT state FROM message WHERE message_id = $1", m.InternalID).Scan(&is)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the message is %s and not %s: %v", is, state, err)
		}
	}
}

// toSettled has a payment approved, sent, and settled by an answer of clearing under a reference.
func toSettled(t *testing.T, h *servicetest.Env, checker identity.Principal, m payment.Message, reference string) {
	t.Helper()
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	inState(t, h, m, payment.StateProcessing)
	err = h.Clearing.Receive(ctx, answer(t, m, reference, "ACSC", ""))
	if err != nil {
		t.Fatal(err)
	}
	inState(t, h, m, payment.StateSettled)
}

// TestTheReportOfTheEndIsKept: with the answer of clearing one report for the client is stored.
func TestTheReportOfTheEndIsKept(t *testing.T) {
	t.Parallel()
	h := flying(t, 8)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	toSettled(t, h, h.Person(t, "checker1"), m, "S")
	var reports int
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM document WHERE message_id = $1 AND name LIKE 'pain.002%'", m.InternalID).
		Scan(&reports)
	if err != nil || reports != 1 {
		t.Errorf("%d reports of the end are kept: %v", reports, err)
	}
}

// TestAnAnswerAboutWhatHasMovedIsBookedAllTheSame: what this process knows of a message on its way may be old. Its time-out was noted by
// another process, and the answer that comes then settles it, once, though it comes three times at a time under two references.
func TestAnAnswerAboutWhatHasMovedIsBookedAllTheSame(t *testing.T) {
	t.Parallel()
	h := flying(t, 8)
	defer h.CheckInvariants(t)
	other := h.Again(t, servicetest.Options{})
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	for number, moves := range []bool{false, true} {
		m := h.Create(t, maker, rulebook.SchemeSIC)
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
		if err != nil {
			t.Fatal(err)
		}
		inState(t, h, m, payment.StateProcessing)
		if moves {
			h.Clock.Add(11 * time.Second)
			_, err = other.Messages.Transact(ctx, m.Realm, m.InternalID, func(m payment.Message) (payment.Transition, error) {
				return m.TimeOut(10*time.Second, h.Clock.Now())
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var group sync.WaitGroup
		var stored, duplicates atomic.Int64
		for _, reference := range []string{"A", "A", "B"} {
			group.Go(func() {
				err := h.Clearing.Receive(ctx, answer(t, m, reference+strconv.Itoa(number), "ACSC", ""))
				switch {
				case err == nil:
					stored.Add(1)
				case errors.Is(err, clearing.ErrDuplicate):
					duplicates.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		inState(t, h, m, payment.StateSettled)
		if stored.Load() != 2 || duplicates.Load() != 1 {
			t.Errorf("of three answers %d were stored and %d were duplicates, not 2 and 1", stored.Load(), duplicates.Load())
		}
		var settled, received int
		err = h.DB.Owner(t).QueryRow(ctx, `SELECT (SELECT count(*) FROM message_history WHERE message_id = $1 AND to_state = 'Settled'),
			(SELECT count(*) FROM document WHERE message_id = $1 AND name LIKE 'pacs.002%')`, m.InternalID).Scan(&settled, &received)
		if err != nil || settled != 1 || received != 2 {
			t.Errorf("settled %d times, with %d answers kept: %v", settled, received, err)
		}
	}
}

// TestADeliveryThatWaitedReadsItsMessageAgain: while a delivery waited for a worker, another process may have made it. It is not made again.
func TestADeliveryThatWaitedReadsItsMessageAgain(t *testing.T) {
	t.Parallel()
	h := flying(t, 1)
	defer h.CheckInvariants(t, "I17") // what was sent here was not made
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	first, second := h.Create(t, maker, rulebook.SchemeSIC), h.Create(t, maker, rulebook.SchemeSIC)
	reached, goOn := make(chan struct{}), make(chan struct{})
	h.Network.Refuse = func(d servicetest.Delivery) error {
		if d.Reference == first.Reference() {
			close(reached)
			<-goOn
		}
		return nil
	}
	for _, m := range []payment.Message{first, second} {
		_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
		if err != nil {
			t.Fatal(err)
		}
		<-reached
	}
	_, err := h.Messages.Transact(ctx, second.Realm, second.InternalID, func(m payment.Message) (payment.Transition, error) {
		t, _, err := m.Deliver(h.Clock.Now(), h.Clock.Now())
		return t, err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(1200 * time.Millisecond) // the message of a nudge counts for a second
	close(goOn)
	inState(t, h, first, payment.StateProcessing)
	for deadline := time.Now().Add(time.Minute); busy(h) && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	for _, d := range h.Network.Delivered() {
		if d.Reference == second.Reference() {
			t.Error("a payment that clearing had was sent again")
		}
	}
}

// busy reports whether deliveries or answers wait or run.
func busy(h *servicetest.Env) bool {
	for _, queue := range h.Clearing.Queues() {
		if queue.Ready+queue.Running+queue.Retrying > 0 {
			return true
		}
	}
	return false
}
