package store

import "sync"

// Turns lets the statements of several kinds leave one after the other in a realm; see Gather. Beside each other they would be more, with
// fewer operations in each. The zero value is ready.
type Turns struct {
	mu     sync.Mutex
	realms map[string]chan struct{} // full while something is under way; there are as many as realms
}

// of is the turn of a realm.
func (t *Turns) of(realm string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn, known := t.realms[realm]
	if !known {
		if t.realms == nil {
			t.realms = make(map[string]chan struct{})
		}
		turn = make(chan struct{}, 1)
		t.realms[realm] = turn
	}
	return turn
}

// takeFree takes the turn if it is nobody's.
func (t *Turns) takeFree(realm string) bool {
	select {
	case t.of(realm) <- struct{}{}:
		return true
	default:
		return false
	}
}

// take waits for the turn and takes it: the one that waits longest has it first.
func (t *Turns) take(realm string) { t.of(realm) <- struct{}{} }

// pass gives the turn to the next.
func (t *Turns) pass(realm string) { <-t.of(realm) }
