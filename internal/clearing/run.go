package clearing

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
)

const (
	// pollEvery is the pause between two polls. States that depend on time are late by at most this and a moment.
	pollEvery = 500 * time.Millisecond
	// deliveryLead is the time for which a released message is left to the nudge, in any process, before a poll offers it: longer than a
	// delivery, but short enough that the message of a crashed process leaves within the scheme's time.
	deliveryLead = 4 * time.Second
	// pollPage bounds what one list returns of each kind in a realm.
	pollPage = 500
	// clockWorkers bounds the messages that the clock moves at a time besides overdue ones, which it moves in batches.
	clockWorkers = 3
	// listTimeout limits a list of messages or documents for a dispatcher.
	listTimeout = 2 * time.Second
	// dueTimeout limits the list of other due messages, and each of their transitions.
	dueTimeout = 3 * time.Second
	// confirmWithin is the time for the confirmation of an incoming payment before the alarm: longer than the time-out of both schemes, with
	// the retries of our answer.
	confirmWithin = 30 * time.Second
	// finishWithin limits the running tasks when the program ends, and cancelledWithin those that were cancelled.
	finishWithin    = 4 * time.Second
	cancelledWithin = 2 * time.Second
)

// Run polls the database and runs the dispatchers until the context ends; running tasks then get some seconds to finish. It makes overdue
// messages Unconfirmed, expires undecided ones, sends released messages and answers, and asks about unconfirmed ones. No realm and no
// scheme waits for another. Several processes may run at once: the WHERE clause of each UPDATE checks the state. It fails when tasks did
// not end.
func (s *Service) Run(ctx context.Context) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s.cfg.Nudges.Start()
	defer s.cfg.Nudges.Stop()
	var tasks sync.WaitGroup
	for _, d := range s.dispatchers() {
		tasks.Go(func() { d.run(ctx, working) })
	}
	s.watch(ctx)
	ended := make(chan struct{})
	go func() {
		tasks.Wait()
		close(ended)
	}()
	if within(ended, finishWithin) {
		return nil
	}
	stop()
	if within(ended, cancelledWithin) {
		return nil
	}
	return errors.New("stop the dispatchers: some tasks did not end")
}

// within reports whether something ended in time.
func within(ended <-chan struct{}, limit time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// watch polls the database until the context ends.
func (s *Service) watch(ctx context.Context) {
	var polls sync.WaitGroup
	for _, w := range s.schemes {
		polls.Go(func() { repeat(ctx, w.pollAnswers) })
	}
	polls.Go(func() { repeat(ctx, s.pollHeld) })
	polls.Go(func() { repeat(ctx, s.checkKeys) })
	s.listRealms(ctx)
	polls.Go(func() { repeat(ctx, s.listRealms) })
	polls.Go(func() { repeat(ctx, func(ctx context.Context) { s.pollAll(ctx, &polls) }) })
	polls.Go(func() { repeat(ctx, func(ctx context.Context) { s.scanAll(ctx, &polls) }) })
	polls.Wait()
}

// repeat does something at every poll.
func repeat(ctx context.Context, do func(context.Context)) {
	ticker := time.NewTicker(pollEvery)
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

// RunOnce runs one poll of Run for every realm, and waits for it.
func (s *Service) RunOnce(ctx context.Context) {
	var polls sync.WaitGroup
	s.listRealms(ctx)
	s.scanAll(ctx, &polls)
	s.pollAll(ctx, &polls)
	for _, w := range s.schemes {
		polls.Go(func() { w.pollAnswers(ctx) })
	}
	s.checkKeys(ctx)
	s.pollHeld(ctx)
	polls.Wait()
	s.Drain(ctx)
}

// Drain runs the ready tasks, and waits for them.
func (s *Service) Drain(ctx context.Context) {
	var all sync.WaitGroup
	for _, d := range s.dispatchers() {
		all.Go(func() { d.drain(ctx) })
	}
	all.Wait()
}

// pollAll starts a poll in every realm in which none runs.
func (s *Service) pollAll(ctx context.Context, polls *sync.WaitGroup) {
	for _, realm := range s.realms() {
		s.looking.start(polls, realm, func() { s.poll(ctx, realm, polls) })
	}
}

// realms returns the realms of the last successful read.
func (s *Service) realms() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// listRealms reads all realms. While the database does not answer, the realms of the last time are polled.
func (s *Service) listRealms(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	realms, err := s.cfg.Due.Realms(limited)
	s.logOnce(ctx, err, "watch the clock")
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = realms
}

// poll offers the due messages of a realm to the clock, apart from the overdue ones, and polls for the dispatchers of the schemes for which
// messages wait. It does not wait for these.
func (s *Service) poll(ctx context.Context, realm string, polls *sync.WaitGroup) {
	s.pollJobs(ctx, polls, realm)
	limited, cancel := context.WithTimeout(ctx, dueTimeout)
	due, err := s.cfg.Due.Due(limited, realm, s.dueTimes(s.clock.ids(realm), pollPage))
	cancel()
	s.logOnce(ctx, err, "watch the clock", "realm", realm)
	for _, w := range s.schemes {
		if due.Schemes[w.scheme].Undelivered {
			w.pollMessages(ctx, polls, realm, w.deliveries, w.cfg.Messages.Undelivered, w.offerDelivery)
		}
		if due.Schemes[w.scheme].ToInquire {
			w.pollMessages(ctx, polls, realm, w.inquiries, w.cfg.Messages.ToInquire, w.offerInquiry)
		}
	}
	for _, m := range due.ToConfirm {
		s.alarmOnce(ctx, "unsettled "+m.ID.String(), "clearing has not confirmed the settlement of an incoming payment that was accepted: it is "+
			"not booked", "realm", realm, "internalId", m.ID, "globalId", m.GlobalID)
	}
	s.pollBookings(ctx, realm)
	s.offerMoves(realm, due.Expired, func(m payment.Message) (payment.Transition, error) { return m.Expire(s.cfg.Now()) })
	s.offerMoves(realm, due.FallingDue, func(m payment.Message) (payment.Transition, error) { return m.FallDue(s.cfg.Now()) })
	s.offerSteps(realm, due.ToAnswer, func(ctx context.Context, id uuid.UUID) error { return s.noteAnswer(ctx, s.cfg.Due, realm, id) })
}

func (s *Service) dueTimes(held []uuid.UUID, page int32) store.DueTimes {
	now := s.cfg.Now()
	return store.DueTimes{
		Now: now, ReleasedBefore: now.Add(-deliveryLead), AcceptedBefore: now.Add(-AnswerWithin),
		AcceptedAfter: now.Add(AnswerWithin), InquireAfter: now.Add(maxInquiryPause), ConfirmedBefore: now.Add(-confirmWithin),
		Held: held, PageSize: page,
	}
}

// offerMoves offers a transition of messages to the clock.
func (s *Service) offerMoves(realm string, ids []uuid.UUID, decide store.DecideFunc) {
	s.offerSteps(realm, ids, func(ctx context.Context, id uuid.UUID) error {
		_, err := s.cfg.Due.Transact(ctx, realm, id, decide)
		return err
	})
}

func (s *Service) offerSteps(realm string, ids []uuid.UUID, step func(context.Context, uuid.UUID) error) {
	for _, id := range ids {
		s.clock.offer(task{realm: realm, id: id}, func(ctx context.Context) error {
			limited, cancel := context.WithTimeout(ctx, dueTimeout)
			defer cancel()
			return ignoreMoved(step(limited, id))
		})
	}
}

// ignoreMoved returns nil for the error of a message that another user or process moved first.
func ignoreMoved(err error) error {
	var state *payment.StateError
	if errors.As(err, &state) || errors.Is(err, payment.ErrIllegalMove) {
		return nil
	}
	return err
}
