package store

import (
	"sync"
	"time"
)

// FairMutex is a lock for each realm that is given to the longest waiter, with a time-out: a waiter that times out
// proceeds without the lock, so a dead connection does not block the others. It serialises the statements of several
// batchers: parallel statements would be more, with fewer operations each.
type FairMutex struct {
	within time.Duration

	mu sync.Mutex
	of map[string]chan struct{} // by realm; full while locked, and its senders are served in their order
}

// NewFairMutex returns a mutex whose waiters give up after a time.
func NewFairMutex(within time.Duration) *FairMutex {
	return &FairMutex{within: within, of: make(map[string]chan struct{})}
}

func (m *FairMutex) realm(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	own, known := m.of[name]
	if !known {
		own = make(chan struct{}, 1)
		m.of[name] = own
	}
	return own
}

// TryLock locks the realm if it is free, and reports whether it did.
func (m *FairMutex) TryLock(realm string) (unlock func(), locked bool) {
	own := m.realm(realm)
	select {
	case own <- struct{}{}:
		return func() { <-own }, true
	default:
		return nil, false
	}
}

// Lock locks the realm. After the time-out it returns without the lock, and unlock does nothing.
func (m *FairMutex) Lock(realm string) (unlock func()) {
	own := m.realm(realm)
	select {
	case own <- struct{}{}:
		return func() { <-own }
	case <-time.After(m.within):
		return func() {}
	}
}
