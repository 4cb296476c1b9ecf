package service

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// Withdraw withdraws a pending message for its maker.
//
// Errors: payment.ErrNotFound, payment.ForbiddenError, payment.StateError, payment.FieldError, payment.RepeatError when this person
// withdrew it before for the same reason.
func (s *Payments) Withdraw(ctx context.Context, by identity.Principal, id uuid.UUID, reason string) (payment.Message, error) {
	c := change{by: by, action: payment.ActionWithdraw, at: s.cfg.Now()}
	seen, err := s.cfg.Messages.Transact(ctx, by.Realm, id, func(m payment.Message) (payment.Transition, error) {
		c.at = s.cfg.Now() // under the lock: after the first one
		return m.Withdraw(by, reason, c.at)
	})
	return s.after(ctx, c, seen, err)
}

// Answer records the maker's answer to a checker's question; the message then waits for approval again.
//
// Errors: payment.ErrNotFound, payment.ForbiddenError, payment.StateError, payment.WithheldError, payment.FieldError, payment.RepeatError
// when this person gave the same answer before.
func (s *Payments) Answer(ctx context.Context, by identity.Principal, id uuid.UUID, answer string) (payment.Message, error) {
	c := change{by: by, action: payment.ActionAnswer, at: s.cfg.Now()}
	seen, err := s.cfg.Messages.Transact(ctx, by.Realm, id, func(m payment.Message) (payment.Transition, error) {
		c.at = s.cfg.Now() // under the lock: after the first one
		return m.Reply(by, answer, c.at)
	})
	return s.after(ctx, c, seen, err)
}

// Amend replaces the content of a pending message; earlier approvals lapse and the editor becomes one of its makers. The policy is applied
// to the new content; content that needs more approvals than the message has is refused.
//
// Errors: payment.ErrNotFound, payment.ForbiddenError, payment.StateError, payment.WithheldError, payment.ContentError when somebody else
// amended it first, payment.RefusalError, payment.FieldError for the note, payment.RepeatError when this person made the present content
// with the same order before.
func (s *Payments) Amend(ctx context.Context, by identity.Principal, id uuid.UUID, in payment.Order) (payment.Message, error) {
	found, err := s.verifyAmended(ctx, by, id, in)
	if err != nil {
		return payment.Message{}, err
	}
	c := change{by: by, action: payment.ActionAmend, at: s.cfg.Now()}
	seen, err := s.cfg.Messages.Consider(ctx, by.Realm, id, store.DecisionCallback{
		Scope: store.LimitScope{Person: by.PersonID, Day: s.today()},
		Ask: func(m payment.Message) store.ContextQuery {
			// The policy is that of the message's own client and channel: the door its editor came through does not count.
			ask := s.ask(by, in, 0)
			ask.ClientID, ask.Channel, ask.Scheme, ask.Kind = m.ClientID, m.Channel, m.Scheme, m.Kind
			return ask
		},
		Decide: func(m payment.Message, known store.CreateContext) (payment.Transition, error) {
			err := m.MayChange(by)
			if err != nil {
				return payment.Transition{}, err
			}
			c.at = s.cfg.Now() // under the lock: after the first one
			order := in
			order.Scheme, order.ManyTransactions = m.Scheme, false
			asked := s.instruction(by, order, known, c.at)
			asked.Payee = found
			err = m.RepeatedAmendment(by, asked)
			if err != nil {
				return payment.Transition{}, err
			}
			draft, err := payment.NewDraft(asked)
			if err != nil {
				return payment.Transition{}, err
			}
			return m.Amend(by, draft, c.at)
		},
	})
	var duplicate *store.DuplicateError
	if errors.As(err, &duplicate) {
		return seen, refuseDuplicate(duplicate)
	}
	return s.after(ctx, c, seen, err)
}

// change is a maker's change of a waiting message.
type change struct {
	by     identity.Principal
	action payment.Action
	at     time.Time
}

// after returns the message after the change. A refused change gets an audit event.
func (s *Payments) after(ctx context.Context, c change, seen payment.Message, err error) (payment.Message, error) {
	var repeat *payment.RepeatError
	if errors.As(err, &repeat) {
		err = s.cfg.Messages.Earlier(ctx, repeat)
	}
	if errors.As(err, &repeat) {
		return repeat.Message, err
	}
	if err != nil {
		s.cfg.Messages.RefusedStep(ctx, store.RefusedStep{By: c.by, At: c.at, Message: seen, Action: c.action, Cause: err})
		return seen, err
	}
	return s.cfg.Messages.Message(ctx, c.by.Realm, seen.InternalID)
}
