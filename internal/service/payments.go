package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/observability"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Payments creates and changes messages for makers.
type Payments struct {
	cfg    PaymentsConfig
	payees rememberedPayees
}

// PaymentsConfig holds the dependencies of the service.
type PaymentsConfig struct {
	Messages *store.Messages
	Rules    rulebook.Settings
	Seal     payment.Sealer
	Now      func() time.Time // UTC in microseconds, as the database keeps times
	NewID    func() uuid.UUID // UUIDv7
	Random   func() [4]byte   // for Global IDs
	Zone     *time.Location   // of the banking day: Europe/Zurich
	Payee    payee.Verifier   // of payments in euro; nil asks nobody
}

// Result is a created message, or the one an earlier identical request created.
type Result struct {
	Message  payment.Message
	Replayed bool
}

// Create makes an instruction. A repeat with the same externalId and content returns the first message again.
//
// Errors: payment.ForbiddenError; payment.RefusalError with every rule broken, DU01 for a MsgId used before or an externalId used with
// other content; payment.FieldError for the note; payment.ErrKeyReused; payment.ErrAlike; payment.WithheldError when a key used before is
// not as it was stored; store.ErrNoPolicy.
func (s *Payments) Create(ctx context.Context, by identity.Principal, in payment.Order) (Result, error) {
	found, err := s.verify(ctx, by, in)
	if err != nil {
		return Result{}, err
	}
	at := s.cfg.Now()
	in.ManyTransactions = false
	ask := s.ask(by, in, 0)
	message, err := s.cfg.Messages.Insert(ctx, ask, func(known store.CreateContext) (payment.Created, error) {
		order := s.instruction(by, in, known, at)
		order.Payee = found
		return payment.NewInstruction(order)
	})
	if duplicate, is := errors.AsType[*store.DuplicateError](err); is {
		return s.repeat(ctx, by, in, duplicate)
	}
	_, refused := errors.AsType[*payment.RefusalError](err)
	if (refused || errors.Is(err, payment.ErrAlike)) && in.ExternalID+in.IdempotencyKey != "" {
		return s.repeatOrRefuse(ctx, by, in, err)
	}
	if err != nil {
		return Result{}, err
	}
	observability.Made(ctx, message.InternalID)
	return Result{Message: message}, nil
}

// repeatOrRefuse answers an order that a rule refuses. A repeat of an accepted order gets the first answer, because a
// key never expires. If the database cannot be read, the order is not refused: its client would send a second payment
// under a new key.
func (s *Payments) repeatOrRefuse(ctx context.Context, by identity.Principal, in payment.Order, refused error) (Result, error) {
	fingerprint, err := payment.OrderFingerprint(in.Scheme, in.Document)
	if err != nil {
		return Result{}, refused
	}
	err = s.cfg.Messages.Repeated(ctx, store.MessageKeys{
		Realm: by.Realm, ClientID: by.ClientID, ExternalID: in.ExternalID, IdempotencyKey: in.IdempotencyKey,
	}, fingerprint)
	duplicate, is := errors.AsType[*store.DuplicateError](err)
	switch {
	case err == nil, is && !duplicate.SameContent:
		return Result{}, refused
	case is:
		return s.repeat(ctx, by, in, duplicate)
	}
	return Result{}, err
}

// errNotMaker refuses who may not create payments.
var errNotMaker = &payment.ForbiddenError{Text: "You need the maker role to create payments."}

// Validate checks a payment order by the same rules without storing anything. It returns every finding, none when the order is fine.
func (s *Payments) Validate(ctx context.Context, by identity.Principal, in payment.Order) ([]payment.Finding, error) {
	_, findings, err := s.validate(ctx, by, in)
	return findings, err
}

// ValidateWithBank is Validate and returns the directory's entry of the creditor's bank; zero for none.
func (s *Payments) ValidateWithBank(
	ctx context.Context, by identity.Principal, in payment.Order, iban account.IBAN,
) (account.Entry, []payment.Finding, error) {
	order, findings, err := s.validate(ctx, by, in)
	if err != nil || order.Directory == nil {
		return account.Entry{}, findings, err
	}
	bank, _ := order.Directory.BankOf(iban)
	return bank, findings, nil
}

// ValidateWithPayee is Validate and, for a valid single payment, returns the payee verification.
func (s *Payments) ValidateWithPayee(
	ctx context.Context, by identity.Principal, in payment.Order,
) (payee.Verification, []payment.Finding, error) {
	order, findings, err := s.validate(ctx, by, in)
	_, _, single := in.Document.SinglePayment()
	if err != nil || len(findings) > 0 || !single {
		return payee.Verification{}, findings, err
	}
	return s.asked(ctx, in, order), nil, nil
}

func (s *Payments) validate(
	ctx context.Context, by identity.Principal, in payment.Order,
) (payment.InstructionInput, []payment.Finding, error) {
	if !by.Has(identity.RoleMaker) {
		return payment.InstructionInput{}, nil, errNotMaker
	}
	known, err := s.cfg.Messages.CreateContext(ctx, s.ask(by, in, 0))
	if err != nil {
		return payment.InstructionInput{}, nil, err
	}
	order := s.instruction(by, in, known, s.cfg.Now())
	if in.ManyTransactions {
		order.Further, err = s.further(ctx, by, in)
		if err != nil {
			return payment.InstructionInput{}, nil, err
		}
	}
	return order, payment.CheckInstruction(order), nil
}

// further reads the realm data for the accounts of the payment informations after the first, each account once.
func (s *Payments) further(ctx context.Context, by identity.Principal, in payment.Order) ([]payment.Debit, error) {
	var debits []payment.Debit
	read := map[string]payment.Debit{}
	for index := 1; index < len(in.Document.PaymentInformation); index++ {
		ask := s.ask(by, in, index)
		debit, known := read[ask.DebtorAccount]
		if !known {
			facts, err := s.cfg.Messages.CreateContext(ctx, ask)
			if err != nil {
				return nil, err
			}
			debit = payment.Debit{Account: facts.Account, Limits: facts.Limits}
			read[ask.DebtorAccount] = debit
		}
		debits = append(debits, debit)
	}
	return debits, nil
}

// Preview checks a payment order and returns the summary, the document to clearing and the required number of approvals, for the page where
// the maker checks the answers. Findings are those of Validate. The rules run once.
func (s *Payments) Preview(ctx context.Context, by identity.Principal, in payment.Order) (Preview, error) {
	if !by.Has(identity.RoleMaker) {
		return Preview{}, errNotMaker
	}
	known, err := s.cfg.Messages.CreateContext(ctx, s.ask(by, in, 0))
	if err != nil {
		return Preview{}, err
	}
	return s.preview(by, in, known, s.cfg.Now())
}

func (s *Payments) preview(by identity.Principal, in payment.Order, known store.CreateContext, at time.Time) (Preview, error) {
	made, err := payment.PreviewInstruction(s.instruction(by, in, known, at))
	shown := Preview{
		InstructionPreview: made, ApprovalsRequired: known.Policy.ApprovalsRequired, PendingFor: known.Policy.PendingFor,
	}
	for _, limit := range known.Limits {
		if text := limit.Overbooked(made.Summary.Amount); text != "" {
			shown.Overbooked = append(shown.Overbooked, text)
		}
	}
	return shown, err
}

// PreviewAll is Preview for the payments of a file, in their order. It reads their common data once.
func (s *Payments) PreviewAll(ctx context.Context, by identity.Principal, orders []payment.Order) ([]Preview, error) {
	if !by.Has(identity.RoleMaker) {
		return nil, errNotMaker
	}
	asked := make([]store.ContextQuery, len(orders))
	for i, in := range orders {
		asked[i] = s.ask(by, in, 0)
	}
	known, err := s.cfg.Messages.CreateContexts(ctx, by.Realm, asked)
	if err != nil {
		return nil, err
	}
	previews := make([]Preview, len(orders))
	at := s.cfg.Now()
	for i, in := range orders {
		previews[i], err = s.preview(by, in, known[i], at)
		if err != nil {
			return nil, err
		}
	}
	return previews, nil
}

// UsedBefore returns the finding of an order whose MsgId its client used before; none for a fresh one.
func (s *Payments) UsedBefore(ctx context.Context, by identity.Principal, in payment.Order) ([]payment.Finding, error) {
	err := s.cfg.Messages.Repeated(ctx, store.MessageKeys{
		Realm: by.Realm, ClientID: by.ClientID, MessageKey: in.MessageKey(),
	}, payment.Digest{})
	duplicate, is := errors.AsType[*store.DuplicateError](err)
	if !is {
		return nil, err
	}
	refused, is := errors.AsType[*payment.RefusalError](refuseDuplicate(duplicate))
	if !is {
		return nil, err
	}
	return refused.Findings, nil
}

// made returns the message that a client made with an externalId; the zero id for none.
func (s *Payments) made(ctx context.Context, by identity.Principal, externalID string) (uuid.UUID, error) {
	err := s.cfg.Messages.Repeated(ctx, store.MessageKeys{
		Realm: by.Realm, ClientID: by.ClientID, ExternalID: externalID,
	}, payment.Digest{})
	if duplicate, is := errors.AsType[*store.DuplicateError](err); is {
		return duplicate.MessageID, nil
	}
	return uuid.Nil, err
}

// Preview is a maker's view before submitting. The required approvals depend on the amount, which an unfinished order
// may lack.
type Preview struct {
	payment.InstructionPreview
	ApprovalsRequired int
	PendingFor        time.Duration
	Overbooked        []i18n.Text // limits that other payments of its later day use up
}

// repeat answers a request whose externalId, Idempotency-Key or MsgId was used before. The externalId is not part of an order's content, so
// a key with another externalId belongs to another request.
func (s *Payments) repeat(
	ctx context.Context, by identity.Principal, in payment.Order, duplicate *store.DuplicateError,
) (Result, error) {
	if duplicate.Scope == payment.KeyMessageID || !duplicate.SameContent {
		return Result{}, refuseDuplicate(duplicate)
	}
	first, err := s.cfg.Messages.Message(ctx, by.Realm, duplicate.MessageID)
	if err != nil {
		return Result{}, fmt.Errorf("load the first message: %w", err)
	}
	if duplicate.Scope == payment.KeyIdempotency && first.ExternalID != in.ExternalID {
		return Result{}, payment.ErrKeyReused
	}
	return Result{Message: first, Replayed: true}, nil
}

// refuseDuplicate refuses a used key of the client: payment.ErrKeyReused for an Idempotency-Key, else a payment.RefusalError that names the
// key.
func refuseDuplicate(duplicate *store.DuplicateError) error {
	if duplicate.Scope == payment.KeyIdempotency {
		return payment.ErrKeyReused
	}
	f := payment.Finding{
		Rule: rulebook.RuleMessageIDUnique, Pointer: "/Document/CstmrCdtTrfInitn/GrpHdr/MsgId", Code: "DU01",
		Text: i18n.Text("Give the payment order a different MsgId. Message %s already has the same MsgId.").With(duplicate.MessageID),
	}
	if duplicate.Scope == payment.KeyExternalID {
		f.Rule, f.Pointer = "", "/identifiers/externalId"
		f.Text = i18n.ForPrograms("Read message %s before you send this order again: it has this externalId and other content, such as "+
			"another MsgId. Only a new order needs an externalId of its own.", duplicate.MessageID)
	}
	return &payment.RefusalError{Findings: []payment.Finding{f}}
}

// ask returns the query for the realm data of a new message, of the payment information of an index. The rules report missing fields later.
func (s *Payments) ask(by identity.Principal, in payment.Order, index int) store.ContextQuery {
	q := store.ContextQuery{
		Realm: by.Realm, ClientID: by.ClientID, Channel: by.Channel, Scheme: in.Scheme, Kind: payment.KindInstruction,
		People: []uuid.UUID{by.PersonID}, Day: s.today(), Seen: in.Seen,
	}
	if index >= len(in.Document.PaymentInformation) {
		return q
	}
	info := &in.Document.PaymentInformation[index]
	q.DebtorAccount = info.DebtorAccount.ID.IBAN
	if rulebook.IsLater(info, s.cfg.Now().In(s.cfg.Zone)) {
		q.On = rulebook.ExecutionDay(info)
	}
	for _, tx := range info.CreditTransferTransactionInformation {
		if tx.Amount.InstructedAmount == nil {
			continue
		}
		amount, err := money.FromDecimal(money.Currency(tx.Amount.InstructedAmount.Currency), tx.Amount.InstructedAmount.Value)
		if err == nil {
			q.Amount = amount.Minor()
		}
	}
	return q
}

// instruction returns an order with the current data of its realm.
func (s *Payments) instruction(
	by identity.Principal, in payment.Order, known store.CreateContext, at time.Time,
) payment.InstructionInput {
	return payment.InstructionInput{
		Order: in, By: by, Account: known.Account, Directory: known.Directory, Policy: known.Policy, Limits: known.Limits,
		Rules:    s.cfg.Rules,
		GlobalID: payment.New(known.Mark, at, s.cfg.Random()), InternalID: s.cfg.NewID(), DocumentID: s.cfg.NewID(),
		At: at, Today: at.In(s.cfg.Zone), Seal: s.cfg.Seal,
	}
}

// today is the banking day, as limits count.
func (s *Payments) today() string { return s.cfg.Now().In(s.cfg.Zone).Format(time.DateOnly) }
