package store

import (
	"slices"
	"sync"
	"time"
)

// Turns lets the statements of several kinds leave one after the other in a realm; see Gather. Beside each other they would be more, with
// fewer operations in each.
//
// Nobody waits for long: a kind whose wait is over goes without a turn. So what stands still, on a connection that swallows what is sent,
// say, does not hold up the others; they go by another one.
type Turns struct {
	within time.Duration

	mu sync.Mutex
	of map[string]*line // by realm; there are as many as realms
}

// line is one turn, and who waits for it, longest first.
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

// takeIfFree takes the turn if it is nobody's, and says whether it did. The line is locked.
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

// leave takes somebody out of the line, and says whether they still stood there.
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
