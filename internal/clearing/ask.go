package clearing

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/profile"
)

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
func (s *Service) inquire(ctx context.Context, realm string, id uuid.UUID) (err error) {
	ctx, end := s.cfg.Traces.Message(ctx, id, "inquire")
	defer func() { end(err) }()
	now := s.cfg.Now()
	m, err := s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		return m.Inquire(now.Add(inquiryPause(m)), now)
	})
	if err != nil {
		return err
	}
	made, err := s.statusRequest(ctx, realm, id, m.Inquiries+1)
	if err != nil {
		return s.hold(ctx, m, err)
	}
	content, err := s.profile(m.Scheme).Write(made.Document())
	if err == nil {
		content, err = s.storeOutbound(ctx, made, content)
	}
	if err != nil {
		return s.hold(ctx, m, err)
	}
	return s.transmit(ctx, m.Scheme, made.Reference(), content)
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
