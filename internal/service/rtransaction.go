package service

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// CreateRTransaction makes a recall, return or resolution. A repeat under the same externalId or Idempotency-Key with the same request
// returns the first message again.
//
// Errors: payment.ErrNotFound for an unknown payment or recall; payment.ForbiddenError; payment.WithheldError when the payment or the
// recall cannot be trusted; payment.RefusalError with every rule broken, also when another R-transaction about the payment is under way or
// done, and DU01 for an externalId used for another request; payment.ErrKeyReused.
func (s *Payments) CreateRTransaction(ctx context.Context, by identity.Principal, asked payment.RTransaction) (Result, error) {
	ask := store.RTransactionQuery{By: by, Asked: asked, Day: s.today()}
	message, err := s.cfg.Messages.InsertRTransaction(ctx, ask, func(about payment.RTransactionSubject) (payment.Created, error) {
		in := s.rTransaction(by, asked, about)
		in.GlobalID = payment.New(about.Mark, in.At, s.cfg.Random())
		in.InternalID, in.DocumentID = s.cfg.NewID(), s.cfg.NewID()
		return payment.NewRTransaction(in)
	})
	var duplicate *store.DuplicateError
	var refused *payment.RefusalError
	if errors.As(err, &refused) {
		err = s.repeatedRTransaction(ctx, by, asked, err)
	}
	if errors.As(err, &duplicate) {
		return s.repeatRTransaction(ctx, by, duplicate)
	}
	if err != nil {
		s.refusedAbout(ctx, by, asked, err)
		return Result{}, err
	}
	observability.Made(ctx, message.InternalID)
	return Result{Message: message}, nil
}

// refusedAbout audits a refused request whose payment or recall is withheld, and raises the alarm: somebody wrote it into the database,
// perhaps for this request. Other refusals are normal.
func (s *Payments) refusedAbout(ctx context.Context, by identity.Principal, asked payment.RTransaction, err error) {
	var withheld *payment.WithheldError
	if errors.As(err, &withheld) {
		s.cfg.Messages.RefusedStep(ctx, store.RefusedStep{
			By: by, At: s.cfg.Now(), Message: withheld.Message, Action: payment.Action(asked.Kind), Cause: err,
		})
	}
}

// PreviewRTransaction returns the result that CreateRTransaction would have, by the same rules and without storing anything: whether the
// payment is eligible, the reasons on offer with their limits, and every finding about the request.
//
// Error: payment.ErrNotFound for an unknown payment or recall.
func (s *Payments) PreviewRTransaction(
	ctx context.Context, by identity.Principal, asked payment.RTransaction,
) (payment.RTransactionPreview, error) {
	about, err := s.cfg.Messages.RTransactionSubject(ctx, store.RTransactionQuery{By: by, Asked: asked, Day: s.today()})
	if err != nil {
		return payment.RTransactionPreview{}, err
	}
	return s.PreviewRTransactionAbout(by, asked, about), nil
}

// PreviewRTransactionAbout is PreviewRTransaction for another request about the same loaded payment.
func (s *Payments) PreviewRTransactionAbout(
	by identity.Principal, asked payment.RTransaction, about payment.RTransactionSubject,
) payment.RTransactionPreview {
	return s.rTransaction(by, asked, about).Preview()
}

// RTransactionToClearing makes the document to clearing of a valid request, for the page where the maker checks the answers. Ids are
// missing.
func (s *Payments) RTransactionToClearing(
	by identity.Principal, asked payment.RTransaction, about payment.RTransactionSubject,
) (iso20022.Document, error) {
	return s.rTransaction(by, asked, about).ToClearing()
}

func (s *Payments) rTransaction(
	by identity.Principal, asked payment.RTransaction, about payment.RTransactionSubject,
) payment.RTransactionInput {
	return payment.RTransactionInput{
		RTransaction: asked, By: by, About: about, Rules: s.cfg.Rules, At: s.cfg.Now(), Zone: s.cfg.Zone, Seal: s.cfg.Seal,
	}
}

// repeatedRTransaction turns a refusal into the DuplicateError of a repeat: the payment or the recall has moved on since the first one, or
// a deadline is over, and the first answer is the answer all the same.
func (s *Payments) repeatedRTransaction(ctx context.Context, by identity.Principal, asked payment.RTransaction, refused error) error {
	keys := store.MessageKeys{Realm: by.Realm, ClientID: by.ClientID, ExternalID: asked.ExternalID, IdempotencyKey: asked.IdempotencyKey}
	err := s.cfg.Messages.Repeated(ctx, keys, asked.Fingerprint())
	if err == nil {
		return refused
	}
	return err
}

// repeatRTransaction answers a request with a used externalId or Idempotency-Key. Drafts contain ids and times, so it
// compares the meaning of the requests (payment.RTransaction.Fingerprint).
func (s *Payments) repeatRTransaction(ctx context.Context, by identity.Principal, duplicate *store.DuplicateError) (Result, error) {
	if !duplicate.SameContent {
		return Result{}, refuseDuplicate(duplicate)
	}
	first, err := s.cfg.Messages.Message(ctx, by.Realm, duplicate.MessageID)
	if err != nil {
		return Result{}, fmt.Errorf("load the first message: %w", err)
	}
	return Result{Message: first, Replayed: true}, nil
}
