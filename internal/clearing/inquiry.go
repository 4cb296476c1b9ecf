package clearing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/store"
)

// receiveInquiry answers a pacs.028: for an incoming payment with its pacs.002 again, for a recall with its earlier answer. A question
// about a recall without a decision gets no answer; one about a withheld payment goes to quarantine.
func (s *Service) receiveInquiry(ctx context.Context, in store.Document, document *iso20022.FIToFIPaymentStatusRequest) error {
	inquiry, err := interbank.ReadStatusRequest(document)
	if err != nil {
		return unprocessable(i18n.Data(err.Error()))
	}
	from := s.sender(in.Scheme, document)
	if inquiry.AboutRecall() {
		return s.answerAboutRecall(ctx, in, inquiry, from)
	}
	m, err := s.incomingAbout(ctx, in, inquiry.Original, from)
	if err != nil {
		return s.holdUnknown(ctx, in, inquiry, err)
	}
	bank, err := s.bankOf(ctx, m.Realm, m.Summary.CreditorAccount)
	if err != nil {
		return err
	}
	answer, err := s.answerAgain(in, m, bank)
	if err != nil {
		return err
	}
	return s.recordInquiry(ctx, in.Of(m.Realm, m.InternalID), answer)
}

// answerAboutRecall sends the answer of a received recall again, by the outbox: the same bytes under the same message id, once more for
// each inquiry. The question must agree with the recall and with the payment it is about.
func (s *Service) answerAboutRecall(ctx context.Context, in store.Document, inquiry interbank.Inquiry, from string) error {
	recall, err := s.recallAsked(ctx, in, inquiry, from)
	if err != nil {
		return s.holdUnknown(ctx, in, inquiry, err)
	}
	answers, err := s.sentAnswer(ctx, in, recall.Realm, recall.InternalID)
	if err != nil {
		return err
	}
	return s.recordInquiry(ctx, in.Of(recall.Realm, recall.InternalID), answers...)
}

// holdUnknown has a question about a payment that is not known wait for it; the question may have overtaken its payment.
func (s *Service) holdUnknown(ctx context.Context, in store.Document, inquiry interbank.Inquiry, err error) error {
	asked := inquiry.Original
	switch {
	case !isUnknown(err):
		return err
	case asked.TransactionID == "" || asked.MessageName != "" && !inquiry.AboutRecall() && !inquiry.AboutPayment():
		return unprocessable(i18n.Text("No incoming payment has the transaction ID %s.").With(asked.TransactionID))
	}
	return s.inbox.Hold(ctx, in, asked.TransactionID, s.cfg.Now().Add(waitForAsked))
}

// recallAsked finds the received recall that a question is about. Errors: as incomingAbout.
func (s *Service) recallAsked(ctx context.Context, in store.Document, inquiry interbank.Inquiry, from string) (payment.Message, error) {
	var recall payment.Message
	fits := func(original payment.Message) error {
		id, err := s.cfg.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
		if errors.Is(err, payment.ErrNotFound) {
			return unprocessable(i18n.Text("The payment %s was not recalled.").With(inquiry.Original.TransactionID))
		}
		if err != nil {
			return err
		}
		recall, err = s.cfg.Messages.Message(ctx, original.Realm, id)
		if err != nil {
			return err
		}
		about, err := recall.AskedAbout(inquiry.Original)
		if err != nil {
			return unprocessable(i18n.Data(err.Error()))
		}
		return s.fits(in, original, about)
	}
	_, err := s.chooseIncoming(ctx, in, inquiry.Original.TransactionID, from, matching{
		fits: fits, knows: func(payment.Message) bool {
			return inquiry.Original.InstructionID != "" && inquiry.Original.MessageID != ""
		},
	})
	return recall, err
}

// recordInquiry stores a question of clearing, which moves nothing, with our answers.
func (s *Service) recordInquiry(ctx context.Context, in store.Document, answers ...store.Document) (err error) {
	ctx, end := s.cfg.Traces.Message(ctx, in.MessageID, "question "+string(in.Name))
	defer func() { end(err) }()
	return s.inbox.Record(ctx, in, noMove, answers...)
}

// sentAnswer is the answer of a received recall to send again; none while people still decide, or when it was not sent yet. One that does
// not fit its seal is not sent again, and raises the alarm.
func (s *Service) sentAnswer(ctx context.Context, in store.Document, realm string, recall uuid.UUID) ([]store.Document, error) {
	m, err := s.cfg.Messages.AnswerOf(ctx, realm, recall)
	if errors.Is(err, payment.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sent, err := s.documents.Outbound(ctx, realm, m.Reference())
	switch {
	case errors.Is(err, payment.ErrNotFound):
		return nil, nil
	case errors.Is(err, payment.ErrForged):
		s.alarmOnce(ctx, realm+" "+m.Reference(), "answer to a recall not sent again: a stored row does not match its seal", "realm", realm,
			"internalId", m.InternalID, "reference", m.Reference())
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []store.Document{{
		ID: sent.ID, Scheme: in.Scheme, Name: sent.Name, Reference: "again-" + shortDigest(in.Content), At: s.cfg.Now(),
	}}, nil
}

// noMove decides to store a document beside its message without a move.
func noMove(payment.Message) (payment.Transition, error) {
	return payment.Transition{}, store.ErrNoChange
}

// maxInquiryPause bounds the pauses between status requests about one payment.
const maxInquiryPause = 15 * time.Minute

// inquiryPause is the pause after a status request. About a payment: 1 s, doubled each time, at most 15 minutes. About a recall, which
// people answer: a day.
func inquiryPause(m payment.Message) time.Duration {
	const day = 24 * time.Hour
	switch {
	case m.Kind == payment.KindRecall:
		return day
	case m.Inquiries > 10:
		return maxInquiryPause
	}
	return min(maxInquiryPause, time.Second<<m.Inquiries)
}

// inquire requests the status of an unconfirmed message. The number of the request and the time of the next are stored first, so a crash
// costs at most one request.
func (w *schemeWork) inquire(ctx context.Context, realm string, id uuid.UUID) (err error) {
	ctx, end := w.cfg.Traces.Message(ctx, id, "inquire")
	defer func() { end(err) }()
	now := w.cfg.Now()
	m, err := w.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.Inquire(now.Add(inquiryPause(m)), now)
	})
	if err != nil {
		return err
	}
	made, err := w.statusRequest(ctx, realm, id, m.Inquiries+1)
	if err != nil {
		return w.hold(ctx, m, err)
	}
	content, err := w.profile(m.Scheme).Write(made.Document())
	if err == nil {
		content, err = w.storeOutbound(ctx, made, content)
	}
	if err != nil {
		return w.hold(ctx, m, err)
	}
	return w.connection.deliver(ctx, made.Reference(), content)
}

// statusRequest makes a pacs.028 about a sent message, after checking the message and the sent document against their seals.
func (s *Service) statusRequest(ctx context.Context, realm string, id uuid.UUID, number int) (payment.Outbound, error) {
	out, err := s.cfg.Messages.Outgoing(ctx, realm, id)
	if err != nil {
		return payment.Outbound{}, err
	}
	verified, err := s.cfg.Seal.Verify(out.Release, out.Message)
	if err != nil {
		return payment.Outbound{}, err
	}
	sent, err := s.documents.Outbound(ctx, realm, out.Message.Reference())
	if err != nil {
		return payment.Outbound{}, err
	}
	document, _ := profile.Read(sent.Content)
	if document == nil {
		return payment.Outbound{}, errors.New("the document that was sent cannot be read")
	}
	return verified.StatusRequest(document, number, s.cfg.Now())
}
