package service_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestWhatIsDecidedSecondIsDecidedLater: several decide a message, withdraw and amend it at the same moment. Who comes second is heard
// after the first, and a list by time says so. The clock of this gateway goes on whenever somebody looks at it.
func TestWhatIsDecidedSecondIsDecidedLater(t *testing.T) {
	t.Parallel()
	began, looks := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), atomic.Int64{}
	h := servicetest.With(t, servicetest.Options{Now: func() time.Time {
		return began.Add(time.Duration(looks.Add(1)) * time.Millisecond)
	}})
	defer h.CheckInvariants(t, "I6") // nothing is sent by this clock
	maker, editor := h.Person(t, "maker1"), h.Person(t, "maker2")
	people := checkers(t, h, 3)
	for range 12 {
		order := h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, "20000.00") // needs two approvals
		created, err := h.Submission.Create(ctx, maker, order)
		if err != nil {
			t.Fatal(err)
		}
		id, amended := created.Message.InternalID, h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(amended.Document, "19999.00")
		var deeds sync.WaitGroup
		for _, person := range people {
			deeds.Go(func() { lateOrDone(t, second(h.Approval.Approve(ctx, person, service.Input{InternalID: id}))) })
		}
		deeds.Go(func() { lateOrDone(t, second(h.Submission.Amend(ctx, editor, id, amended))) })
		deeds.Go(func() { lateOrDone(t, second(h.Submission.Withdraw(ctx, maker, id, "no longer needed"))) })
		deeds.Wait()
	}
	var steps, backwards int
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE later.at < earlier.at) FROM message_history earlier
		JOIN message_history later ON later.message_id = earlier.message_id AND later.sequence = earlier.sequence + 1`).Scan(&steps, &backwards)
	if err != nil || steps < 12 || backwards > 0 {
		t.Errorf("%d of %d steps come before the one they follow: %v", backwards, steps, err)
	}
}

func second(_ payment.Message, err error) error { return err }

// lateOrDone fails for what is neither done nor too late.
func lateOrDone(t *testing.T, err error) {
	t.Helper()
	var state *payment.StateError
	var content *payment.ContentError
	if err != nil && !errors.As(err, &state) && !errors.As(err, &content) {
		t.Error(err)
	}
}
