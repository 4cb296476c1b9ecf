package clearing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"countersign/internal/store"
)

const (
	// maxBackoff bounds the pauses between attempts.
	maxBackoff = 30 * time.Second
	// maxDatabasePause bounds the pauses after what the database did not do, which says nothing of the message: it is back as suddenly.
	maxDatabasePause = time.Second
	// maxPauses bounds what is remembered of failed attempts. What is forgotten, as at a restart, is tried at once.
	maxPauses = 10_000
	// forgetAfter is how long nothing is tried, though it might be, until it is taken to be done: by another gateway, or by a job.
	forgetAfter = time.Minute
)

// backoff is the pause after the given number of failed attempts: 100 ms, doubled each time, at most 30 s.
func backoff(attempts int) time.Duration {
	const first = 100 * time.Millisecond
	if attempts > 9 {
		return maxBackoff
	}
	return min(maxBackoff, first<<(max(attempts, 1)-1))
}

// pauses remember what failed, so that it is tried again with growing pauses and is not in the way of others meanwhile.
type pauses[K comparable] struct {
	begun int // attempts that others made before
	mu    sync.Mutex
	of    map[K]attempt
}

// afterJobs is how many failed attempts are taken to lie behind what a lane takes up from the job queue, so that the first pause is 800 ms.
const afterJobs = 3

type attempt struct {
	failed   int
	database int // of those, for the database
	next     time.Time
	free     time.Time // when the clock found that it might be tried; zero since the last attempt, or the end of its pause
	why      error     // the last time
}

func newPauses[K comparable](begun int) *pauses[K] {
	return &pauses[K]{begun: begun, of: make(map[K]attempt)}
}

// held lists what is not to be tried yet. A pause longer than any was set by a clock that has gone back since.
func (p *pauses[K]) held(now time.Time) []K {
	p.mu.Lock()
	defer p.mu.Unlock()
	var held []K
	for key, a := range p.of {
		if pause := a.next.Sub(now); pause > 0 && pause <= maxBackoff {
			held = append(held, key)
		}
	}
	return held
}

// failed notes an attempt and returns whether it was the first that failed: for the database, or for another reason.
func (p *pauses[K]) failed(key K, now time.Time, err error) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.of) >= maxPauses {
		clear(p.of)
	}
	a := p.of[key]
	a.failed++
	pause := backoff(a.failed - a.database + p.begun)
	first = a.failed-a.database == 1
	if ofDatabase(err) {
		a.database++
		first = a.database == 1
		pause = min(pause, maxDatabasePause)
	}
	a.next, a.free, a.why = now.Add(pause), time.Time{}, err
	p.of[key] = a
	return first
}

// forget forgets what has not been tried for a while though it might be: what is still to be done is tried soon after its pause.
func (p *pauses[K]) forget(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, a := range p.of {
		switch {
		case a.next.After(now):
		case a.free.IsZero() || a.free.After(now): // by a clock that has gone back since
			a.free = now
			p.of[key] = a
		case now.Sub(a.free) > forgetAfter:
			delete(p.of, key)
		}
	}
}

// has says whether a subject pauses, or did until a moment ago.
func (p *pauses[K]) has(subject string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.of {
		if fmt.Sprint(key) == subject {
			return true
		}
	}
	return false
}

// ofDatabase says whether an error is about the database, and not about what it was asked.
func ofDatabase(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrBusy)
}

// end ends the pause of a subject, or all pauses with "". How often something failed is remembered.
func (p *pauses[K]) end(subject string) {
	p.endThose(func(key K, _ error) bool { return subject == "" || fmt.Sprint(key) == subject })
}

// endThose ends pauses by what paused and why.
func (p *pauses[K]) endThose(which func(key K, why error) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, a := range p.of {
		if which(key, a.why) {
			a.next, a.free = time.Time{}, time.Time{}
			p.of[key] = a
		}
	}
}

// done forgets what succeeded.
func (p *pauses[K]) done(key K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, key)
}

// attempted notes what came of an attempt, and returns whether it was the first that failed. What was not tried, because the connection is
// interrupted or the program stops, neither failed nor succeeded.
func (p *pauses[K]) attempted(ctx context.Context, key K, now time.Time, err error) (firstFailure bool) {
	switch {
	case err == nil:
		p.done(key)
	case !errors.Is(err, errInterrupted) && ctx.Err() == nil:
		return p.failed(key, now, err)
	}
	return false
}
