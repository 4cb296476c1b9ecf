package clearing

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
)

// deliveries holds the running deliveries of this process.
type deliveries struct {
	mu sync.Mutex
	of map[uuid.UUID]*underway // by the id of the message
}

// underway is a delivery that runs.
type underway struct {
	noted chan struct{}    // closed when after is set, or the delivery ended
	after *payment.Message // the message as the note of its delivery leaves it; nil when there is no note
}

func newDeliveries() *deliveries { return &deliveries{of: make(map[uuid.UUID]*underway)} }

// begin returns false while a delivery of the message runs. Call end after it returned true.
func (d *deliveries) begin(id uuid.UUID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[id] != nil {
		return false
	}
	d.of[id] = &underway{noted: make(chan struct{})}
	return true
}

// delivered records that the note of a delivery is queued, which leaves the message as given.
func (d *deliveries) delivered(after payment.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.of[after.InternalID]; u != nil && u.after == nil {
		u.after = &after
		close(u.noted)
	}
}

func (d *deliveries) end(id uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.of[id]; u.after == nil {
		close(u.noted)
	}
	delete(d.of, id)
}

// wait returns the message as the note of its running delivery leaves it. It waits for the note at most the given time, and returns nil
// when no delivery runs or there is no note in time.
func (d *deliveries) wait(ctx context.Context, id uuid.UUID, most time.Duration) *payment.Message {
	d.mu.Lock()
	u := d.of[id]
	d.mu.Unlock()
	if u == nil {
		return nil
	}
	select {
	case <-u.noted:
		return u.after
	case <-ctx.Done():
	case <-time.After(most):
	}
	return nil
}
