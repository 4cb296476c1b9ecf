package store

import (
	"sync"
	"time"

	"countersign/internal/rulebook"
)

// waitCounts is how long a measured wait is reported.
const waitCounts = time.Second

// waits know how long deliveries wait for a worker.
type waits struct {
	mu   sync.Mutex
	last map[rulebook.Scheme]wait
}

type wait struct {
	took time.Duration
	at   time.Time
}

func newWaits() *waits { return &waits{last: map[rulebook.Scheme]wait{}} }

// note notes that a delivery begins that was due at a time.
func (w *waits) note(scheme rulebook.Scheme, due time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last[scheme] = wait{took: time.Since(due), at: time.Now()}
}

// Wait returns how long the last delivery of a scheme waited for a worker of this process; 0 when none began within
// the last second.
func (j *Jobs) Wait(scheme rulebook.Scheme) time.Duration {
	j.waits.mu.Lock()
	defer j.waits.mu.Unlock()
	last := j.waits.last[scheme]
	if time.Since(last.at) > waitCounts {
		return 0
	}
	return last.took
}
