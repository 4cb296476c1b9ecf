package clearing

import (
	"context"
	"errors"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/store"
)

// receiveInquiry answers a pacs.028 with the state we know: of an incoming payment by its pacs.002 again, of a recall by its answer again
// if there is one. A question about a recall that waits for people gets no answer until they decide.
func (s *Station) receiveInquiry(ctx context.Context, in store.Inbound, document *iso20022.FIToFIPaymentStatusRequest) error {
	inquiry, err := interbank.ReadStatusRequest(document)
	if err != nil {
		return unfit(err.Error())
	}
	realm, id, err := s.cfg.Store.IncomingByTransaction(ctx, in.Scheme, inquiry.Original.TransactionID)
	if errors.Is(err, payment.ErrNotFound) {
		return unfit("No incoming payment has the transaction id " + inquiry.Original.TransactionID + ".")
	}
	if err != nil {
		return err
	}
	m, err := s.cfg.Store.Message(ctx, realm, id)
	if err != nil {
		return err
	}
	if inquiry.AboutRecall() {
		err = s.asksAboutRecall(ctx, in, m, inquiry)
		if err != nil {
			return err
		}
		return s.answerAboutRecall(ctx, in, inquiry)
	}
	err = fits(in, m, inquiry.Original)
	if err != nil {
		return err
	}
	transfer, _ := iso20022.DecodeXML(m.Content)
	if transfer == nil {
		return errors.New("the stored payment cannot be read")
	}
	refused := payment.IncomingRefusal{Code: m.StatusCode, Text: m.StatusText}
	answer, err := s.statusAnswer(in, transfer, refused, shortDigest(in.Content))
	if err != nil {
		return err
	}
	return s.cfg.Store.Record(ctx, in, realm, id, keep, answer)
}

// asksAboutRecall holds a question about a recall against that recall and the payment it is about.
func (s *Station) asksAboutRecall(ctx context.Context, in store.Inbound, original payment.Message, inquiry interbank.Inquiry) error {
	id, err := s.cfg.Store.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if errors.Is(err, payment.ErrNotFound) {
		return unfit("The payment " + inquiry.Original.TransactionID + " was not recalled.")
	}
	if err != nil {
		return err
	}
	recall, err := s.cfg.Store.Message(ctx, original.Realm, id)
	if err != nil {
		return err
	}
	about, err := recall.AskedAbout(inquiry.Original)
	if err != nil {
		return unfit(err.Error())
	}
	return fits(in, original, about)
}

// answerAboutRecall sends the answer of a received recall again: the same bytes under the same message id.
func (s *Station) answerAboutRecall(ctx context.Context, in store.Inbound, inquiry interbank.Inquiry) error {
	realm, original, err := s.cfg.Store.IncomingByTransaction(ctx, in.Scheme, inquiry.Original.TransactionID)
	if err != nil {
		return err
	}
	recall, err := s.cfg.Store.ReceivedRecallOf(ctx, realm, original)
	if errors.Is(err, payment.ErrNotFound) {
		return unfit("The payment " + inquiry.Original.TransactionID + " was not recalled.")
	}
	if err != nil {
		return err
	}
	err = s.cfg.Store.Record(ctx, in, realm, recall, keep)
	if err != nil {
		return err
	}
	answer, err := s.cfg.Store.AnswerOf(ctx, realm, recall)
	if errors.Is(err, payment.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := s.cfg.Store.Outbound(ctx, realm, answer.Reference())
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, DeliverWithin)
	defer cancel()
	return s.cfg.Network.Deliver(limited, in.Scheme, answer.Reference(), content)
}

// keep stores a document beside its message and moves nothing.
func keep(payment.Message) (payment.Transition, error) {
	return payment.Transition{}, store.ErrNoChange
}
