package auth

import "sync"

// places limits the waiting people of each realm or address: one that hangs, or sends many requests, does not block the others.
type places struct {
	most int // of one realm or address

	mu    sync.Mutex
	taken map[string]int
}

func newPlaces(most int) *places { return &places{most: most, taken: map[string]int{}} }

// take reserves a place until leave is called. Error: *BusyError.
func (p *places) take(of string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[of] >= p.most {
		return nil, &BusyError{RetryAfter: busyRetry}
	}
	p.taken[of]++
	return func() { p.leave(of) }, nil
}

func (p *places) leave(of string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[of]--
	if p.taken[of] == 0 {
		delete(p.taken, of)
	}
}
