package clearing

import (
	"context"
	"errors"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// receiveTransfer processes an incoming payment: accepted when no rule of the scheme refuses it and the account is one of ours and open,
// and booked when clearing confirms its settlement; else refused with the code of the first broken rule. The answer (pacs.002) is stored in
// the same transaction and sent by its job, within the scheme's time. A message that cannot be read as one payment is refused as a whole,
// and an operator sees it.
func (s *Service) receiveTransfer(ctx context.Context, in store.Document, document *iso20022.FIToFICustomerCreditTransfer) error {
	transfer, err := interbank.ReadTransfer(document)
	var amount *money.Error
	if errors.As(err, &amount) {
		refused := payment.IncomingRefusal{Code: amount.Code, Text: "The amount cannot be booked. " + amount.Text.String()}
		return s.refuseUnknown(ctx, statusReply{in: in, about: document, refused: refused})
	}
	if err != nil {
		return s.refuseGroup(in, document, err)
	}
	asked := rulebook.Incoming{Scheme: in.Scheme, Document: document, At: s.cfg.Now().In(s.cfg.Zone), Settings: s.cfg.Rules}
	realm, iban, err := s.accounts.Incoming(ctx, transfer.Creditor.IBAN)
	if errors.Is(err, payment.ErrNotFound) {
		return s.refuseUnknown(ctx, statusReply{in: in, about: document, refused: payment.CheckIncoming(asked)})
	}
	if err != nil {
		return err
	}
	account, mark, err := s.accounts.Account(ctx, realm, iban)
	if err != nil {
		return err
	}
	asked.Account, asked.At = account.Incoming(), s.cfg.Now().In(s.cfg.Zone)
	arrival := s.arrival(in, realm, mark)
	refused, said, err := s.checkCredit(ctx, asked, arrival, transfer)
	if err != nil {
		return err
	}
	answer, err := s.statusAnswer(statusReply{
		in: in, about: document, refused: refused, bank: account.AgentBIC, unique: string(arrival.GlobalID),
	})
	if err != nil {
		return err
	}
	made := store.Arrival{
		Inbound: in, Created: payment.NewIncoming(arrival, transfer, refused, s.cfg.Rules.SettlementConfirmed(in.Scheme, asked.At)),
		Answer: &answer, Core: said, Bank: s.sender(in.Scheme, document),
	}
	err = s.arrive(ctx, made)
	if errors.Is(err, store.ErrKnownTransaction) {
		err = s.arriveAgain(ctx, made, document)
	}
	if err != nil {
		return err
	}
	return s.processWaiting(ctx, in.Scheme, transfer.TransactionID)
}

// arriveAgain processes a payment with a transaction id that its bank used before: a new payment after the period in which a bank's ids are
// unique, else a repetition.
func (s *Service) arriveAgain(ctx context.Context, made store.Arrival, document *iso20022.FIToFICustomerCreditTransfer) error {
	m := made.Created.Message
	known, err := s.cfg.Messages.IncomingByTransaction(ctx, m.Scheme, m.Summary.TransactionID, made.Bank)
	switch {
	case err != nil:
		return err
	case len(known) == 0 || known[0].Bank != made.Bank:
		return store.ErrKnownTransaction
	case m.CreatedAt.Sub(known[0].ReceivedAt) < s.cfg.Rules.UniqueFor(m.Scheme, m.CreatedAt.In(s.cfg.Zone)):
		return s.repeatedPayment(ctx, made.Inbound, document, known[0])
	}
	made.Use = known[0].Use + 1
	return s.arrive(ctx, made)
}

// repeatedMessage handles another pacs.008 that a bank sends under a message id of its own that was used: the answer to the payment again
// where it is the same payment, else AM05.
func (s *Service) repeatedMessage(ctx context.Context, in store.Document, document *iso20022.FIToFICustomerCreditTransfer) error {
	transfer, err := interbank.ReadTransfer(document)
	if err != nil {
		return s.refuseGroup(in, document, err)
	}
	bank := s.sender(in.Scheme, document)
	known, err := s.cfg.Messages.IncomingByTransaction(ctx, in.Scheme, transfer.TransactionID, bank)
	if err != nil {
		return err
	}
	if len(known) > 0 && known[0].Bank == bank {
		return s.repeatedPayment(ctx, in, document, known[0])
	}
	return s.refuseRepeated(statusReply{in: in, about: document, bank: s.cfg.Profiles.OwnBIC(string(in.Scheme))})
}

// repeatedPayment handles a repeated payment. The same message gets the earlier answer again, under an id of its own. Another message, or
// the same one with other values, is refused with AM05, and an operator sees it.
func (s *Service) repeatedPayment(
	ctx context.Context, in store.Document, document *iso20022.FIToFICustomerCreditTransfer, earlier store.IncomingPayment,
) error {
	m, err := s.trustedMessage(ctx, earlier.Realm, earlier.ID)
	if err != nil {
		return err
	}
	said, err := interbank.OriginalOf(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	bank, err := s.bankOf(ctx, m.Realm, m.Summary.CreditorAccount)
	if err != nil {
		return err
	}
	if m.AgreesWith(said, s.cfg.Zone) != nil {
		return s.refuseRepeated(statusReply{in: in, about: document, bank: bank})
	}
	answer, err := s.answerAgain(in, m, bank)
	if err != nil {
		return err
	}
	return s.recordInquiry(ctx, in.Of(m.Realm, m.InternalID), answer)
}

// refuseRepeated is the unprocessableError of a payment under a used id, with the pacs.002 that refuses it. It never returns nil.
func (s *Service) refuseRepeated(r statusReply) error {
	r.refused = payment.IncomingRefusal{Code: "AM05", Text: "An id of this message came before."}
	r.unique = shortDigest(r.in.Content)
	answer, err := s.statusAnswer(r)
	if err != nil {
		return err
	}
	return &unprocessableError{
		reason: i18n.Text("The ID of this payment was received before, either with different values or under a different message ID. The " +
			"gateway answered clearing with the code %s.").With(
			r.refused.Code,
		),
		answer: &answer,
	}
}

// answerAgain makes the pacs.002 of an incoming payment again, with its present state. The same question under another id is asked once
// more, and its answer has another time: one id would name two documents.
func (s *Service) answerAgain(in store.Document, m payment.Message, bank string) (store.Document, error) {
	transfer, _ := m.Document() // StatusReport refuses what cannot be read
	return s.statusAnswer(statusReply{
		in: in, about: transfer, refused: m.IncomingRefusal(), bank: bank,
		unique: shortDigest(append([]byte(in.Reference), in.Content...)),
	})
}

func (s *Service) arrival(in store.Document, realm, mark string) payment.ArrivalInput {
	now := s.cfg.Now()
	return payment.ArrivalInput{
		Realm: realm, Scheme: in.Scheme, Name: in.Name, Reference: in.Reference, Content: in.Content, At: now,
		GlobalID: payment.New(mark, now, s.cfg.Random()), InternalID: s.cfg.NewID(), DocumentID: s.cfg.NewID(),
	}
}

// arrive makes a message of an incoming document.
func (s *Service) arrive(ctx context.Context, a store.Arrival) error {
	if s.cfg.Core != nil && a.Core == nil && a.Created.Message.Kind == payment.KindReturn {
		a.Core = &payment.CoreAnswer{Outcome: payment.CoreNotAsked, At: a.Created.Message.CreatedAt}
	}
	err := s.inbox.Arrive(ctx, a)
	if err == nil {
		if _, ended := a.Created.Message.CoreResult(); ended && a.Core != nil {
			s.offerBooking(a.Created.Message.Realm, a.Created.Message.InternalID)
		}
		s.cfg.Traces.Arrived(ctx, a.Created.Message.InternalID)
	}
	return err
}

// refuseUnknown answers a payment that becomes no message: to an unknown account, or of an amount that cannot be booked.
func (s *Service) refuseUnknown(ctx context.Context, r statusReply) error {
	r.unique, r.bank = shortDigest(r.in.Content), s.cfg.Profiles.OwnBIC(string(r.in.Scheme))
	answer, err := s.statusAnswer(r)
	if err != nil {
		return err
	}
	return s.inbox.AnswerUnknown(ctx, r.in, i18n.Kept(r.refused.Text), answer)
}

// refuseGroup returns the unprocessableError of a pacs.008 without exactly one payment, a transaction id and readable times, with the
// answer that refuses the whole document: without an answer the debtor's bank stays in doubt. It never returns nil.
func (s *Service) refuseGroup(in store.Document, document *iso20022.FIToFICustomerCreditTransfer, why error) error {
	refused := payment.IncomingRefusal{Code: "DT01", Text: "A date or time in the message cannot be read."}
	switch {
	case errors.Is(why, interbank.ErrTransactions):
		refused = payment.IncomingRefusal{Code: "AM18", Text: "Send each instant payment in a separate message."}
	case errors.Is(why, interbank.ErrIncomplete):
		refused = payment.IncomingRefusal{Code: "CH21", Text: "The transaction ID (TxId) is missing."}
	}
	reference := "P2" + shortDigest(in.Content)
	report, err := interbank.GroupRejection(interbank.StatusReportInput{
		Scheme: in.Scheme, About: document, Code: refused.Code, Information: []string{refused.Text}, Reference: reference, At: s.cfg.Now(),
	})
	if err != nil {
		return err
	}
	answer, err := s.answerOf(in, reference, report)
	if err != nil {
		return err
	}
	return &unprocessableError{
		reason: i18n.Text("%s. The gateway rejected the message with the code %s.").With(i18n.Data(why.Error()), refused.Code),
		answer: &answer,
	}
}

// statusReply is the content of a pacs.002 about an incoming payment or return.
type statusReply struct {
	in      store.Document
	about   iso20022.Document       // what in holds
	refused payment.IncomingRefusal // zero when it is taken
	bank    string                  // our BIC: that of the bank that keeps the account; "" when unknown
	unique  string                  // what makes the ids of the pacs.002 its own
}

// statusAnswer makes the pacs.002.
func (s *Service) statusAnswer(r statusReply) (store.Document, error) {
	var lines []string
	if r.refused.Text != "" {
		lines = []string{r.refused.Text}
	}
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: r.in.Scheme, About: r.about, Code: r.refused.Code, Information: lines, Bank: r.bank, Reference: "P2" + r.unique,
		StatusID: "S" + r.unique, At: s.cfg.Now(),
	})
	if err != nil {
		return store.Document{}, unprocessable(i18n.Data(err.Error()))
	}
	return s.answerOf(r.in, "P2"+r.unique, report)
}

// bankOf returns the BIC of the bank of our account; "" when it is not known.
func (s *Service) bankOf(ctx context.Context, realm, iban string) (string, error) {
	account, _, err := s.accounts.Account(ctx, realm, iban)
	if errors.Is(err, payment.ErrNotFound) {
		return "", nil
	}
	return account.AgentBIC, err
}

// answerOf writes an answer out.
func (s *Service) answerOf(in store.Document, reference string, document iso20022.Document) (store.Document, error) {
	content, err := s.profile(in.Scheme).Write(document)
	if err != nil {
		return store.Document{}, err
	}
	return store.Document{Scheme: in.Scheme, Name: document.MessageName(), Reference: reference, Content: content, At: s.cfg.Now()}, nil
}
