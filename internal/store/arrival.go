package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Arrival is a document of clearing that becomes a message of its own, with our answer to it, if it needs one.
type Arrival struct {
	Inbound Document
	Created payment.Created
	Answer  *Document
	// Core is the answer of core banking about the payment; nil where there is no port to it.
	Core *payment.CoreAnswer
	// Bank is the instructing bank of an incoming payment (interbank.BankID), within which transaction ids are unique; Use is the number of
	// its earlier payments with the id.
	Bank string
	Use  int
	// Moves is the move it makes of the recall of ours that it answers (Created.Message.AnswersID); nil when it answers none. It fails with
	// ErrNoChange for nobody: an answer that moves nothing is no arrival.
	Moves DecideFunc
}

// ErrKnownTransaction reports that an earlier document had a payment of the same bank with this transaction id and use.
var ErrKnownTransaction = errors.New("the transaction id was received before")

// ConflictError reports that another message about the same payment exists.
type ConflictError struct {
	Index string // what refused it
}

func (e *ConflictError) Error() string { return "refused by " + e.Index }

// Arrive stores a new incoming message, its inbox entry, the transition of the recall it answers, and our answer, in
// one transaction. After the commit it enqueues the job that sends the answer.
//
// Errors: ErrSeen for a duplicate message id, ErrKnownTransaction for a known transaction id, ConflictError for a
// second recall of a payment or a second answer to a recall, and the errors of Moves.
func (s *Inbox) Arrive(ctx context.Context, a Arrival) error {
	m := a.Created.Message
	var moved payment.Transition
	var after []Work
	err := s.db.InRealm(ctx, m.Realm, Keyed, func(q *dbsqlc.Queries) error {
		recall, err := s.answeredRecall(ctx, q, a)
		if err != nil {
			return err
		}
		err = s.note(ctx, q, a.Inbound, dbsqlc.InboxInsertParams{Outcome: "matched", Realm: &m.Realm, DocumentID: &m.DocumentID})
		if err != nil {
			return err
		}
		if m.Kind == payment.KindPayment {
			added, err := q.IncomingPaymentInsert(ctx, dbsqlc.IncomingPaymentInsertParams{
				Scheme: string(m.Scheme), TransactionID: m.Summary.TransactionID, Bank: a.Bank,
				Use:        int32(a.Use), //nolint:gosec // counted up one by one
				ReceivedAt: m.CreatedAt, Realm: m.Realm, MessageID: m.InternalID,
			})
			if err != nil {
				return fmt.Errorf("note the transaction id: %w", err)
			}
			if added == 0 {
				return ErrKnownTransaction
			}
		}
		moved, err = s.moveRecall(ctx, q, recall, a.Moves)
		if err != nil {
			return err
		}
		err = s.messages.put(ctx, q, a.Created)
		if err == nil && a.Core != nil {
			b := m.NewCoreBooking(*a.Core, m.CreatedAt)
			_, err = putCoreBooking(ctx, q, s.db.Seal(), &b)
		}
		if err != nil {
			return err
		}
		if a.Answer == nil {
			return nil
		}
		return s.outbox.put(ctx, q, &after, a.Answer.Of(m.Realm, m.InternalID))
	})
	if err == nil {
		s.messages.following(a.Created)()
		s.messages.stored(moved, released(moved))
		s.outbox.nudges.Enqueue(after...)
	}
	for _, index := range []string{"message_one_received_recall", "message_one_answer", "message_one_return"} {
		if violates(err, index) {
			return &ConflictError{Index: index}
		}
	}
	return err
}

// answeredRecall locks the recall that an arrival answers; the zero Message when it answers none.
func (s *Inbox) answeredRecall(ctx context.Context, q *dbsqlc.Queries, a Arrival) (payment.Message, error) {
	if a.Moves == nil {
		return payment.Message{}, nil
	}
	return s.db.loader(q).Message(ctx, a.Created.Message.Realm, a.Created.Message.AnswersID, ForUpdate)
}

// moveRecall writes the transition that an answer causes in its recall, and returns it; the zero Transition for none.
func (s *Inbox) moveRecall(
	ctx context.Context, q *dbsqlc.Queries, recall payment.Message, moves DecideFunc,
) (payment.Transition, error) {
	if moves == nil {
		return payment.Transition{}, nil
	}
	t, err := moves(recall)
	if err != nil {
		return payment.Transition{}, err
	}
	return t, s.messages.write(ctx, q, t)
}

// AnswerUnknown stores a document that belongs to no realm, together with its answers. Error: ErrSeen.
func (s *Inbox) AnswerUnknown(ctx context.Context, in Document, reason i18n.Text, answers ...Document) error {
	return s.noteOutside(ctx, in, dbsqlc.InboxInsertParams{Outcome: "answered", Reason: string(reason)}, answers...)
}

// Note stores a document that has no effect. Error: ErrSeen.
func (s *Inbox) Note(ctx context.Context, in Document, reason i18n.Text) error {
	return s.noteOutside(ctx, in, dbsqlc.InboxInsertParams{Outcome: "noted", Reason: string(reason)})
}

// Hold stores a document that arrived before its message, until the given time. Error: ErrSeen.
func (s *Inbox) Hold(ctx context.Context, in Document, waitsFor string, until time.Time) error {
	seal := s.db.Seal().SealKept(WaitingFields(in, waitsFor))
	return s.note(ctx, s.db.Outside(), in, dbsqlc.InboxInsertParams{
		Outcome: "waiting", Reason: "Waits for the payment " + waitsFor + ".", Content: in.Content, WaitsFor: &waitsFor, WaitUntil: &until,
		KeyID: &seal.KeyID, Seal: seal.MAC[:],
	})
}

// HeldInbound lists the documents that wait for a payment, oldest first.
func (s *Inbox) HeldInbound(ctx context.Context, scheme rulebook.Scheme, waitsFor string) ([]Document, error) {
	rows, err := s.db.Outside().InboxListWaiting(ctx, string(scheme), waitsFor)
	return s.inbound(rows), wrapped(err, "list the waiting messages")
}

// HoldExpired lists documents whose waiting time is over, oldest first, without the held ones: scheme and reference with a space between.
func (s *Inbox) HoldExpired(ctx context.Context, now time.Time, held []string, most int32) ([]Document, error) {
	rows, err := s.db.Outside().InboxListOverdue(ctx, now, append([]string{}, held...), most)
	return s.inbound(rows), wrapped(err, "list the documents that waited too long")
}

// GiveUp moves a document that waited too long to quarantine. first is true for the one call that moves it.
func (s *Inbox) GiveUp(ctx context.Context, in Document, reason i18n.Text) (first bool, err error) {
	settled, err := s.db.Outside().InboxSettleIf(ctx, dbsqlc.InboxSettleIfParams{
		Scheme: string(in.Scheme), Reference: in.Reference, Outcome: "quarantined", Reason: string(reason),
	})
	return settled == 1, err
}

// Refused stores a refusal in the audit trail.
func (s *Inbox) Refused(ctx context.Context, r Refusal) { s.db.Refused(ctx, r) }

// RecordAction writes an operator action to the audit log.
func (s *Messages) RecordAction(ctx context.Context, action OperatorAction) error {
	return s.db.RecordAction(ctx, action)
}
