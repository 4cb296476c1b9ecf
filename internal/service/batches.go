package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auth"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/orderform"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Batches stores orders of up to orderform.MaxPayments payments from programs. The dispatcher makes one message of each.
type Batches struct{ cfg BatchesConfig }

// BatchesConfig holds the dependencies of the service.
type BatchesConfig struct {
	Store      *store.OrderBatches
	Submission *Payments
	// Acting returns the person who sent a batch with the roles of this moment. Error: auth.ErrUnauthorized.
	Acting func(ctx context.Context, realm string, user uuid.UUID, client string) (identity.Principal, error)
	Rules  rulebook.Settings
	Now    func() time.Time
	NewID  func() uuid.UUID
	Zone   *time.Location
}

// BatchOrder is a batch as its client sent it.
type BatchOrder struct {
	Scheme     rulebook.Scheme
	ExternalID string // "" for the MsgId of the document
	Document   []byte // a pain.001 in XML, or the JSON value of the member Document
	JSON       bool
}

// Accept stores a batch. The dispatcher makes its payments later. A repeat with the same externalId and content returns the first batch.
//
// Errors: payment.ForbiddenError; payment.FieldError with the findings that refuse the whole document; payment.RefusalError (DU01) for an
// externalId that was used with other content.
func (s *Batches) Accept(ctx context.Context, by identity.Principal, in BatchOrder) (b store.OrderBatch, replayed bool, err error) {
	if !by.Has(identity.RoleMaker) {
		return b, false, errNotMaker
	}
	parts := orderform.SplitAll(in.Document, in.JSON)
	if outdated, ended := orderform.Outdated(parts.Message, s.cfg.Now().In(s.cfg.Zone), s.cfg.Rules); ended {
		parts.Findings = append([]payment.Finding{outdated}, parts.Findings...)
	}
	if len(parts.Findings) > 0 {
		return b, false, &payment.FieldError{Findings: parts.Findings}
	}
	b = store.OrderBatch{
		ID: s.cfg.NewID(), Realm: by.Realm, ExternalID: in.ExternalID, Payments: len(parts.Parts),
		Sender: store.SentBy(by, in.Scheme, in.JSON), CreatedAt: s.cfg.Now(),
	}
	hash := sha256.New()
	left := make([]store.BatchPart, len(parts.Parts))
	for i, part := range parts.Parts {
		read := orderform.ReadOrder(part.Content, in.JSON)
		if b.ExternalID == "" && read.Order != nil {
			b.ExternalID = read.Order.GroupHeader.MessageID
		}
		_, _ = hash.Write(meaning(in.Scheme, read, part)) // a hash takes everything
		left[i] = store.BatchPart{Position: part.Position, Place: part.Place, Content: part.Content}
	}
	copy(b.Fingerprint[:], hash.Sum(nil))
	stored, added, err := s.cfg.Store.Add(ctx, b, left)
	if err == nil && stored.Fingerprint != b.Fingerprint {
		err = &payment.RefusalError{Findings: []payment.Finding{{
			Pointer: "/identifiers/externalId", Code: "DU01",
			Text: i18n.ForPrograms("Read batch %s before you send this batch again: it has this externalId and other content.", stored.ID),
		}}}
	}
	return stored, !added, err
}

// meaning identifies a payment of a batch: by its meaning, or by its bytes where it cannot be read.
func meaning(scheme rulebook.Scheme, read orderform.Read, part orderform.Part) []byte {
	if read.Order != nil && len(read.Findings) == 0 {
		digest, err := payment.OrderFingerprint(scheme, read.Order)
		if err == nil {
			return digest[:]
		}
	}
	digest := sha256.Sum256(append([]byte(scheme), part.Content...))
	return digest[:]
}

// Get returns a batch and its results so far, in its order. Errors: payment.ForbiddenError, payment.ErrNotFound.
func (s *Batches) Get(ctx context.Context, by identity.Principal, id uuid.UUID) (store.OrderBatch, []store.BatchResult, error) {
	err := payment.MayRead(by)
	if err != nil {
		return store.OrderBatch{}, nil, err
	}
	b, err := s.cfg.Store.Get(ctx, by.Realm, id)
	if err != nil {
		return store.OrderBatch{}, nil, err
	}
	results, err := s.cfg.Store.Results(ctx, by.Realm, id)
	return b, results, err
}

const (
	// batchStep is the number of payments of a batch whose results are stored together.
	batchStep = 25
	// batchAtOnce limits the payments of a batch that are made at a time, so that they share transactions and leave room for other callers.
	batchAtOnce = 16
	// batchWorkers limits the batches that are worked on at a time.
	batchWorkers = 4
	// batchTurn is the time after which a batch waits for its next turn. Every payment ends within the limit of a task.
	batchTurn = 4 * time.Second
)

// Make makes payments of a batch for a few seconds. It may be repeated, also by several processes at once: the externalId of a payment
// follows from the batch, so that the payment is made once. An error means: try again later.
func (s *Batches) Make(ctx context.Context, realm string, id uuid.UUID) error {
	b, err := s.cfg.Store.Get(ctx, realm, id)
	if err != nil {
		return err
	}
	by, err := s.cfg.Acting(ctx, realm, b.Sender.UserID, b.Sender.ClientID)
	if errors.Is(err, auth.ErrUnauthorized) { // an account or client that is not active any more makes nothing
		by, err = identity.Principal{Realm: realm, ClientID: b.Sender.ClientID}, nil
	}
	if err != nil {
		return err
	}
	by.RequestID, by.SourceAddress = b.Sender.RequestID, b.Sender.SourceAddress
	for until := s.cfg.Now().Add(batchTurn); s.cfg.Now().Before(until); {
		parts, err := s.cfg.Store.Left(ctx, b, batchStep)
		if err != nil {
			return err
		}
		results, err := s.makeAll(ctx, by, b, parts)
		err = errors.Join(err, s.cfg.Store.Note(ctx, b, results, s.cfg.Now()))
		if err != nil || len(parts) < batchStep {
			return err
		}
	}
	return nil
}

// makeAll makes payments and returns the results of those that are made or refused. Error: that of a payment that must be tried again.
func (s *Batches) makeAll(
	ctx context.Context, by identity.Principal, b store.OrderBatch, parts []store.BatchPart,
) ([]store.BatchResult, error) {
	results, failed := make([]store.BatchResult, len(parts)), make([]error, len(parts))
	var working sync.WaitGroup
	free := make(chan struct{}, batchAtOnce)
	for i, part := range parts {
		free <- struct{}{}
		working.Go(func() {
			defer func() { <-free }()
			results[i], failed[i] = s.makeOne(ctx, by, b, part)
		})
	}
	working.Wait()
	made := results[:0]
	for i, r := range results {
		if failed[i] == nil {
			made = append(made, r)
		}
	}
	return made, errors.Join(failed...)
}

// makeOne makes one payment, or returns the findings that a call of its own would have.
func (s *Batches) makeOne(ctx context.Context, by identity.Principal, b store.OrderBatch, part store.BatchPart) (store.BatchResult, error) {
	result := store.BatchResult{Position: part.Position}
	read := orderform.ReadOrder(part.Content, b.Sender.JSON)
	result.Findings = read.Findings
	if read.Order != nil {
		order := payment.Order{
			Scheme: b.Sender.Scheme, ExternalID: part.DraftID.String(), Document: read.Order, Structure: read.Findings, Source: part.Content,
			SourceType: "application/xml", Part: part.Position,
		}
		if b.Sender.JSON {
			order.SourceType = "application/json"
		}
		created, err := s.cfg.Submission.Create(ctx, by, order)
		result.MessageID = created.Message.InternalID
		if err != nil {
			result.Findings, err = findingsOf(err)
		}
		if err == nil && result.MessageID == uuid.Nil {
			result.MessageID, err = s.cfg.Submission.made(ctx, by, order.ExternalID)
		}
		if err != nil || result.MessageID != uuid.Nil {
			return result, err
		}
	}
	at := orderform.Part{Place: part.Place}
	for i, f := range result.Findings {
		result.Findings[i].Pointer = at.InFile(f.Pointer)
	}
	return result, nil
}

// findingsOf returns the findings of an error that refuses a payment for good; any other error is returned.
func findingsOf(err error) ([]payment.Finding, error) {
	var refused *payment.RefusalError
	var malformed *payment.FieldError
	var forbidden *payment.ForbiddenError
	var withheld *payment.WithheldError
	narrative := func(text i18n.Text) []payment.Finding {
		return []payment.Finding{{Pointer: "/Document", Code: "NARR", Text: text}}
	}
	switch {
	case errors.As(err, &refused):
		return refused.Findings, nil
	case errors.As(err, &malformed):
		return malformed.Findings, nil
	case errors.As(err, &forbidden):
		return narrative(forbidden.Sentence()), nil
	case errors.As(err, &withheld):
		return narrative(withheld.Sentence()), nil
	case errors.Is(err, store.ErrNoPolicy):
		return narrative("None of the approval policies of your institution apply to this payment. Ask an administrator for help."), nil
	}
	return nil, err
}
