package store

import (
	"slices"
	"sync"
	"time"
)

// Turns is a fair lock with a time-out for the statements of several kinds in a realm; see Gather. Parallel
// statements would be more, with fewer operations each.
//
// A kind whose wait times out proceeds without the lock, so a dead connection does not block the others.
type Turns struct {
	within time.Duration

	mu sync.Mutex
	of map[string]*line // by realm; there are as many as realms
}

// line is one lock with its waiters, longest wait first.
type line struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan struct{}
}

// NewTurns makes turns for kinds that wait so long for theirs at most.
func NewTurns(within time.Duration) *Turns { return &Turns{within: within, of: make(map[string]*line)} }

// line is that of a realm.
func (t *Turns) line(realm string) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, known := t.of[realm]
	if !known {
		own = &line{}
		t.of[realm] = own
	}
	return own
}

// takeFree takes the turn if it is nobody's; else it returns nil. Pass it on.
func (t *Turns) takeFree(realm string) *line {
	l := t.line(realm)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.takeIfFree() {
		return nil
	}
	return l
}

// takeIfFree locks the turn if it is free and reports whether it did. The caller holds the mutex of line.
func (l *line) takeIfFree() bool {
	if l.taken {
		return false
	}
	l.taken = true
	return true
}

// take waits for the turn and takes it, or returns nil when the wait is over before. Pass it on.
func (t *Turns) take(realm string) *line {
	l := t.line(realm)
	had := l.stand()
	if had == nil {
		return l
	}
	late := time.NewTimer(t.within)
	defer late.Stop()
	select {
	case <-had:
		return l
	case <-late.C:
	}
	if l.leave(had) {
		return nil
	}
	return l // it came just now
}

// stand takes the turn if it is nobody's, else stands in line; the channel is closed when the turn has come.
func (l *line) stand() (had chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.takeIfFree() {
		return nil
	}
	had = make(chan struct{})
	l.waiting = append(l.waiting, had)
	return had
}

// leave removes a waiter from the line and reports whether the waiter was still in it.
func (l *line) leave(had chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, had)
	if at < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, at, at+1)
	return true
}

// pass gives the turn to the next. Who goes without one has none to give.
func (l *line) pass() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.taken = false
		return
	}
	close(l.waiting[0])
	l.waiting = slices.Delete(l.waiting, 0, 1)
}
