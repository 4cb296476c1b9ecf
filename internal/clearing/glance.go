package clearing

import (
	"context"
	"sync"
	"time"

	"countersign/internal/store"
)

// What is overdue is the one thing that must not wait, so the clock looks for it apart from all else. A look is one statement for the list
// and three for up to 64 messages at a time. It waits for no database that does not answer: a look of which no statement was answered for
// a second at most stands still, and is overtaken by another one on a new connection; the first that ends well ends those that stand
// still. A look that is only slow, statement by statement, is left alone. What two looks move, the guard of the statement moves once.

const (
	// overdueEvery is the pause between two ticks.
	overdueEvery = 250 * time.Millisecond
	// soonest is the shortest time between the beginnings of two looks of a realm: a look that failed is followed at once, because a
	// connection that broke may be followed by one that lives no longer than a look takes.
	soonest = 100 * time.Millisecond
	// maxInVain is how many looks in a row may follow each other so without any answer; then the database is away, and each tick is enough.
	maxInVain = 10
	// maxLooks bounds the looks of a realm that are under way.
	maxLooks = 4
	// minStill and maxStill bound the time without an answer after which a look stands still: three times as long as answers take.
	minStill = 500 * time.Millisecond
	maxStill = time.Second
)

// overdues are the realms in which the clock looks for what is overdue.
type overdues struct {
	mu    sync.Mutex
	of    map[string]*overdue
	again chan struct{} // a look is to be followed at once
}

func newOverdues() overdues {
	return overdues{of: make(map[string]*overdue), again: make(chan struct{}, 1)}
}

// follow has the look after one that began at a time begin without waiting for the tick.
func (o *overdues) follow(began time.Time) {
	time.AfterFunc(soonest-time.Since(began), func() {
		select {
		case o.again <- struct{}{}:
		default: // it will
		}
	})
}

func (o *overdues) in(realm string) *overdue {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.of[realm]
	if found == nil {
		found = &overdue{looks: make(map[*glance]bool)}
		o.of[realm] = found
	}
	return found
}

// overdue is how the looks of one realm go.
type overdue struct {
	patience patience // with the list
	moving   patience // with what moves messages

	mu      sync.Mutex
	looks   map[*glance]bool // under way
	began   time.Time        // when the last did
	usual   time.Duration    // how long an answer takes, or took a while ago
	failed  bool             // the last look that ended did
	inVain  int              // looks that failed since the database said what is overdue
	stalled int              // looks in a row that found something and could not move it in time
}

// glance is one look that is under way.
type glance struct {
	end      context.CancelFunc
	answered time.Time // when the database last did
	// beside one that stands still and is patient with the database. There is one such at a time, so that there is room for the next, and at
	// any time, so that a database that is slower than a look may stand still is waited for.
	beside bool
	alone  bool // what it finds is moved one by one
}

// watchOverdue looks again and again, until the context ends.
func (s *Station) watchOverdue(ctx context.Context, group *sync.WaitGroup) {
	ticker := time.NewTicker(overdueEvery)
	defer ticker.Stop()
	for {
		for _, realm := range s.realms() {
			one, beside := s.overdue.in(realm).due(time.Now())
			if beside {
				s.cfg.Due.Renew()
			}
			if one != nil {
				group.Go(func() { s.glance(ctx, realm, one) })
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.overdue.again:
		}
	}
}

// due begins another look when it is time for one, and says whether one that is patient is under way. The look counts from here on, and not
// from when a processor is free for it: else the next tick would begin it again.
func (o *overdue) due(now time.Time) (one *glance, beside bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	since := now.Sub(o.began)
	begin := o.failed && since >= soonest || since >= watchEvery-overdueEvery/2
	if len(o.looks) > 0 {
		for other := range o.looks {
			if !o.still(other, now) {
				return nil, false
			}
			beside = beside || !other.beside
		}
		begin = len(o.looks) < maxLooks
	}
	if begin {
		one = o.begin(now, beside)
	}
	return one, beside
}

// begin notes a look that begins; whoever calls has the lock.
func (o *overdue) begin(now time.Time, beside bool) *glance {
	one := &glance{end: func() {}, answered: now, beside: beside}
	o.began, o.looks[one] = now, true
	return one
}

// beginAlone begins a look whatever others do.
func (o *overdue) beginAlone() *glance {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begin(time.Now(), false)
}

// still says whether a look stands still.
func (o *overdue) still(one *glance, now time.Time) bool {
	return now.Sub(one.answered) >= min(max(minStill, 3*o.usual), maxStill)
}

// glance is a look of a realm, and moves what it finds.
func (s *Station) glance(ctx context.Context, realm string, one *glance) {
	o, began := s.overdue.in(realm), one.answered
	ctx, end := context.WithCancel(ctx)
	defer end()
	o.mu.Lock()
	one.end = end
	o.mu.Unlock()
	err := s.moveOverdue(store.WhenAnswered(ctx, func() { o.answered(one) }), realm, one)
	s.complain(ctx, err, "look for what is overdue", "realm", realm)
	again := o.ended(ctx, one, err)
	if err != nil && ctx.Err() == nil {
		s.cfg.Due.Renew()
	}
	if again {
		s.overdue.follow(began)
	}
}

// answered notes that the database answered a look.
func (o *overdue) answered(one *glance) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	took := now.Sub(one.answered)
	o.usual, one.answered = max(took, (3*o.usual+took)/4), now
}

// ended notes the end of a look. One that ended well ends the others that stand still. It says whether this one is to be followed at once.
func (o *overdue) ended(ctx context.Context, one *glance, err error) (again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.looks, one)
	if ctx.Err() != nil {
		return false // another one was faster, or the program ends
	}
	o.failed = err != nil
	if err == nil {
		now := time.Now()
		for other := range o.looks {
			if o.still(other, now) {
				other.end()
			}
		}
		return false
	}
	o.inVain++
	return o.inVain < maxInVain
}

// listed notes that the database said what is overdue.
func (o *overdue) listed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inVain = 0
}
