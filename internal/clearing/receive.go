package clearing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Document is what clearing sent.
type Document struct {
	Scheme     rulebook.Scheme
	Reference  string // the message id of the transport; "" takes the document's own
	Content    []byte
	ReceivedAt time.Time
}

// ErrDuplicate: a document with this message id was received before. Nothing was done.
var ErrDuplicate = errors.New("the message id was received before")

// RefusedError: the document is not well formed, not of a known message, or not valid by its schema. Nothing was stored.
type RefusedError struct {
	Findings []iso20022.Finding
}

// Error names the first finding.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused: %s %s", e.Findings[0].Pointer, e.Findings[0].Text)
}

// Receive takes a document of clearing. When it returns nil the document is stored: booked on the message it belongs to, or in
// quarantine for an operator when it belongs to none or cannot be booked.
//
// Errors: RefusedError, ErrDuplicate.
func (s *Station) Receive(ctx context.Context, d Document) error {
	parsed, findings := iso20022.DecodeXML(d.Content)
	if len(findings) > 0 {
		return &RefusedError{Findings: findings}
	}
	in := store.Inbound{
		Scheme: d.Scheme, Name: parsed.MessageName(), Reference: d.Reference, Content: d.Content, ReceivedAt: d.ReceivedAt.UTC().Truncate(time.Microsecond),
	}
	report, ok := parsed.(*iso20022.FIToFIPaymentStatusReport)
	if !ok {
		if in.Reference == "" {
			in.Reference = "digest-" + shortDigest(d.Content)
		}
		return s.quarantine(ctx, in, "This gateway does not process "+string(in.Name)+".")
	}
	if in.Reference == "" {
		in.Reference = report.GroupHeader.MessageID
	}
	return s.book(ctx, in, payment.Answers(report))
}

// book makes the move a pacs.002 asks for. A report about several payments is for an operator: clearing sends one for each.
func (s *Station) book(ctx context.Context, in store.Inbound, answers []payment.Answer) error {
	if len(answers) != 1 {
		return s.quarantine(ctx, in, fmt.Sprintf("The report answers %d payments instead of one.", len(answers)))
	}
	answer := answers[0]
	global, err := payment.ParseGlobalID(answer.TransactionID)
	if err != nil {
		return s.quarantine(ctx, in, "No payment of this gateway has the transaction id "+answer.TransactionID+".")
	}
	realm, id, err := s.cfg.Store.FindByGlobalID(ctx, global)
	if errors.Is(err, payment.ErrNotFound) {
		return s.quarantine(ctx, in, "No payment of this gateway has the transaction id "+answer.TransactionID+".")
	}
	if err != nil {
		return err
	}
	err = s.cfg.Store.Record(ctx, in, realm, id, func(m payment.Message) (payment.Transition, error) {
		if m.Scheme != in.Scheme {
			return payment.Transition{}, payment.ErrIllegalMove
		}
		return s.answer(m, answer)
	})
	switch {
	case errors.Is(err, store.ErrSeen):
		return s.seen(ctx, in)
	case errors.Is(err, payment.ErrIllegalMove):
		return s.quarantine(ctx, in, "The payment "+string(global)+" is in a state that this answer contradicts.")
	}
	return err
}

func (s *Station) answer(m payment.Message, a payment.Answer) (payment.Transition, error) {
	switch a.Outcome {
	case payment.OutcomePositive:
		return moveIf(m.Settle(s.now()))
	case payment.OutcomeNegative:
		return moveIf(m.Refuse(a.Code, a.Text, s.now()))
	case payment.OutcomeNone:
		return payment.Transition{}, store.ErrNoChange
	}
	return payment.Transition{}, store.ErrNoChange
}

func (s *Station) quarantine(ctx context.Context, in store.Inbound, reason string) error {
	err := s.cfg.Store.Quarantine(ctx, in, reason)
	if errors.Is(err, store.ErrSeen) {
		return s.seen(ctx, in)
	}
	if err == nil {
		s.cfg.Log.WarnContext(ctx, "document of clearing quarantined", "scheme", in.Scheme, "name", in.Name, "reference", in.Reference, "reason", reason)
	}
	return err
}

// seen tells a duplicate, which is dropped, from another document under a used id, which an operator must see.
func (s *Station) seen(ctx context.Context, in store.Inbound) error {
	same, err := s.cfg.Store.Received(ctx, in)
	if err != nil {
		return err
	}
	if same {
		return ErrDuplicate
	}
	used := in.Reference
	in.Reference = used[:min(len(used), 120)] + "~" + shortDigest(in.Content)
	err = s.cfg.Store.Quarantine(ctx, in, "The message id "+used+" was used before for another document.")
	if errors.Is(err, store.ErrSeen) {
		return ErrDuplicate
	}
	return err
}

func shortDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
