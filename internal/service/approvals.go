package service

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// releaseWorkers limits the scheduled payments that are released at a time.
const releaseWorkers = 8

// Approvals records the decisions of checkers.
type Approvals struct {
	cfg ApprovalsConfig
}

// ApprovalsConfig holds the dependencies of the service.
type ApprovalsConfig struct {
	Messages *store.Messages
	Rules    rulebook.Settings
	Seal     payment.Sealer
	Now      func() time.Time // UTC in microseconds, as the database keeps times
	Zone     *time.Location   // of the banking day: Europe/Zurich
	// StepUp checks a second factor for one content. It fails with payment.StepUpError for an invalid one.
	StepUp func(context.Context, identity.Principal, identity.FactorAnswer, identity.Approval) (identity.StepUp, error)
}

// NewApprovals makes the service.
func NewApprovals(cfg ApprovalsConfig) *Approvals { return &Approvals{cfg: cfg} }

// Input identifies the message and the version that the checker saw.
type Input struct {
	InternalID uuid.UUID
	// ContentHash and Version identify the content that the checker saw; nil and 0 if the caller sent none.
	ContentHash *payment.Digest
	Version     int
	// Remark is the checker's optional comment on an approval.
	Remark string
	// StepUp is the second factor that the checker shows; it is looked at where the policy asks for one.
	StepUp identity.FactorAnswer
	// Expect narrows the message; a zero field does not.
	Expect Expectation
}

// Expectation is the message kind and scheme that the endpoint of the request requires.
type Expectation struct {
	Kind   payment.Kind
	Scheme rulebook.Scheme
}

// Approve records an approval and returns the message after it: Approved, or still Approval Pending when it needs more approvals.
//
// Errors: payment.ErrNotFound, payment.MismatchError, payment.ForbiddenError, payment.FourEyesError, payment.StateError (with the present
// message), payment.RepeatError for the same earlier approval of this person, payment.ContentError, payment.WithheldError,
// payment.FieldError for the remark, payment.RefusalError when a rule of the scheme is broken, a limit would be passed, or the policy now
// in force requires more approvals than the message has, payment.StepUpError when a required second factor is missing or invalid.
func (s *Approvals) Approve(ctx context.Context, by identity.Principal, in Input) (payment.Message, error) {
	return s.decide(ctx, by, in, decision{
		action: payment.ActionApprove,
		make: func(m payment.Message, known store.CreateContext, v payment.Verdict) (payment.Transition, error) {
			return m.Approve(v, payment.ApprovalContext{
				Policy: known.Policy, StepUp: known.StepUp, Limits: known.Limits, Rules: s.cfg.Rules, Directory: known.Directory,
				Today: v.At.In(s.cfg.Zone), Seal: s.cfg.Seal,
			})
		},
	})
}

// Reject records a rejection with its reason and returns the message after it.
//
// Errors: as Approve down to payment.WithheldError, and payment.FieldError for the reason.
func (s *Approvals) Reject(ctx context.Context, by identity.Principal, in Input, reason string) (payment.Message, error) {
	return s.decide(ctx, by, in, decision{
		action: payment.ActionReject,
		make: func(m payment.Message, _ store.CreateContext, v payment.Verdict) (payment.Transition, error) {
			return m.Reject(v, reason)
		},
	})
}

// Ask records a checker's question to the maker and returns the message after it: in Question, still pending.
//
// Errors: as Approve down to payment.WithheldError, and payment.FieldError for the question.
func (s *Approvals) Ask(ctx context.Context, by identity.Principal, in Input, question string) (payment.Message, error) {
	return s.decide(ctx, by, in, decision{
		action: payment.ActionAsk,
		make: func(m payment.Message, _ store.CreateContext, v payment.Verdict) (payment.Transition, error) {
			return m.Ask(v, question)
		},
	})
}

// Release releases a scheduled payment on its day, by the terms in force then, or ends it when a check refuses it.
//
// Errors: payment.ErrNotFound, payment.WithheldError, store.ErrStopped, store.ErrNoPolicy, an error without a kind before its day.
func (s *Approvals) Release(ctx context.Context, realm string, id uuid.UUID) error {
	at := s.cfg.Now()
	_, err := s.cfg.Messages.Consider(ctx, realm, id, store.DecisionCallback{
		Scope: store.LimitScope{Day: s.day(at)},
		Decide: func(m payment.Message, known store.CreateContext) (payment.Transition, error) {
			if m.State != payment.StateScheduled {
				return payment.Transition{}, store.ErrNoChange // another process was first, or somebody withdrew it
			}
			at := s.decidedAt(at)
			return m.Release(payment.ApprovalContext{
				Policy: known.Policy, StepUp: known.StepUp, Limits: known.Limits, Rules: s.cfg.Rules, Directory: known.Directory,
				Today: at.In(s.cfg.Zone), Seal: s.cfg.Seal,
			}, at)
		},
	})
	return err
}

// scheduled lists the payments of a realm whose day has come.
func (s *Approvals) scheduled(ctx context.Context, realm string, held []uuid.UUID, most int32) ([]uuid.UUID, error) {
	year, month, day := s.cfg.Now().In(s.cfg.Zone).Date()
	return s.cfg.Messages.Scheduled(ctx, realm, time.Date(year, month, day, 0, 0, 0, 0, time.UTC), held, most)
}

// decision is a checker's decision and the domain function that makes it.
type decision struct {
	action payment.Action
	make   func(payment.Message, store.CreateContext, payment.Verdict) (payment.Transition, error)
}

func (s *Approvals) decide(ctx context.Context, by identity.Principal, in Input, d decision) (payment.Message, error) {
	verdict := payment.Verdict{
		By: by, At: s.cfg.Now(), ContentHash: in.ContentHash, Version: in.Version, Remark: in.Remark,
	}
	var made payment.Transition
	considered := store.DecisionCallback{
		Scope: store.LimitScope{Person: by.PersonID, Day: s.day(verdict.At)},
		Decide: func(m payment.Message, known store.CreateContext) (_ payment.Transition, err error) {
			if in.Expect.Kind != "" && in.Expect.Kind != m.Kind || in.Expect.Scheme != "" && in.Expect.Scheme != m.Scheme {
				return payment.Transition{}, &payment.MismatchError{Message: m}
			}
			verdict.At = s.decidedAt(verdict.At)
			made, err = d.make(m, known, verdict)
			return made, err
		},
	}
	ctx, end := observability.Step(ctx, in.InternalID, string(d.action))
	seen, err := s.cfg.Messages.Consider(ctx, by.Realm, in.InternalID, considered)
	if asked, is := errors.AsType[*payment.StepUpError](err); is && !in.StepUp.Empty() {
		// The content lacks only the second factor. The factor is valid for this content alone: if the content
		// changes meanwhile, the approval fails.
		var shown identity.StepUp
		seen = asked.Message
		shown, err = s.cfg.StepUp(ctx, by, in.StepUp, seen.Approval())
		if err == nil {
			verdict.StepUp = &shown
			seen, err = s.cfg.Messages.Consider(ctx, by.Realm, in.InternalID, considered)
		}
	}
	end(err)
	if repeat, is := errors.AsType[*payment.RepeatError](err); is {
		err = s.cfg.Messages.Earlier(ctx, repeat)
	}
	if repeat, is := errors.AsType[*payment.RepeatError](err); is {
		return repeat.Message, err
	}
	if err != nil {
		s.cfg.Messages.RefusedStep(ctx, store.RefusedStep{By: by, At: verdict.At, Message: seen, Action: d.action, Cause: err})
		return seen, err
	}
	return made.After(), nil
}

// decidedAt returns the time of a decision. It reads the clock for each attempt, so a decision that lost to another
// one sorts after it. The day stays that of the request, for which the limits were read.
func (s *Approvals) decidedAt(asked time.Time) time.Time {
	now := s.cfg.Now()
	if s.day(now) != s.day(asked) {
		return asked
	}
	return now
}

// day formats the banking day of a time, by which limits are counted.
func (s *Approvals) day(at time.Time) string { return at.In(s.cfg.Zone).Format(time.DateOnly) }

// Contexts returns the demands on an approval of each message by this person now, in their order, with the use of limits today; for a
// payment of a later day, with the amounts scheduled for that day.
func (s *Approvals) Contexts(ctx context.Context, by identity.Principal, of []payment.Message) ([]store.ApprovalContext, error) {
	now := s.cfg.Now()
	contexts, err := s.cfg.Messages.ApprovalContexts(ctx, by.Realm, of, func(m payment.Message) store.LimitScope {
		scope := store.LimitScope{Person: by.PersonID, Day: s.day(now)}
		if m.IsForLaterThan(now) {
			scope.On = m.ExecutionDay
		}
		return scope
	})
	for i, m := range of {
		if err == nil && m.IsForLaterThan(now) {
			contexts[i].Limits = rulebook.Unused(contexts[i].Limits)
		}
	}
	return contexts, err
}
