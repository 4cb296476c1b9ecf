package clearing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/store"
)

// Document is a document received from clearing.
type Document struct {
	Scheme     rulebook.Scheme
	Reference  string // the message id of the transport; "" takes one that is made of the content
	Content    []byte
	ReceivedAt time.Time
}

// maxReference is the longest message id of a transport that the inbox stores, in characters.
const maxReference = 140

// UsableReference reports whether the inbox can store the message id of a transport: printable ASCII, not too long. "" is fine.
func UsableReference(reference string) bool {
	foreign := strings.ContainsFunc(reference, func(character rune) bool { return character < ' ' || character > '~' })
	return !foreign && len(reference) <= maxReference
}

// ErrDuplicate reports that a document with this message id was received before. Nothing was done.
var ErrDuplicate = errors.New("the message id was received before")

// RefusedError reports a document that is not well formed, not of a known message, or not valid by its schema. Nothing was stored.
type RefusedError struct {
	Findings []iso20022.Finding
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("refused: %s %s", e.Findings[0].Pointer, e.Findings[0].Text)
}

// Receive stores a document of clearing: booked on its message, as a new message, waiting for the message that it overtook, or in
// quarantine when it has no message or cannot be booked.
//
// Errors: RefusedError, ErrDuplicate.
func (s *Service) Receive(ctx context.Context, d Document) error {
	parsed, findings := profile.Read(d.Content)
	in := store.Document{
		Scheme: d.Scheme, Reference: d.Reference, Content: d.Content, At: d.ReceivedAt.UTC().Truncate(time.Microsecond),
	}
	if in.Reference == "" {
		in.Reference = "digest-" + shortDigest(d.Content)
	}
	var err error
	if len(findings) > 0 {
		foreign, is := profile.ReadForeign(d.Content)
		if !is {
			return &RefusedError{Findings: findings}
		}
		parsed = nil // it may be read in part, but is not processed
		err = s.receiveForeign(ctx, in, foreign)
	} else {
		in.Name = parsed.MessageName()
		err = s.processOrQuarantine(ctx, in, func() error { return s.process(ctx, in, parsed) })
	}
	if errors.Is(err, store.ErrSeen) {
		return s.seen(ctx, in, parsed)
	}
	return err
}

// fromPartner refuses a document whose header is not of the other end of the connection. Error: unprocessableError.
func (s *Service) fromPartner(in store.Document) error {
	err := s.cfg.Profiles.FromPartner(string(in.Scheme), in.Content)
	if err != nil {
		return unprocessable(i18n.Text("Check the sender named in the document. The error is: %s.").With(i18n.Data(err.Error())))
	}
	return nil
}

// processOrQuarantine processes a document, and moves it to quarantine when it cannot be booked. Error: store.ErrSeen.
func (s *Service) processOrQuarantine(ctx context.Context, in store.Document, process func() error) error {
	err := process()
	if errors.Is(err, payment.ErrNotFound) { // it was lost with the database that was here before
		err = unprocessable(i18n.Text("This document refers to a message that this gateway does not have."))
	}
	if cannot := unprocessableOf(err); cannot != nil {
		return s.quarantine(ctx, in, cannot)
	}
	return err
}

// trustedMessage loads the message of a document. Error: unprocessableError when it is withheld.
func (s *Service) trustedMessage(ctx context.Context, realm string, id uuid.UUID) (payment.Message, error) {
	m, err := s.cfg.Messages.Message(ctx, realm, id)
	if err != nil {
		return payment.Message{}, err
	}
	return m, s.trusted(ctx, m)
}

// trusted refuses a document about a withheld payment or recall and raises the alarm, once for each.
func (s *Service) trusted(ctx context.Context, m payment.Message) error {
	if m.Withheld == "" {
		return nil
	}
	s.alarmOnce(ctx, m.InternalID.String(), "document not processed: its message is withheld", "realm", m.Realm,
		"internalId", m.InternalID)
	return &unprocessableError{about: m, reason: i18n.Text("The %s %s is withheld. %s").With(
		m.Kind.Text(), m.GlobalID, m.Withheld,
	)}
}

// process calls the handler of a document.
func (s *Service) process(ctx context.Context, in store.Document, parsed iso20022.Document) error {
	if err := s.fromPartner(in); err != nil {
		return err
	}
	switch document := parsed.(type) {
	case *iso20022.FIToFIPaymentStatusReport:
		return s.receiveStatus(ctx, in, document)
	case *iso20022.FIToFICustomerCreditTransfer:
		return s.receiveTransfer(ctx, in, document)
	case *iso20022.PaymentReturn:
		return s.receiveReturn(ctx, in, document)
	case *iso20022.FIToFIPaymentCancellationRequest:
		return s.receiveRecall(ctx, in, document)
	case *iso20022.ResolutionOfInvestigation:
		return s.receiveResolution(ctx, in, document)
	case *iso20022.Receipt:
		return s.receiveReceipt(ctx, in, document)
	case *iso20022.FIToFIPaymentStatusRequest:
		return s.receiveInquiry(ctx, in, document)
	default:
		return unprocessable(i18n.Text("This gateway does not process messages of type %s.").With(in.Name))
	}
}

func shortDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

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
	failed := &unprocessableError{reason: i18n.Text("This gateway does not process messages of type %s.").With(f.Name)}
	switch profile.Family(string(f.Name)) {
	case messageRejected:
		var err error
		failed, err = s.rejectedByClearing(ctx, in, f)
		if err != nil {
			return err
		}
	case systemEvent:
		failed.reason = i18n.Text("Clearing reported an event: %s").With(i18n.Data(strings.TrimSpace(f.Event + " " + f.Description)))
	case receiptOfMessage:
		if interbank.OutcomeOf(f.Reason) != interbank.OutcomeNegative {
			return s.inbox.Note(ctx, in, i18n.Text("Clearing confirmed receipt of message %s.").With(i18n.Data(f.Reference)))
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
