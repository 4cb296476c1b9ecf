package clearing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Core is the port to core banking. Every call may be repeated. Errors: payment.ErrCoreUnreached within the time-out of the port.
type Core interface {
	// Reserve asks to reserve the amount of a payment of ours.
	Reserve(ctx context.Context, m payment.Message) (payment.CoreAnswer, error)
	// MayCredit asks whether the account of an incoming payment may be credited. It reserves nothing.
	MayCredit(ctx context.Context, m payment.Message) (payment.CoreAnswer, error)
	// Book reports the end of a payment. Its sequence is m.Sequence: core banking ignores an older one.
	Book(ctx context.Context, m payment.Message, result payment.CoreResult) error
}

const (
	// coreWorkers limits the payments whose end core banking is told of at a time.
	coreWorkers = 8
	// coreLeast is the least time for a reservation.
	coreLeast = 250 * time.Millisecond
	// answerLead is the time that the answer to an incoming payment needs after core banking's.
	answerLead = 250 * time.Millisecond
	// rejectedLately bounds the look of a poll back to payments that clearing rejected after their booking. Every rejectedAllEvery it looks as
	// far back as rejectedAll.
	rejectedLately   = time.Minute
	rejectedAllEvery = 10 * time.Minute
	rejectedAll      = 35 * 24 * time.Hour
)

// reserve requests the funds of a message from core banking before it leaves, once, and reports whether it may leave. Only the stored
// answer counts, so that every attempt of every process does the same. A message without funds fails here.
func (s *Service) reserve(ctx context.Context, m payment.Message) (goesOn bool, err error) {
	if s.cfg.Core == nil || !m.Kind.Limited() {
		return true, nil
	}
	b, err := s.core.Begin(ctx, m.NewCoreBooking(payment.CoreAnswer{}, s.cfg.Now()))
	if err == nil && b.Answer.Outcome == "" {
		var answer payment.CoreAnswer
		answer, err = s.askFunds(ctx, m)
		if err == nil {
			b, err = s.core.Answered(ctx, b, answer)
		}
	}
	if err != nil {
		return false, s.hold(ctx, m, err)
	}
	if b.Answer.Code == "" {
		return true, nil
	}
	_, err = s.cfg.Messages.Transact(ctx, m.Realm, m.InternalID, func(m payment.Message) (payment.Transition, error) {
		return moveIf(m.Stop(b.Answer, s.cfg.Now()))
	})
	if err == nil {
		s.offerBooking(m.Realm, m.InternalID)
	}
	return false, err
}

// askFunds requests the funds as the policy in force says.
func (s *Service) askFunds(ctx context.Context, m payment.Message) (payment.CoreAnswer, error) {
	known, err := s.cfg.Messages.CreateContext(ctx, store.ContextQueryOf(m))
	if err != nil && !errors.Is(err, store.ErrNoPolicy) {
		return payment.CoreAnswer{}, err
	}
	if known.Policy.Funds == payment.FundsNotAsked {
		return payment.CoreAnswer{Outcome: payment.CoreNotAsked, At: s.cfg.Now()}, nil
	}
	// Half of the scheme's time is left for clearing. A payment that waited longer, behind others, is asked about shortly.
	left := m.AcceptedAt.Add(AnswerWithin / 2).Sub(s.cfg.Now())
	limited, cancel := context.WithTimeout(ctx, max(coreLeast, left))
	defer cancel()
	answer, err := s.cfg.Core.Reserve(limited, m)
	if ctx.Err() != nil {
		return payment.CoreAnswer{}, ctx.Err()
	}
	if err != nil {
		answer = payment.CoreUnanswered(payment.DirectionOut, known.Policy.Funds == payment.FundsPreferred)
	}
	answer.At = s.cfg.Now()
	return answer, nil
}

// checkCredit checks an incoming payment by the rules of its scheme, and asks core banking about one that breaks none, within the time of
// the scheme. The time is checked again afterwards. said is nil when core banking was not asked.
func (s *Service) checkCredit(
	ctx context.Context, in rulebook.Incoming, arrival payment.ArrivalInput, transfer interbank.Transfer,
) (refused payment.IncomingRefusal, said *payment.CoreAnswer, err error) {
	refused = payment.CheckIncoming(in)
	if refused.Code != "" || s.cfg.Core == nil {
		return refused, nil, nil
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if until := rulebook.IncomingUntil(in); !until.IsZero() {
		limited, cancel = context.WithTimeout(ctx, max(0, until.Sub(in.At)-answerLead))
	}
	answer, err := s.cfg.Core.MayCredit(limited, payment.NewIncoming(arrival, transfer, payment.IncomingRefusal{}, true).Message)
	cancel()
	if ctx.Err() != nil {
		return refused, nil, ctx.Err()
	}
	if err != nil {
		answer = payment.CoreUnanswered(payment.DirectionIn, s.cfg.CreditUnasked)
	}
	in.At = s.cfg.Now().In(s.cfg.Zone)
	answer.At = s.cfg.Now()
	refused = answer.Refusal()
	if refused.Code == "" {
		refused = payment.CheckIncoming(in)
	}
	return refused, &answer, nil
}

// offerBooking queues the report to core banking about an ended message that passed the port.
func (s *Service) offerBooking(realm string, id uuid.UUID) {
	if s.cfg.Core != nil {
		s.bookings.offer(task{realm: realm, id: id}, func(ctx context.Context) error { return s.book(ctx, realm, id) })
	}
}

// book reports the end of a message to core banking, at least once. The record stores the confirmation.
func (s *Service) book(ctx context.Context, realm string, id uuid.UUID) error {
	b, err := s.core.Of(ctx, realm, id)
	if errors.Is(err, payment.ErrNotFound) {
		return nil
	}
	if err != nil {
		return s.hold(ctx, payment.Message{Realm: realm, InternalID: id}, err)
	}
	m, err := s.cfg.Messages.Proven(ctx, realm, id)
	if err != nil {
		return err
	}
	result, ended := m.CoreResult()
	if !ended || b.ToldSequence >= m.Sequence {
		return nil
	}
	if err := s.trusted(ctx, m); err != nil {
		return err
	}
	err = s.cfg.Core.Book(ctx, m, result)
	if err != nil {
		return err
	}
	s.bookings.retryNow(func(_ string, why error) bool { return errors.Is(why, payment.ErrCoreUnreached) })
	return s.core.Told(ctx, b, m, result, s.cfg.Now())
}

// pollBookings offers the ended payments of a realm that were not reported to core banking.
func (s *Service) pollBookings(ctx context.Context, realm string) {
	if s.cfg.Core == nil {
		return
	}
	page := s.bookings.page()
	if page == 0 {
		return
	}
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ids, err := s.core.Due(limited, realm, store.CoreDue{
		FailedSince: s.rejectedSince(realm, s.cfg.Now()), Held: s.bookings.ids(realm), Most: page,
	})
	s.logOnce(ctx, err, "list the reports that core banking lacks", "realm", realm)
	for _, id := range ids {
		s.offerBooking(realm, id)
	}
}

// rejectedSince is the time from which a poll looks for payments that clearing rejected after their booking.
func (s *Service) rejectedSince(realm string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, known := s.rejected[realm]
	if passed := now.Sub(all); known && passed >= 0 && passed < rejectedAllEvery {
		return now.Add(-rejectedLately)
	}
	s.rejected[realm] = now
	return now.Add(-rejectedAll)
}
