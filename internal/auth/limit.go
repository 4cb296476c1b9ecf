package auth

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits of tries to sign in, beside the lock of a name. Each process counts for itself and in memory.
const (
	// addressEvery and addressBurst: one address (of IPv6 one /64 network) has 60 tries at once and one more each half second. An office
	// behind one address signs in within minutes; a flood from one address costs as much as a slow typist.
	addressEvery = 500 * time.Millisecond
	addressBurst = 60
	// clientEvery and clientBurst: a client that proved its secret has 300 tries at once and 20 more each second, for all its users.
	clientEvery = 50 * time.Millisecond
	clientBurst = 300
	// limitEntries limits the addresses, and the clients, that are remembered; 200 bytes each.
	limitEntries = 10_000
)

// LimitError reports too many tries of this address or this client. Others are not affected.
type LimitError struct {
	RetryAfter time.Duration
}

func (e *LimitError) Error() string { return "too many tries to sign in from one address or client" }

// limits counts tries by a key.
type limits struct {
	mu      sync.Mutex
	every   time.Duration
	burst   int
	entries map[string]*rate.Limiter
}

func newLimits(every time.Duration, burst int) *limits {
	return &limits{every: every, burst: burst, entries: map[string]*rate.Limiter{}}
}

// take counts one try. Error: *LimitError.
func (l *limits) take(key string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter, known := l.entries[key]
	if !known {
		l.makeRoom(now)
		limiter = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.entries[key] = limiter
	}
	if limiter.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - limiter.TokensAt(now)) * float64(l.every))
	return &LimitError{RetryAfter: max(wait, time.Second)}
}

// makeRoom removes entries without used tries, and any one entry if there is none.
func (l *limits) makeRoom(now time.Time) {
	if len(l.entries) < limitEntries {
		return
	}
	for key, limiter := range l.entries {
		if limiter.TokensAt(now) >= float64(l.burst) {
			delete(l.entries, key)
		}
	}
	for key := range l.entries {
		if len(l.entries) < limitEntries {
			return
		}
		delete(l.entries, key)
	}
}

// network returns the key under which an address is limited: the address itself, or the /64 network of an IPv6 address, because one owner
// has all of it.
func network(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	parsed = parsed.Unmap().WithZone("")
	if parsed.Is4() {
		return parsed.String()
	}
	prefix, err := parsed.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

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
