package clearing

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// waitForAsked is the time that a question waits for the payment it overtook before it is answered with "never received".
const waitForAsked = 5 * time.Second

// neverCame ends the waiting of a recall or question whose payment never came: a recall is refused with NOOR (ISO: original never received)
// where the terms of the clearing leave that to the gateway, and a question is answered with RJCT AG09.
func (s *Service) neverCame(ctx context.Context, in store.Document) error {
	parsed, findings := profile.Read(in.Content)
	unprocessed := &unprocessableError{reason: "The original payment was never received."}
	if len(findings) > 0 {
		return s.giveUp(ctx, in, unprocessed)
	}
	var err error
	switch document := parsed.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		err = s.recallOfNothing(ctx, in, document)
	case *iso20022.FIToFIPaymentStatusRequest:
		err = s.questionAboutNothing(ctx, in, document)
	default:
		err = unprocessed
	}
	if cannot := unprocessableOf(err); cannot != nil {
		return s.giveUp(ctx, in, cannot)
	}
	return err
}

// recallOfNothing refuses the recall of a payment that never came.
func (s *Service) recallOfNothing(ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentCancellationRequest) error {
	read, err := interbank.ReadCancellation(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	original, err := s.incomingAbout(ctx, in, read.Original, s.sender(in.Scheme, document))
	switch {
	case err == nil: // clearing did not confirm it in time
		return &unprocessableError{reason: i18n.Text("The recalled payment is not booked. Its state is “%s”.").
			With(original.State.Text()), about: original}
	case !isUnknown(err):
		return err
	case s.cfg.Rules.UnknownRecallByPerson(in.Scheme, s.cfg.Now().In(s.cfg.Zone)):
		return unprocessable("The original payment was never received.")
	}
	err = s.archived(ctx, read.Original)
	if err != nil {
		return err
	}
	answers, err := s.recallRefusal(in, document, neverReceived, s.cfg.Profiles.OwnBIC(string(in.Scheme)))
	if err != nil {
		return err
	}
	return s.inbox.AnswerUnknown(ctx, in, "The recalled payment was never received. The gateway answered clearing with the code "+
		"NOOR.", answers...)
}

// questionAboutNothing answers a question about a payment, or the recall of a payment, that never came.
func (s *Service) questionAboutNothing(ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentStatusRequest) error {
	inquiry, err := interbank.ReadStatusRequest(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	from := s.sender(in.Scheme, document)
	if inquiry.AboutRecall() {
		_, err = s.recallAsked(ctx, in, inquiry, from)
	} else {
		_, err = s.incomingAbout(ctx, in, inquiry.Original, from)
	}
	if !isUnknown(err) {
		return cmp.Or(err, unprocessable("The original payment was never received."))
	}
	err = s.archived(ctx, inquiry.Original)
	if err != nil {
		return err
	}
	unique := shortDigest(append([]byte(in.Reference), in.Content...))
	report, err := interbank.UnknownStatus(interbank.StatusReportInput{
		Scheme: in.Scheme, About: document, Code: "AG09", Information: []string{"The payment never came here."},
		Bank: s.cfg.Profiles.OwnBIC(string(in.Scheme)), Reference: "P2" + unique, StatusID: "S" + unique, At: s.cfg.Now(),
	})
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	answer, err := s.answerOf(in, "P2"+unique, report)
	if err != nil {
		return err
	}
	return s.inbox.AnswerUnknown(ctx, in, "No incoming payment has the ID in the inquiry. The gateway answered clearing with the code "+
		"AG09.", answer.By(in))
}

// archived refuses an automatic answer about a payment that left the database with an archive: a person finds it there.
func (s *Service) archived(ctx context.Context, about interbank.Original) error {
	err := s.cfg.Messages.ArchivedIncoming(ctx, about.TransactionID)
	if archived, is := errors.AsType[*payment.ArchivedError](err); is {
		return unprocessable(i18n.Text("This payment was moved to the archive of %s.").With(i18n.ISODate(archived.Month)))
	}
	return err
}

// recallRefusal makes the camt.029 that refuses a recall, in SIC with the receipt of the recall before it. bank is our BIC; "" takes the
// bank that the recall names as the one it is for.
func (s *Service) recallRefusal(
	in store.Document, document *iso20022.FIToFIPaymentCancellationRequest, reason, bank string,
) ([]store.Document, error) {
	unique := shortDigest(append([]byte(in.Reference), in.Content...))
	refusal, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: reason}, Scheme: in.Scheme, Recall: document, Bank: bank, MessageID: "C29" + unique,
		ID: "C29" + unique, At: s.cfg.Now(), Automatic: true,
	})
	if err != nil {
		return nil, unprocessable(i18n.Data(err.Error()))
	}
	var answers []store.Document
	receipt, err := s.receipt(in, document, "C25"+unique)
	if err != nil {
		return nil, err
	}
	if receipt != nil {
		answers = append(answers, *receipt)
	}
	answer, err := s.answerOf(in, "C29"+unique, refusal)
	return append(answers, answer.By(in)), err
}

// refuseRecall answers the recall of a payment that cannot be recalled any more, and stores both beside the payment.
func (s *Service) refuseRecall(
	ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentCancellationRequest, original payment.Message, reason string,
) error {
	bank, err := s.bankOf(ctx, original.Realm, original.Summary.CreditorAccount)
	if err != nil {
		return err
	}
	answers, err := s.recallRefusal(in, document, reason, bank)
	if err != nil {
		return err
	}
	return s.recordInquiry(ctx, in.Of(original.Realm, original.InternalID), answers...)
}

// secondRecall answers another recall of a payment that was recalled before: with ARDT when the money went back, with the reason of the
// first refusal otherwise. While the first one waits for people, the second one is for an operator: one answer is due.
func (s *Service) secondRecall(
	ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentCancellationRequest, original payment.Message,
) error {
	first, err := s.cfg.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if err != nil {
		return err
	}
	given, err := s.cfg.Messages.AnswerOf(ctx, original.Realm, first)
	if errors.Is(err, payment.ErrNotFound) {
		return unprocessable("The payment was already recalled. A payment can be recalled only once.")
	}
	if err != nil {
		return err
	}
	reason := given.Reason
	if given.Kind == payment.KindReturn {
		reason = alreadyReturned
	}
	return s.refuseRecall(ctx, in, document, original, reason)
}

// The reasons of automatic refusals (ISO ExternalPaymentCancellationRejection1Code): the payment never came, its money went back.
const (
	neverReceived   = "NOOR"
	alreadyReturned = "ARDT"
)

// citesOther reports whether a line of a return names another recall than the one it answers (EPC, ATR053 and ATR072).
func citesOther(lines []string, recall payment.Message) bool {
	for _, line := range lines {
		for _, attribute := range []string{"ATR053/", "ATR072/"} {
			if cited, is := strings.CutPrefix(strings.TrimSpace(line), attribute); is && cited != string(recall.GlobalID) {
				return true
			}
		}
	}
	return false
}
