package clearing

import (
	"context"
	"sync"
	"time"

	"countersign/internal/payment"
)

const (
	// maxFlights bounds what a process remembers of messages on their way, in each of two halves.
	maxFlights = 512
	// handedWithin is how long an answer waits for the end of the delivery it overtook.
	handedWithin = 50 * time.Millisecond
)

// flights are messages that this process has just released and sent. What clearing answers finds here what the database says, or will say
// in a moment: the message as it was verified, and as the note of its delivery leaves it. That note stands in line, so what is decided
// about it follows it, in the same transaction where the answer comes soon. It spares a read and a wait, and never decides: the statement
// that writes asks for the very state that is told here, and what has moved since, or was never noted, is read and decided under the lock.
// What is not here, because another process sent it or too much is under way, is read.
type flights struct {
	mu           sync.Mutex
	now, before  map[payment.ID]*flight // those of this time to answer, and of the one before
	began        time.Time              // when the newer half did
	answerWithin time.Duration
}

// flight is one message on its way.
type flight struct {
	handed chan struct{}   // closed when clearing did not take it, or has it and the note of that stands in line
	after  payment.Message // as that note leaves it
	known  bool            // whether after is
}

func newFlights(answerWithin time.Duration) *flights {
	return &flights{now: make(map[payment.ID]*flight), before: make(map[payment.ID]*flight), answerWithin: answerWithin}
}

// begin remembers a message that is about to be handed to clearing. End it with land. What was not answered in time is forgotten.
func (f *flights) begin(id payment.ID, at time.Time) *flight {
	one := &flight{handed: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	if passed := at.Sub(f.began); passed > f.answerWithin || passed < 0 {
		f.before, f.now, f.began = f.now, make(map[payment.ID]*flight), at
	}
	if len(f.now) < maxFlights {
		f.now[id] = one
	}
	return one
}

// land says how the note of its delivery will leave a message; with known false, that it must be read.
func (one *flight) land(after payment.Message, known bool) {
	one.after, one.known = after, known
	close(one.handed)
}

// answered is the message that clearing answers about, if it is one of those: each is told once. It waits a moment for the end of a
// delivery.
func (f *flights) answered(ctx context.Context, id payment.ID) (m payment.Message, known bool) {
	f.mu.Lock()
	one := f.now[id]
	if one == nil {
		one = f.before[id]
	}
	delete(f.now, id)
	delete(f.before, id)
	f.mu.Unlock()
	if one == nil || !ended(ctx, one.handed, handedWithin) {
		return m, false
	}
	return one.after, one.known
}

// ended waits for something to end, and says whether it did in time.
func ended(ctx context.Context, end <-chan struct{}, within time.Duration) bool {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case <-end:
		return true
	case <-limited.Done():
		return false
	}
}
