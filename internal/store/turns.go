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
// say, does not hold up the others, and kinds whose connections are kept apart (see Use) can share turns.
type Turns struct {
	within time.Duration
	ahead  bool
	lines  *lines
}

// lines are those of all kinds that share turns, by realm; there are as many as realms.
type lines struct {
	mu sync.Mutex
	of map[string]*line
}

// line is one turn, and who waits for it, longest first.
type line struct {
	mu            sync.Mutex
	taken         bool
	ahead, behind []chan struct{}
}

// NewTurns makes turns for kinds that wait so long for theirs at most.
func NewTurns(within time.Duration) *Turns {
	return &Turns{within: within, lines: &lines{of: make(map[string]*line)}}
}

// Ahead are the same turns for kinds that have theirs before all that wait for NewTurns's, and wait so long at most.
func (t *Turns) Ahead(within time.Duration) *Turns {
	return &Turns{within: within, ahead: true, lines: t.lines}
}

// line is that of a realm.
func (t *Turns) line(realm string) *line {
	t.lines.mu.Lock()
	defer t.lines.mu.Unlock()
	own, known := t.lines.of[realm]
	if !known {
		own = &line{}
		t.lines.of[realm] = own
	}
	return own
}

// takeFree takes the turn if it is nobody's; else it returns nil. Pass it on.
func (t *Turns) takeFree(realm string) *line {
	l := t.line(realm)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken {
		return nil
	}
	l.taken = true
	return l
}

// take waits for the turn and takes it, or returns nil when the wait is over before. Pass it on.
func (t *Turns) take(realm string) *line {
	l := t.line(realm)
	had := t.stand(l)
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
func (t *Turns) stand(l *line) (had chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.taken {
		l.taken = true
		return nil
	}
	had = make(chan struct{})
	if t.ahead {
		l.ahead = append(l.ahead, had)
	} else {
		l.behind = append(l.behind, had)
	}
	return had
}

// leave takes somebody out of the line, and says whether they still stood there.
func (l *line) leave(had chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	waited := len(l.ahead) + len(l.behind)
	own := func(each chan struct{}) bool { return each == had }
	l.ahead, l.behind = slices.DeleteFunc(l.ahead, own), slices.DeleteFunc(l.behind, own)
	return len(l.ahead)+len(l.behind) < waited
}

// pass gives the turn to the next. Who goes without one has none to give.
func (l *line) pass() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, waiting := range []*[]chan struct{}{&l.ahead, &l.behind} {
		if len(*waiting) > 0 {
			close((*waiting)[0])
			*waiting = slices.Delete(*waiting, 0, 1)
			return
		}
	}
	l.taken = false
}
