package clearing

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/internal/payment"
	"countersign/internal/store"
)

const (
	// watchEvery is the pause between two looks at the clock. States that depend on time are late by at most this and a moment.
	watchEvery = 500 * time.Millisecond
	// jobsLead is how long the job queue has a released message to itself before its lane sends it: longer than the pauses between its
	// attempts, short enough that a message whose job died with the process goes out within the scheme's time.
	jobsLead = 4 * time.Second
	// watchPage bounds what one look takes up of each kind in a realm; the rest follows at the next.
	watchPage = 500
	// clockParallel bounds the messages that the clock moves at once besides those that are overdue, which it moves together.
	clockParallel = 3
	// listWithin is how long a list for a lane may take.
	listWithin = 2 * time.Second
	// stepFor is how long a step begins moves in a realm; what is left then is for the next look.
	stepFor = time.Second
	// dueTimeout limits the list of other due messages, and each of their transitions.
	dueTimeout = 3 * time.Second
)

// Watch polls the database until the context ends. It makes overdue messages Unconfirmed, expires undecided ones, sends the messages that
// no job sends any more, and asks about unconfirmed ones. The clock waits for no lane, and no realm waits for another. Several processes
// may watch at once: the WHERE clause of each UPDATE checks the state.
func (s *Station) Watch(ctx context.Context) {
	var group sync.WaitGroup
	for _, l := range s.lanes {
		group.Go(func() { repeat(ctx, l.answer) })
	}
	group.Go(func() { repeat(ctx, s.sweepHeld) })
	group.Go(func() { repeat(ctx, s.sweepKeys) })
	s.listRealms(ctx)
	group.Go(func() { repeat(ctx, s.listRealms) })
	group.Go(func() { repeat(ctx, func(ctx context.Context) { s.eachRealm(ctx, &group) }) })
	group.Go(func() { repeat(ctx, func(ctx context.Context) { s.scanAll(ctx, &group) }) })
	group.Wait()
}

// repeat does something at every look.
func repeat(ctx context.Context, do func(context.Context)) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		do(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Sweep does once, for every realm, what Watch does all the time, and waits for it.
func (s *Station) Sweep(ctx context.Context) {
	var group sync.WaitGroup
	s.listRealms(ctx)
	s.scanAll(ctx, &group)
	s.eachRealm(ctx, &group)
	group.Wait()
	for _, l := range s.lanes {
		group.Go(func() { l.answer(ctx) })
	}
	group.Wait()
	s.sweepKeys(ctx)
	s.sweepHeld(ctx)
}

// eachRealm starts a poll in every realm in which none runs.
func (s *Station) eachRealm(ctx context.Context, group *sync.WaitGroup) {
	for _, realm := range s.realms() {
		if !s.looking.begin(realm) {
			continue
		}
		group.Go(func() {
			defer s.looking.end(realm)
			s.poll(ctx, realm, group)
		})
	}
}

// realms are those of the last time that the database said.
func (s *Station) realms() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// listRealms takes note of all realms. While the database does not say, those of the last time are known, and no look waits for it. When it
// does, what is to be done is tried, and what is tried no more is forgotten.
func (s *Station) listRealms(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	realms, err := s.cfg.Due.Realms(limited)
	s.complain(ctx, err, "watch the clock")
	if err != nil {
		return
	}
	s.forgetDone()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = realms
}

// poll moves the due messages of a realm, apart from the overdue ones, and starts the tasks of the lanes for which messages wait. It does
// not wait for those tasks.
func (s *Station) poll(ctx context.Context, realm string, group *sync.WaitGroup) {
	due, err := s.due(ctx, realm)
	s.complain(ctx, err, "watch the clock", "realm", realm)
	for _, l := range s.lanes {
		if due.Lanes[l.scheme].Undelivered {
			l.deliver(ctx, group, realm)
		}
		if due.Lanes[l.scheme].ToInquire {
			l.ask(ctx, group, realm)
		}
	}
	var steps sync.WaitGroup
	steps.Go(func() { s.each(ctx, realm, due.Expired, s.expire) })
	steps.Go(func() { s.each(ctx, realm, due.FallingDue, s.fallDue) })
	steps.Go(func() { s.each(ctx, realm, due.ToAnswer, s.noteLateAnswer) })
	steps.Wait()
}

func (s *Station) due(ctx context.Context, realm string) (store.Due, error) {
	limited, cancel := context.WithTimeout(ctx, dueTimeout)
	defer cancel()
	return s.cfg.Due.Due(limited, realm, s.dueTimes(s.stuck.held(s.cfg.Now()), watchPage))
}

func (s *Station) dueTimes(held []uuid.UUID, page int32) store.DueTimes {
	now := s.cfg.Now()
	return store.DueTimes{
		Now: now, ReleasedBefore: now.Add(-jobsLead), AcceptedBefore: now.Add(-s.cfg.AnswerWithin),
		AcceptedAfter: now.Add(s.cfg.AnswerWithin), InquireAfter: now.Add(maxInquiryPause), Held: held, PageSize: page,
	}
}

// each moves messages, some at a time. One that cannot be moved pauses, so that it is not in the way of newer ones, and is named in the log
// the first time.
func (s *Station) each(ctx context.Context, realm string, ids []uuid.UUID, work func(context.Context, string, uuid.UUID) error) {
	var group errgroup.Group
	group.SetLimit(clockParallel)
	begin, cancel := context.WithTimeout(ctx, stepFor)
	defer cancel()
	for _, id := range ids {
		group.Go(func() error {
			select {
			case s.moves <- struct{}{}:
				defer func() { <-s.moves }()
			case <-begin.Done():
				return nil // at the next look
			}
			one, cancel := context.WithTimeout(ctx, dueTimeout)
			defer cancel()
			err := work(one, realm, id)
			if s.stuck.attempted(ctx, id, s.cfg.Now(), err) && !moved(err) {
				s.warn(ctx, err, "move a message that is due", "realm", realm, "internalId", id)
			}
			return nil
		})
	}
	_ = group.Wait()
}

func (s *Station) expire(ctx context.Context, realm string, id uuid.UUID) error {
	_, err := s.cfg.Due.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.Expire(s.cfg.Now())
	})
	return err
}

// fallDue notes that a recall had no answer in time.
func (s *Station) fallDue(ctx context.Context, realm string, id uuid.UUID) error {
	_, err := s.cfg.Due.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.FallDue(s.cfg.Now())
	})
	return err
}

// noteLateAnswer notes what a crash cut off.
func (s *Station) noteLateAnswer(ctx context.Context, realm string, recall uuid.UUID) error {
	return s.noteAnswer(ctx, s.cfg.Due, realm, recall)
}
