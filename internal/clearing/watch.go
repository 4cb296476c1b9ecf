package clearing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/store/lifecycle"
)

const (
	// watchEvery is the pause between two looks at the clock. States that depend on time are late by at most this and a moment.
	watchEvery = 500 * time.Millisecond
	// jobsLead is how long the job queue has a released message to itself before Watch sends it: longer than its attempts take,
	// short enough that a message whose job died with the process goes out within the scheme's time.
	jobsLead = 4 * time.Second
	// watchPage bounds what one look takes up of each kind in a realm; the rest follows at the next.
	watchPage = 500
	// watchParallel bounds the messages worked on at once.
	watchParallel = 16
)

// attempt is what Watch remembers of a message it could not deliver. It is forgotten at a restart, which does no harm.
type attempt struct {
	failed int
	next   time.Time
}

// Watch looks at the clock until the context ends: it sends what no job sends any more, marks what had no answer in time, asks
// clearing about it, and expires what nobody decided. Several processes may watch at once: every move is guarded.
func (s *Station) Watch(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		s.Sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Sweep does once, for every realm, what Watch does all the time.
func (s *Station) Sweep(ctx context.Context) {
	realms, err := s.cfg.Messages.Realms(ctx)
	if err != nil {
		s.warn(ctx, err, "watch the clock")
		return
	}
	for _, realm := range realms {
		now := s.now()
		due, err := s.cfg.Messages.Due(ctx, realm, lifecycle.DueTimes{
			Now: now, ReleasedBefore: now.Add(-jobsLead), AcceptedBefore: now.Add(-s.cfg.AnswerWithin),
			AcceptedAfter: now.Add(s.cfg.AnswerWithin), InquireAfter: now.Add(longestInquiryPause), PageSize: watchPage,
		})
		if err != nil {
			s.warn(ctx, err, "watch the clock", "realm", realm)
			continue
		}
		s.each(ctx, realm, due.Undelivered, s.sendAgain)
		s.each(ctx, realm, due.Overdue, s.timeOut)
		s.each(ctx, realm, due.ToInquire, s.inquire)
		s.each(ctx, realm, due.Expired, s.expire)
		s.each(ctx, realm, due.FallingDue, s.fallDue)
		s.each(ctx, realm, due.ToAnswer, s.noteAnswer)
	}
	s.sweepOutbox(ctx)
	s.sweepHeld(ctx)
}

func (s *Station) each(ctx context.Context, realm string, ids []uuid.UUID, work func(context.Context, string, uuid.UUID) error) {
	var group errgroup.Group
	group.SetLimit(watchParallel)
	for _, id := range ids {
		group.Go(func() error {
			err := work(ctx, realm, id)
			var moved *payment.StateError
			if err != nil && !errors.As(err, &moved) && !errors.Is(err, payment.ErrIllegalMove) {
				s.warn(ctx, err, "carry on with a message", "realm", realm, "internalId", id)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// sendAgain delivers a message that its job did not, with growing pauses between the attempts.
func (s *Station) sendAgain(ctx context.Context, realm string, id uuid.UUID) error {
	s.mu.Lock()
	a := s.retry[id]
	s.mu.Unlock()
	if pause := a.next.Sub(s.now()); pause > 0 && pause <= longestBackoff { // a longer one was set by a clock that has gone back since
		return nil
	}
	err := s.Send(ctx, realm, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.retry, id)
		return nil
	}
	a.failed++
	a.next = s.now().Add(backoff(a.failed + 3))
	s.retry[id] = a
	return err
}

// timeOut notes that the scheme's time passed without an answer.
func (s *Station) timeOut(ctx context.Context, realm string, id uuid.UUID) error {
	_, err := s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.TimeOut(s.cfg.AnswerWithin, s.now())
	})
	return err
}

func (s *Station) expire(ctx context.Context, realm string, id uuid.UUID) error {
	_, err := s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.Expire(s.now())
	})
	return err
}

// fallDue notes that a recall had no answer in time.
func (s *Station) fallDue(ctx context.Context, realm string, id uuid.UUID) error {
	_, err := s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.FallDue(s.now())
	})
	return err
}

// longestInquiryPause bounds the pauses between status requests about one payment.
const longestInquiryPause = 15 * time.Minute

// inquiryPause is the pause after a status request. About a payment: 1 s, doubled each time, at most 15 minutes. About a recall, whose
// answer people give: a day.
func inquiryPause(m payment.Message) time.Duration {
	const day = 24 * time.Hour
	switch {
	case m.Kind == payment.KindRecall:
		return day
	case m.Inquiries > 10:
		return longestInquiryPause
	}
	return min(longestInquiryPause, time.Second<<m.Inquiries)
}

// inquire asks clearing what became of an unconfirmed message. The number of the request and the time of the next are stored first,
// so a crash costs at most one request.
func (s *Station) inquire(ctx context.Context, realm string, id uuid.UUID) error {
	now := s.now()
	m, err := s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.Inquire(now.Add(inquiryPause(m)), now)
	})
	if err != nil {
		return err
	}
	made, err := s.statusRequest(ctx, realm, id, m.Inquiries+1)
	if err != nil {
		return s.hold(ctx, m, err)
	}
	content, err := s.storeOutbound(ctx, made)
	if err != nil {
		return s.hold(ctx, m, err)
	}
	limited, cancel := context.WithTimeout(ctx, DeliverWithin)
	defer cancel()
	return s.cfg.Network.Deliver(limited, m.Scheme, made.Reference(), content)
}

// statusRequest makes a pacs.028 about what was sent, once the message and the sent document were held against their seals.
func (s *Station) statusRequest(ctx context.Context, realm string, id uuid.UUID, number int) (payment.Outbound, error) {
	out, err := s.cfg.Messages.Outgoing(ctx, realm, id)
	if err != nil {
		return payment.Outbound{}, err
	}
	verified, err := s.cfg.Seal.Verify(out.Release, out.Message)
	if err != nil {
		return payment.Outbound{}, err
	}
	sent, err := s.documents.Outbound(ctx, realm, out.Message.Reference())
	if err != nil {
		return payment.Outbound{}, err
	}
	document, _ := codec.DecodeXML(sent.Content)
	if document == nil {
		return payment.Outbound{}, errors.New("the document that was sent cannot be read")
	}
	return verified.StatusRequest(document, number, s.now())
}

func (s *Station) warn(ctx context.Context, err error, doing string, with ...any) {
	if ctx.Err() != nil {
		return
	}
	s.cfg.Log.WarnContext(ctx, doing, append(with, "error", err.Error())...)
}
