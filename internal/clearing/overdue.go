package clearing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/lifecycle"
)

// What is overdue is the one thing that must not wait, so the clock looks for it apart from all else, by one statement for the list and
// three for up to 64 messages at a time. It waits for no answer of the database either: a look that takes longer than looks do is
// overtaken by another one on a new connection, and the first that ends well ends the others. What two looks move, the guard of the
// statement moves once.

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
	// stalledLooks is how many looks in a row may find what is overdue and not move it together in time, before it is moved one by one.
	stalledLooks = 2
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
	usual   time.Duration    // how long the list takes, or took a while ago
	failed  bool             // the last look that ended did
	inVain  int              // looks that failed since the database answered
	stalled int              // looks in a row that found something and could not move it in time
}

// glance is one look that is under way.
type glance struct {
	end      context.CancelFunc
	answered time.Time // when the database last did
	moves    bool      // it has its list
}

// watchOverdue looks again and again, until the context ends.
func (s *Station) watchOverdue(ctx context.Context, group *sync.WaitGroup) {
	ticker := time.NewTicker(overdueEvery)
	defer ticker.Stop()
	for {
		for _, realm := range s.realms() {
			o := s.overdue.in(realm)
			begin, beside := o.due(time.Now())
			if beside {
				s.cfg.Due.Renew()
			}
			if begin {
				group.Go(func() { s.glance(ctx, realm) })
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

// due says whether another look is to begin, and whether beside one that takes too long.
func (o *overdue) due(now time.Time) (begin, beside bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.looks) == 0 {
		since := now.Sub(o.began)
		return o.failed && since >= soonest || since >= watchEvery-overdueEvery/2, false
	}
	for one := range o.looks {
		slow := max(overdueEvery, 3*o.usual)
		if one.moves {
			slow *= 2 // a few statements, one after the other
		}
		if now.Sub(one.answered) < slow {
			return false, false
		}
	}
	begin = len(o.looks) < maxLooks
	return begin, begin
}

// glance looks once in a realm, and moves what it finds.
func (s *Station) glance(ctx context.Context, realm string) {
	o := s.overdue.in(realm)
	ctx, end := context.WithCancel(ctx)
	defer end()
	began := time.Now()
	one := &glance{end: end, answered: began}
	o.mu.Lock()
	o.began, o.looks[one] = began, true
	o.mu.Unlock()
	err := s.moveOverdue(ctx, realm, func(listed time.Duration) { o.answered(one, listed) })
	first, again := o.ended(ctx, one, err)
	if first {
		s.warn(ctx, err, "look for what is overdue", "realm", realm)
	}
	if err != nil && ctx.Err() == nil {
		s.cfg.Due.Renew()
	}
	if again {
		s.overdue.follow(began)
	}
}

// answered notes that the database answered; listed is how long the list took, 0 for another answer.
func (o *overdue) answered(one *glance, listed time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one.answered, one.moves, o.inVain = time.Now(), true, 0
	if listed > 0 {
		o.usual = max(listed, (3*o.usual+listed)/4)
	}
}

// ended notes the end of a look. One that ended well ends the others that are under way. It says whether this one is the first that failed
// after others did not, and whether it is to be followed at once.
func (o *overdue) ended(ctx context.Context, one *glance, err error) (first, again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.looks, one)
	if ctx.Err() != nil {
		return false, false // another one was faster, or the program ends
	}
	first = err != nil && !o.failed
	o.failed = err != nil
	if err == nil {
		for other := range o.looks {
			other.end()
		}
		return false, false
	}
	o.inVain++
	return first, o.inVain < maxInVain
}

// moveOverdue notes of everything that is overdue in a realm that the scheme's time passed without an answer. It tells when the database
// answered, and returns what the database failed with.
func (s *Station) moveOverdue(ctx context.Context, realm string, answered func(listed time.Duration)) error {
	o, began := s.overdue.in(realm), time.Now()
	limited, cancel := context.WithTimeout(ctx, o.patience.now())
	ids, err := s.cfg.Due.Overdue(limited, realm, s.dueTimes(s.stuck.held(s.now()), watchPage))
	cancel()
	if ctx.Err() == nil {
		o.patience.after(err)
	}
	if err != nil {
		return err
	}
	answered(time.Since(began))
	together := o.together()
	for some := range slices.Chunk(ids, together) {
		err = s.timeOut(ctx, realm, some, together == 1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o.moving.after(err)
		if err != nil && (together > 1 || !errors.Is(err, context.DeadlineExceeded)) {
			break // the next look begins anew; what is slow by itself holds up no other
		}
		answered(0)
	}
	o.moved(err)
	return err
}

// together is how many messages are moved by one statement: one, after looks that could not move what they found. What holds up the one
// that is at fault, such as a row that somebody else has locked, then holds up no other.
func (o *overdue) together() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stalled >= stalledLooks {
		return 1
	}
	return lifecycle.MaxTogether
}

// moved notes what came of moving what was found. A connection that broke says nothing of what was moved by it.
func (o *overdue) moved(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stalled++
	if !errors.Is(err, context.DeadlineExceeded) {
		o.stalled = 0
	}
}

// timeOut notes of some messages, or of one alone after looks that stalled, that the scheme's time passed without an answer. One that
// cannot be moved by itself pauses, and is named in the log the first time. The error is about the database, and says nothing of any of
// them.
func (s *Station) timeOut(ctx context.Context, realm string, ids []uuid.UUID, alone bool) error {
	// A row that somebody else has locked is waited for twice: with all others, and by itself.
	limited, cancel := context.WithTimeout(ctx, 2*s.overdue.in(realm).moving.now())
	defer cancel()
	ends := make([]func(error), len(ids))
	for i, id := range ids {
		_, ends[i] = s.cfg.Traces.Message(limited, id, "time out")
	}
	failed := s.cfg.Due.TransactAll(limited, realm, ids, func(m payment.Message) (payment.Transition, error) {
		return m.TimeOut(s.cfg.AnswerWithin, s.now())
	})
	var away error
	for i, err := range failed {
		ends[i](err)
		database := errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown)
		if database || !alone && limited.Err() != nil {
			away = cmp.Or(away, err) // no message pauses for a connection that broke, or for all that is slow
			continue
		}
		if s.stuck.attempted(ctx, ids[i], s.now(), err) && !moved(err) {
			s.warn(ctx, err, "move a message that is due", "realm", realm, "internalId", ids[i])
		}
	}
	if away != nil && limited.Err() != nil {
		away = errors.Join(away, limited.Err())
	}
	return away
}
