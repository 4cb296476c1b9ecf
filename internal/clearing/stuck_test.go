package clearing_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestWhatAnotherGatewayDidIsStuckNoLonger: a delivery that failed here pauses, and is forgotten when another gateway has made it.
func TestWhatAnotherGatewayDidIsStuckNoLonger(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	other := h.Again(t, servicetest.Options{})
	m := approved(t, h, rulebook.SchemeSIC)
	h.Network.Refuse = func(servicetest.Delivery) error { return errors.New("the connection broke") }
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	if stuck := h.Clearing.Stuck(); len(stuck) != 1 || stuck[0].Subject != m.InternalID.String() {
		t.Fatalf("stuck is %+v", stuck)
	}
	h.Network.Refuse = nil
	send(t, other, m)
	for range 3 {
		h.Clock.Add(31 * time.Second)
		h.Clearing.RunOnce(ctx)
	}
	if stuck := h.Clearing.Stuck(); len(stuck) != 0 {
		t.Errorf("what another gateway sent is stuck here: %+v", stuck)
	}
}

// TestWhatIsBeyondTheListIsTriedAgain: more than a hundred deliveries pause, and the operator names one that is not listed.
func TestWhatIsBeyondTheListIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	h.Network.Refuse = func(servicetest.Delivery) error { return clearing.ErrOtherDocument }
	waiting := map[string]bool{}
	for range 101 {
		waiting[approved(t, h, rulebook.SchemeSIC).InternalID.String()] = true
	}
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	stuck := h.Clearing.Stuck()
	for _, one := range stuck {
		delete(waiting, one.Subject)
	}
	if len(stuck) != 100 || len(waiting) != 1 {
		t.Fatalf("%d are listed, %d are not", len(stuck), len(waiting))
	}
	for subject := range waiting {
		paused, err := h.Clearing.TryAgain(ctx, h.Person(t, "supervisor1"), subject)
		if err != nil || !paused {
			t.Errorf("what is not listed pauses: %t, %v", paused, err)
		}
	}
}
