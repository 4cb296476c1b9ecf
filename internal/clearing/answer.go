package clearing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// answersLead is the time for which a poll leaves an answer to its nudge.
const answersLead = 2 * time.Second

// Answer delivers an answer of the outbox to clearing. It does nothing when clearing has it. A row that does not fit its seal is refused
// for good; a row whose key is missing waits for it.
func (s *Service) Answer(ctx context.Context, scheme rulebook.Scheme, reference string) (err error) {
	ctx, end := s.tracedAnswer(ctx, reference)
	defer func() { end(err) }()
	a, err := s.outbox.Pending(ctx, scheme, reference)
	switch {
	case errors.Is(err, payment.ErrForged):
		return s.refuseAnswer(ctx, scheme, reference, err)
	case errors.Is(err, payment.ErrUnknownKey):
		return fmt.Errorf("hold the answer %s back: %w", reference, err)
	case err != nil || a == nil:
		return err
	}
	w, err := s.scheme(scheme)
	if err == nil {
		err = w.connection.deliver(ctx, a.Reference, a.Content)
	}
	if err != nil {
		return err
	}
	return s.outbox.Delivered(ctx, scheme, reference, s.cfg.Now())
}

// tracedAnswer begins the span of an answer in the trace of the message it answers. The reference ends with the Global ID of the received
// payment, recall or return. A document without a message has no trace.
func (s *Service) tracedAnswer(ctx context.Context, reference string) (of context.Context, end func(error)) {
	at := len(reference) - payment.Length
	if s.cfg.Traces == nil || at < 0 {
		return ctx, func(error) {}
	}
	global, err := payment.Parse(reference[at:])
	if err != nil {
		return ctx, func(error) {}
	}
	_, id, err := s.cfg.Messages.FindByGlobalID(ctx, global)
	if err != nil {
		return ctx, func(error) {}
	}
	return s.cfg.Traces.Message(ctx, id, "reply")
}

// refuseAnswer ends a row of the outbox that this gateway did not write, and raises the alarm once.
func (s *Service) refuseAnswer(ctx context.Context, scheme rulebook.Scheme, reference string, why error) error {
	first, realm, err := s.outbox.Refuse(ctx, scheme, reference, s.cfg.Now())
	if first {
		s.cfg.Log.ErrorContext(ctx, "answer refused: the row of the outbox does not fit its seal", "alarm", true, "scheme", scheme,
			"reference", reference, "error", why.Error())
		s.auditRefused(ctx, store.Refusal{
			Realm: realm, Event: auditlog.EventAnswerRefused, Why: "seal",
			Sentence: i18n.Text("The answer %s (%s) failed its integrity check and will never be delivered. Reason: %s").
				With(reference, scheme, why.Error()),
		})
	}
	return err
}

// checkKeys raises the alarm about answers whose key is missing.
func (s *Service) checkKeys(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	held, err := s.outbox.Held(limited)
	s.logOnce(ctx, err, "look at the outbox")
	if err != nil {
		return
	}
	for _, id := range held {
		s.alarmOnce(ctx, "outbox "+id, "answers held back: their key is not in the key file", "keyId", id)
	}
}

// processWaiting processes the documents that waited for a payment.
func (s *Service) processWaiting(ctx context.Context, scheme rulebook.Scheme, transactionID string) error {
	waiting, err := s.inbox.HeldInbound(ctx, scheme, transactionID)
	if err != nil {
		return err
	}
	for _, in := range waiting {
		err = s.processAgain(ctx, in)
		waits := errors.Is(err, store.ErrSeen) || errors.Is(err, payment.ErrUnknownKey) // for the payment of another bank, or its key
		if err != nil && !waits {
			return err
		}
	}
	return nil
}

// pollHeld offers the documents whose time to wait is over: one more attempt, then quarantine.
func (s *Service) pollHeld(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	waited, err := s.inbox.HoldExpired(limited, s.cfg.Now(), s.unmatched.references(), s.unmatched.page())
	s.logOnce(ctx, err, "scan for waiting answers")
	for _, in := range waited {
		s.unmatched.offer(task{reference: string(in.Scheme) + " " + in.Reference}, func(ctx context.Context) error {
			return s.endWaiting(ctx, in)
		})
	}
}

// endWaiting processes a document that waited, or moves it to quarantine.
func (s *Service) endWaiting(ctx context.Context, in store.Document) error {
	limited, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	err := s.processAgain(limited, in)
	if errors.Is(err, store.ErrSeen) {
		err = s.neverCame(limited, in)
	}
	return err
}

// processAgain processes a stored document again. It returns store.ErrSeen when it still has to wait, payment.ErrUnknownKey when it has to
// wait for its key.
func (s *Service) processAgain(ctx context.Context, in store.Document) error {
	switch {
	case errors.Is(in.Unverified, payment.ErrUnknownKey):
		return fmt.Errorf("hold the document %s back: %w", in.Reference, in.Unverified)
	case in.Unverified != nil:
		return s.giveUp(ctx, in, &unprocessableError{
			alarm: true, reason: "The stored document failed its integrity check. It is not the document that this gateway received.",
		})
	}
	parsed, findings := profile.Read(in.Content)
	if len(findings) > 0 {
		return s.giveUp(ctx, in, &unprocessableError{reason: "The stored document cannot be read."})
	}
	err := s.process(ctx, in, parsed)
	if cannot := unprocessableOf(err); cannot != nil {
		return s.giveUp(ctx, in, cannot)
	}
	return err
}
