package clearing

import (
	"context"
	"errors"
	"strings"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/store"
)

// The messages of clearing about messages.
const (
	messageRejected  = "admi.002"
	systemEvent      = "admi.004"
	receiptOfMessage = "admi.007"
)

// codeRejected is the reason of a message of ours that clearing refused as such (ISO ExternalStatusReason1Code: invalid file format).
const codeRejected = "FF01"

// receiveForeign stores a document of a message that the gateway does not process, for an operator. The refusal of a message (admi.002)
// ends the message of ours that it names, with an alarm: clearing never accepted it, so nothing is asked or sent again.
func (s *Service) receiveForeign(ctx context.Context, in store.Document, f profile.Foreign) error {
	in.Name = f.Name
	if err := s.fromPartner(in); err != nil {
		return s.quarantine(ctx, in, unprocessableOf(err))
	}
	failed := &unprocessableError{reason: i18n.Text("This gateway does not process %s.").With(f.Name)}
	switch profile.Family(string(f.Name)) {
	case messageRejected:
		var err error
		failed, err = s.rejectedByClearing(ctx, in, f)
		if err != nil {
			return err
		}
	case systemEvent:
		failed.reason = i18n.Text("Clearing reports an event: %s").With(i18n.Data(strings.TrimSpace(f.Event + " " + f.Description)))
	case receiptOfMessage:
		if interbank.OutcomeOf(f.Reason) != interbank.OutcomeNegative {
			return s.inbox.Note(ctx, in, i18n.Text("Clearing confirms the receipt of the message %s.").With(i18n.Data(f.Reference)))
		}
		failed.alarm, failed.reason = true, i18n.Text("Clearing refused the message %s: %s").With(i18n.Data(f.Reference), i18n.Data(f.Reason))
	}
	return s.quarantine(ctx, in, failed)
}

// rejectedByClearing ends the message that an admi.002 names, and returns the text for the operator.
func (s *Service) rejectedByClearing(ctx context.Context, in store.Document, f profile.Foreign) (*unprocessableError, error) {
	words := strings.TrimSpace(f.Reason + " " + f.Description)
	failed := &unprocessableError{
		alarm: true, reason: i18n.Text("Clearing refused the message %s: %s").With(i18n.Data(f.Reference), i18n.Data(words)),
	}
	global, ours := payment.ParseReference(f.Reference)
	if !ours {
		return failed, nil
	}
	realm, id, err := s.cfg.Messages.FindByGlobalID(ctx, global)
	if errors.Is(err, payment.ErrNotFound) {
		return failed, nil
	}
	if err != nil {
		return nil, err
	}
	_, err = s.cfg.Messages.Transact(ctx, realm, id, func(m payment.Message) (payment.Transition, error) {
		failed.about = m
		if m.Scheme != in.Scheme || m.Reference() != f.Reference || m.Direction != payment.DirectionOut {
			return payment.Transition{}, store.ErrNoChange // a question of ours was refused: what it asked about stays open
		}
		return moveIf(m.RejectByClearing(codeRejected, words, s.cfg.Now()))
	})
	if errors.Is(err, store.ErrNoChange) || ignoreMoved(err) == nil {
		return failed, nil
	}
	return nil, err
}
