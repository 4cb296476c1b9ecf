package submission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Request is a wish for an R-transaction on its way in.
type Request struct {
	Kind       payment.Kind // recall, return or resolution
	Scheme     rulebook.Scheme
	OriginalID uuid.UUID // our payment for a recall, the incoming one for a return or resolution
	RecallID   uuid.UUID // the received recall a resolution answers
	Reason     string
	// Information are lines of at most 105 characters.
	Information []string
	// Charge is what a return keeps, in decimals of the payment's currency; "" for nothing.
	Charge         string
	ExternalID     string
	IdempotencyKey string
	Source         []byte
	SourceType     string
}

// CreateRequest makes a recall, return or resolution. A repeat under the same externalId or Idempotency-Key with the same wish returns
// the first message again.
//
// Errors: payment.ErrNotFound for an unknown payment or recall; payment.ForbiddenError; payment.RefusalError with every rule broken,
// also when another R-transaction about the payment is under way or done.
func (s *Station) CreateRequest(ctx context.Context, by identity.Principal, in Request) (Result, error) {
	at := s.now()
	ask := store.RequestQuery{
		Realm: by.Realm, ClientID: by.ClientID, Channel: by.Channel, Kind: in.Kind, OriginalID: in.OriginalID, RecallID: in.RecallID,
	}
	message, err := s.cfg.Store.InsertRequest(ctx, ask, func(known store.RequestContext) (payment.Created, error) {
		return s.newRequest(by, in, known, at)
	})
	var duplicate *store.DuplicateError
	var conflict *store.ConflictError
	var refused *payment.RefusalError
	if errors.As(err, &refused) {
		err = s.repeatedRequest(ctx, by, in, err)
	}
	switch {
	case errors.As(err, &duplicate):
		return s.repeatRequest(ctx, by, duplicate)
	case errors.As(err, &conflict):
		return Result{}, conflictRefusals[conflict.Index]
	case err != nil:
		return Result{}, err
	}
	return Result{Message: message}, nil
}

func (s *Station) newRequest(by identity.Principal, in Request, known store.RequestContext, at time.Time) (payment.Created, error) {
	charge, err := payment.ParseCharge(known.Original.Summary.Amount.Currency(), in.Charge)
	var malformed *money.Error
	if errors.As(err, &malformed) {
		return payment.Created{}, &payment.FieldError{Findings: []payment.Finding{
			{Pointer: "/ReturnDetails/chargeAmount", Code: string(malformed.Code), Text: malformed.Text},
		}}
	}
	if err != nil {
		return payment.Created{}, err
	}
	request := payment.RequestInput{
		By: by, Scheme: in.Scheme, Original: known.Original, Recall: known.Recall, Reason: in.Reason, Information: in.Information,
		Charge: charge, ExternalID: in.ExternalID, IdempotencyKey: in.IdempotencyKey, Fingerprint: in.fingerprint(), Source: in.Source, SourceType: in.SourceType,
		Policy: known.Policy, Rules: s.cfg.Rules, GlobalID: payment.NewGlobalID(known.Mark, at, s.cfg.Random()),
		InternalID: s.cfg.NewID(), DocumentID: s.cfg.NewID(), At: at, Zone: s.cfg.Zone, Seal: s.cfg.Seal,
	}
	if known.Account != nil {
		request.Bank = known.Account.AgentBIC
	}
	switch in.Kind {
	case payment.KindRecall:
		sent, _ := iso20022.DecodeXML(known.Sent)
		request.Sent, _ = sent.(*iso20022.FIToFICustomerCreditTransfer)
		return payment.NewRecall(request)
	case payment.KindReturn:
		return payment.NewReturn(request)
	case payment.KindResolution:
		return payment.NewResolution(request)
	case payment.KindInstruction, payment.KindPayment, payment.KindReceivedRecall:
	}
	return payment.Created{}, fmt.Errorf("a %s is not made this way", in.Kind)
}

// repeatedRequest turns a refusal into the DuplicateError of a repeat: the payment or the recall has moved on since the first one, or a
// deadline is over, and the first answer is the answer all the same.
func (s *Station) repeatedRequest(ctx context.Context, by identity.Principal, in Request, refused error) error {
	keys := store.Keys{Realm: by.Realm, ClientID: by.ClientID, ExternalID: in.ExternalID, IdempotencyKey: in.IdempotencyKey}
	err := s.cfg.Store.Repeated(ctx, keys, in.fingerprint())
	if err == nil {
		return refused
	}
	return err
}

func (in Request) fingerprint() payment.Digest {
	return payment.Wish{
		Kind: in.Kind, OriginalID: in.OriginalID, RecallID: in.RecallID, Reason: in.Reason, Information: in.Information, Charge: in.Charge,
	}.Fingerprint()
}

// repeatRequest answers a request whose externalId or Idempotency-Key was used before. The draft's bytes carry ids and times, so the
// wish itself is compared.
func (s *Station) repeatRequest(ctx context.Context, by identity.Principal, duplicate *store.DuplicateError) (Result, error) {
	if !duplicate.SameContent {
		return Result{}, refuseDuplicate(duplicate)
	}
	first, err := s.cfg.Store.Message(ctx, by.Realm, duplicate.MessageID)
	if err != nil {
		return Result{}, fmt.Errorf("load the first message: %w", err)
	}
	return Result{Message: first, Replayed: true}, nil
}

// conflictRefusals are what a maker reads when another R-transaction about the payment is under way or done.
var conflictRefusals = map[string]error{
	store.IndexOneRecall: refusal("/identifiers/internalId", "This payment was recalled before: there is one recall of a payment, whatever its answer."),
	store.IndexOneReturn: refusal("/identifiers/creditId", "This payment is being sent back already, or was."),
	store.IndexOneAnswer: refusal("/identifiers/creditId", "The recall of this payment has an answer already: a return and a resolution exclude each other."),
}

func refusal(pointer, text string) error {
	return &payment.RefusalError{Findings: []payment.Finding{{Rule: rulebook.RuleOneRequest, Pointer: pointer, Code: "AM05", Text: text}}}
}
