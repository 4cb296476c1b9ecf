package clearing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// waitForPayment is the time that a recall waits for its payment before an operator sees it.
const waitForPayment = time.Minute

// receiveRecall stores another bank's recall of an incoming payment: it awaits a decision until the scheme's answer day. In SIC clearing
// gets a receipt. The recall of a withheld payment goes to quarantine: it would copy the fields of that payment under a seal of its own.
func (s *Service) receiveRecall(ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentCancellationRequest) error {
	recall, err := interbank.ReadCancellation(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	from := s.sender(in.Scheme, document)
	if from == "" {
		return unprocessable("The recall does not name the sending bank.")
	}
	original, err := s.incomingAbout(ctx, in, recall.Original, from)
	switch {
	case isUnknown(err), isStranger(err), // its payment may come yet, under an id that another bank uses too
		err == nil && original.State == payment.StateAccepted:
		return s.inbox.Hold(ctx, in, recall.Original.TransactionID, s.cfg.Now().Add(waitForPayment))
	case err != nil:
		return err
	case original.State != payment.StateBooked: // it was refused
		return s.refuseRecall(ctx, in, document, original, neverReceived)
	case payment.ReturnStatusOf(original.ReturnState) == payment.ReturnDone:
		return s.refuseRecall(ctx, in, document, original, alreadyReturned)
	}
	arrival := s.arrival(in, original.Realm, original.GlobalID.Mark())
	answer, err := s.receipt(in, document, "C25"+string(arrival.GlobalID))
	if err != nil {
		return err
	}
	answerBy := rulebook.AnswerBy(in.Scheme, arrival.At.In(s.cfg.Zone), s.cfg.Rules)
	err = s.arrive(ctx, store.Arrival{
		Inbound: in, Created: payment.NewReceivedRecall(arrival, recall, original, answerBy), Answer: answer,
	})
	if _, is := errors.AsType[*store.ConflictError](err); is {
		return s.secondRecall(ctx, in, document, original)
	}
	return err
}

// receipt makes the camt.025 that SIC expects for a recall or its refusal; nil in SEPA.
func (s *Service) receipt(in store.Document, about iso20022.Document, reference string) (*store.Document, error) {
	if in.Scheme != rulebook.SchemeSIC {
		return nil, nil
	}
	document, err := interbank.Receipt(interbank.ReceiptInput{Scheme: in.Scheme, About: about, Reference: reference, At: s.cfg.Now()})
	if err != nil {
		return nil, unprocessable(i18n.Data(err.Error()))
	}
	answer, err := s.answerOf(in, reference, document)
	return &answer, err
}

// receiveReturn books returned money (pacs.004), and answers clearing with a pacs.002. With FOCR the money answers our recall of the
// payment. Any other reason is the bank's own, also when our recall crosses the return: the bank then answers the recall with ARDT.
func (s *Service) receiveReturn(ctx context.Context, in store.Document, document *iso20022.PaymentReturn) error {
	returned, err := interbank.ReadReturn(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	err = returned.Settles(s.cfg.Now().In(s.cfg.Zone))
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	if !returned.AnswersRecall() && s.takesPlainReturns(in.Scheme) {
		return s.receivePlainReturn(ctx, in, document, returned)
	}
	recall, err := s.recallOf(ctx, returned.Original, s.sender(in.Scheme, document))
	if err != nil {
		return err
	}
	if !returned.AnswersRecall() {
		return unprocessable(i18n.Text("A return with the reason code %s does not answer the recall of the payment.").With(returned.Reason.Code))
	}
	moves := s.fitting(in, returned.Original, func(m payment.Message) (payment.Transition, error) {
		if citesOther(returned.Reason.Information, m) {
			return payment.Transition{}, unprocessable("The return refers to a recall that does not belong to this payment.")
		}
		err := returned.Owes(m.Summary.Amount, s.cfg.Rules.RecallCharge(m.Scheme))
		if err != nil {
			return payment.Transition{}, unprocessable(i18n.Data(err.Error()))
		}
		return s.answeredOnce(m.Accept(s.cfg.Now()))
	})
	arrival := s.arrival(in, recall.Realm, recall.GlobalID.Mark())
	answer, err := s.returnAnswer(ctx, in, document, arrival, recall)
	if err != nil {
		return err
	}
	return s.arriveAnswer(ctx, store.Arrival{
		Inbound: in, Created: payment.NewReceivedReturn(arrival, returned, recall), Answer: answer, Moves: moves,
	})
}

// takesPlainReturns reports whether money of a scheme may come back without a recall: where we may send it back so.
func (s *Service) takesPlainReturns(scheme rulebook.Scheme) bool {
	_, refused := rulebook.OnlyAfterRecall(rulebook.RTransactionCase{Scheme: scheme, Settings: s.cfg.Rules})
	return !refused
}

// receivePlainReturn books money of our payment that comes back without a recall: all of it, from the creditor's bank. A return that
// overtook the settlement of the payment waits for it.
func (s *Service) receivePlainReturn(
	ctx context.Context, in store.Document, document *iso20022.PaymentReturn, returned interbank.Returned,
) error {
	realm, id, err := s.sentOriginal(ctx, returned.Original)
	if err != nil {
		return err
	}
	original, err := s.trustedMessage(ctx, realm, id)
	if err != nil {
		return err
	}
	err = s.comesFrom(original, s.sender(in.Scheme, document))
	if err != nil {
		return err
	}
	err = s.fits(in, original, returned.Original)
	if err != nil {
		return err
	}
	switch original.State {
	case payment.StateApproved, payment.StateProcessing, payment.StateUnconfirmed:
		return s.inbox.Hold(ctx, in, returned.Original.TransactionID, s.cfg.Now().Add(waitForPayment))
	case payment.StateSettled:
	default:
		return &unprocessableError{about: original, reason: i18n.Text("The returned payment is not settled. Its state is “%s”.").
			With(original.State.Text())}
	}
	err = returned.Owes(original.Summary.Amount, money.Amount{})
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	arrival := s.arrival(in, realm, original.GlobalID.Mark())
	answer, err := s.returnAnswer(ctx, in, document, arrival, original)
	if err != nil {
		return err
	}
	err = s.arrive(ctx, store.Arrival{Inbound: in, Created: payment.NewPlainReturn(arrival, returned, original), Answer: answer})
	if _, is := errors.AsType[*store.ConflictError](err); is {
		return unprocessable("This payment has already been returned. A payment can be returned only once.")
	}
	return err
}

// returnAnswer makes the pacs.002 that accepts a return, of the bank of our account in the returned payment.
func (s *Service) returnAnswer(
	ctx context.Context, in store.Document, document *iso20022.PaymentReturn, arrival payment.ArrivalInput, about payment.Message,
) (*store.Document, error) {
	bank, err := s.bankOf(ctx, about.Realm, about.Summary.DebtorAccount)
	if err != nil {
		return nil, err
	}
	answer, err := s.statusAnswer(statusReply{in: in, about: document, bank: bank, unique: string(arrival.GlobalID)})
	return &answer, err
}

// arriveAnswer stores what another bank answered to a recall of ours, with the move of the recall. A second answer is for an operator.
func (s *Service) arriveAnswer(ctx context.Context, a store.Arrival) error {
	err := s.arrive(ctx, a)
	if _, is := errors.AsType[*store.ConflictError](err); is {
		return unprocessable(answeredBefore)
	}
	return err
}

const answeredBefore = "The recall was already answered. A recall can be answered only once."

// receiveResolution books the refusal of a recall (camt.029). In SIC clearing gets a receipt. A camt.029 that refuses nothing, such as
// "pending", is stored beside the recall and moves nothing.
func (s *Service) receiveResolution(ctx context.Context, in store.Document, document *iso20022.ResolutionOfInvestigation) error {
	resolution, err := interbank.ReadResolution(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	recall, err := s.recallOf(ctx, resolution.Original, s.sender(in.Scheme, document))
	if err != nil {
		return err
	}
	arrival := s.arrival(in, recall.Realm, recall.GlobalID.Mark())
	receipt, err := s.receipt(in, document, "C25"+string(arrival.GlobalID))
	if err != nil {
		return err
	}
	if !resolution.Refused {
		return s.keepUndecided(ctx, in.Of(recall.Realm, recall.InternalID), resolution, receipt)
	}
	moves := s.fitting(in, resolution.Original, func(m payment.Message) (payment.Transition, error) {
		return s.answeredOnce(m.RefuseRecall(resolution.Reason.Code, resolution.Reason.Text, s.cfg.Now()))
	})
	return s.arriveAnswer(ctx, store.Arrival{
		Inbound: in, Created: payment.NewReceivedResolution(arrival, resolution, recall), Answer: receipt, Moves: moves,
	})
}

// keepUndecided stores a camt.029 that is no answer yet beside its recall.
func (s *Service) keepUndecided(
	ctx context.Context, in store.Document, resolution interbank.NegativeResolution, receipt *store.Document,
) error {
	var answers []store.Document
	if receipt != nil {
		answers = append(answers, *receipt)
	}
	return s.inbox.Record(ctx, in, s.fitting(in, resolution.Original, func(m payment.Message) (payment.Transition, error) {
		return moveIf(m.Report(resolution.Status, resolution.Reason.Text, s.cfg.Now()))
	}), answers...)
}

// answeredOnce returns the move of the first answer to our recall. A second payment or refusal is for an operator and is not confirmed.
func (s *Service) answeredOnce(t payment.Transition, moves bool, err error) (payment.Transition, error) {
	if err == nil && !moves {
		return payment.Transition{}, unprocessable(answeredBefore)
	}
	return t, err
}

// sentOriginal finds the payment of ours that an R-transaction is about, by its transaction id.
func (s *Service) sentOriginal(ctx context.Context, about interbank.Original) (realm string, id uuid.UUID, err error) {
	global, err := payment.Parse(about.TransactionID)
	if err == nil {
		realm, id, err = s.cfg.Messages.FindByGlobalID(ctx, global)
	} else {
		err = payment.ErrNotFound
	}
	if errors.Is(err, payment.ErrNotFound) {
		err = unprocessable(i18n.Text("No payment in this gateway has the transaction ID %s.").With(about.TransactionID))
	}
	return realm, id, err
}

// recallOf finds our recall of the payment that a document is about. An answer to a withheld recall, or from another bank than the asked
// one, goes to quarantine.
func (s *Service) recallOf(ctx context.Context, about interbank.Original, from string) (payment.Message, error) {
	realm, original, err := s.sentOriginal(ctx, about)
	if err != nil {
		return payment.Message{}, err
	}
	id, err := s.cfg.Messages.RecallOf(ctx, realm, original)
	if errors.Is(err, payment.ErrNotFound) {
		return payment.Message{}, unprocessable(i18n.Text("The payment %s was not recalled.").With(about.TransactionID))
	}
	if err != nil {
		return payment.Message{}, err
	}
	m, err := s.trustedMessage(ctx, realm, id)
	if err != nil {
		return payment.Message{}, err
	}
	return m, s.comesFrom(m, from)
}

// receiveReceipt books a receipt of clearing (camt.025) for our recall or resolution.
func (s *Service) receiveReceipt(ctx context.Context, in store.Document, document *iso20022.Receipt) error {
	confirmation, err := interbank.ReadReceipt(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	global, ours := payment.ParseReference(confirmation.OriginalID)
	if !ours {
		return unprocessable(i18n.Text("No message in this gateway has the ID %s.").With(confirmation.OriginalID))
	}
	realm, id, err := s.cfg.Messages.FindByGlobalID(ctx, global)
	if errors.Is(err, payment.ErrNotFound) {
		return unprocessable(i18n.Text("No message in this gateway has the ID %s.").With(confirmation.OriginalID))
	}
	if err != nil {
		return err
	}
	return s.recordAnswer(ctx, in.Of(realm, id), func(m payment.Message) (payment.Transition, error) {
		err := m.AgreesWithReceipt(confirmation)
		if err != nil {
			return payment.Transition{}, unprocessable(i18n.Data(err.Error()))
		}
		switch {
		case m.Scheme != in.Scheme || m.Kind != payment.KindRecall && m.Kind != payment.KindResolution:
			return payment.Transition{}, payment.ErrIllegalMove
		case confirmation.Outcome == interbank.OutcomePositive:
			return moveIf(m.Acknowledge(s.answerBy(m.Scheme), s.cfg.Now()))
		case confirmation.Outcome == interbank.OutcomeNegative:
			return moveIf(m.RejectByClearing("RJCT", confirmation.Description, s.cfg.Now()))
		}
		return moveIf(m.Report(confirmation.Status, confirmation.Description, s.cfg.Now()))
	})
}
