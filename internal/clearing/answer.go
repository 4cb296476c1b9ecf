package clearing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// answersLead is how long the job queue has an answer to itself before the watch sends it.
const answersLead = 2 * time.Second

// Answer hands a document of the outbox to clearing. It does nothing when clearing has it.
func (s *Station) Answer(ctx context.Context, scheme rulebook.Scheme, reference string) error {
	content, delivered, err := s.cfg.Store.Answered(ctx, scheme, reference)
	if err != nil || delivered {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, DeliverWithin)
	defer cancel()
	err = s.cfg.Network.Deliver(limited, scheme, reference, content)
	if err != nil {
		return fmt.Errorf("deliver the answer %s: %w", reference, err)
	}
	return s.cfg.Store.AnswerDelivered(ctx, scheme, reference, s.now())
}

// lookAtAnswers sends answers whose job died.
func (s *Station) lookAtAnswers(ctx context.Context) {
	undelivered, err := s.cfg.Store.UndeliveredAnswers(ctx, s.now().Add(-answersLead), watchPage)
	if err != nil {
		s.complain(ctx, err, "look at the outbox")
		return
	}
	for _, a := range undelivered {
		err = s.Answer(ctx, a.Scheme, a.Reference)
		if err != nil {
			s.complain(ctx, err, "send an answer again", "reference", a.Reference)
			return // clearing is away; the rest waits for the next look
		}
	}
}

// processWaiting takes up the documents that waited for a payment.
func (s *Station) processWaiting(ctx context.Context, scheme rulebook.Scheme, transactionID string) error {
	waiting, err := s.cfg.Store.Waiting(ctx, scheme, transactionID)
	if err != nil {
		return err
	}
	for _, in := range waiting {
		err = s.takeUp(ctx, in)
		if err != nil {
			return err
		}
	}
	return nil
}

// lookAtWaiting puts documents that waited in vain into quarantine, after one more try.
func (s *Station) lookAtWaiting(ctx context.Context) {
	waited, err := s.cfg.Store.WaitedInVain(ctx, s.now(), watchPage)
	if err != nil {
		s.complain(ctx, err, "look at what waits")
		return
	}
	for _, in := range waited {
		err = s.takeUp(ctx, in)
		if errors.Is(err, store.ErrSeen) {
			err = s.cfg.Store.GiveUpWaiting(ctx, in, "What it belongs to never came.")
		}
		if err != nil {
			s.complain(ctx, err, "give up on a document that waited", "reference", in.Reference)
		}
	}
}

// takeUp processes a stored document again. It returns store.ErrSeen when it still has to wait.
func (s *Station) takeUp(ctx context.Context, in store.Inbound) error {
	parsed, findings := iso20022.DecodeXML(in.Content)
	if len(findings) > 0 {
		return s.cfg.Store.GiveUpWaiting(ctx, in, "The stored document cannot be read.")
	}
	err := s.process(ctx, in, parsed)
	var cannot *unfitError
	switch {
	case errors.As(err, &cannot):
		return s.cfg.Store.GiveUpWaiting(ctx, in, cannot.reason)
	case errors.Is(err, payment.ErrIllegalMove):
		return s.cfg.Store.GiveUpWaiting(ctx, in, "The state of the message contradicts this document.")
	}
	return err
}
