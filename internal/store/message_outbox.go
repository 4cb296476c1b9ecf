package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Outbox stores our answers to clearing until they are delivered. A message of ours has no row here: its release is
// its entry.
type Outbox struct {
	db        *Database
	nudges    *Nudges
	documents *Documents
}

// NewOutbox makes the outbox of the messages.
func NewOutbox(messages *Messages) *Outbox {
	return &Outbox{db: messages.db, nudges: messages.nudges, documents: messages.documents}
}

// put stores an answer to clearing, a status report or a receipt, with its message if there is one, and adds its delivery to the work after
// the commit. A document that is sent again (Document.SentAgain) is already stored.
func (s *Outbox) put(ctx context.Context, q *dbsqlc.Queries, after *[]Work, answer Document) error {
	facts := auditlog.Answer{
		Scheme: string(answer.Scheme), Reference: answer.Reference, Name: answer.Name, Content: answer.Content, Answers: answer.Answers,
	}
	switch {
	case answer.SentAgain():
		facts.Realm, facts.DocumentID = answer.Realm, answer.ID
	case answer.Realm != "":
		err := s.documents.keepBeside(ctx, q, answer)
		if err != nil {
			return err
		}
	}
	reference, err := s.insertOnce(ctx, q, facts, answer.At)
	if err != nil {
		return err
	}
	*after = append(*after, Work{Scheme: answer.Scheme, Reference: reference})
	return nil
}

// insertOnce stores a row under seal and returns its reference. A row that somebody planted under this reference, which is never delivered,
// does not keep ours from leaving.
func (s *Outbox) insertOnce(ctx context.Context, q *dbsqlc.Queries, a auditlog.Answer, at time.Time) (string, error) {
	added, err := s.insert(ctx, q, a, at)
	if err != nil || added == 1 {
		return a.Reference, err
	}
	row, err := q.OutboxGet(ctx, a.Scheme, a.Reference)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // a row of another realm is not seen
		return "", fmt.Errorf("look at what is in the outbox: %w", err)
	}
	there := AnswerFacts(row)
	same := bytes.Equal(there.Content, a.Content) && there.DocumentID == a.DocumentID
	if same && s.db.Seal().CheckAnswer(there, Seal(row.KeyID, row.Mac)) == nil {
		return a.Reference, nil
	}
	a.Reference = besideReference(a.Reference, a.Content)
	_, err = s.insert(ctx, q, a, at)
	return a.Reference, err
}

func (s *Outbox) insert(ctx context.Context, q *dbsqlc.Queries, a auditlog.Answer, at time.Time) (added int64, err error) {
	seal := s.db.Seal().SealAnswer(a)
	added, err = q.OutboxInsert(ctx, dbsqlc.OutboxInsertParams{
		Scheme: a.Scheme, Reference: a.Reference, Name: string(a.Name), Content: a.Content, DocumentRealm: OrNull(a.Realm),
		DocumentID: OrNull(a.DocumentID), Answers: OrNull(a.Answers), CreatedAt: at, KeyID: seal.KeyID, Mac: seal.MAC[:],
	})
	return added, wrapped(err, "put the answer into the outbox")
}

// Pending returns an answer to deliver, under the message id for clearing, after checking its seals; nil when clearing has it or it was
// refused.
//
// Errors: payment.ErrNotFound; payment.ErrForged for a row to refuse; payment.ErrUnknownKey for a row to hold.
func (s *Outbox) Pending(ctx context.Context, scheme rulebook.Scheme, reference string) (*Document, error) {
	row, err := s.db.Outside().OutboxGet(ctx, string(scheme), reference)
	if err != nil {
		return nil, wrapped(missing(err), "look into the outbox")
	}
	if row.RefusedAt != nil || s.delivered(ctx, row) {
		return nil, nil
	}
	facts := AnswerFacts(row)
	err = s.db.Seal().CheckAnswer(facts, Seal(row.KeyID, row.Mac))
	if err != nil {
		return nil, err
	}
	if facts.Answers != "" {
		asked, _, err := (&Inbox{db: s.db}).Received(ctx, Document{Scheme: scheme, Reference: facts.Answers})
		if err != nil {
			return nil, err
		}
		err = payment.CheckRefusal(asked.Content, facts.Content)
		if err != nil {
			return nil, err
		}
	}
	if facts.DocumentID == uuid.Nil {
		return &Document{
			Scheme: rulebook.Scheme(facts.Scheme), Name: facts.Name, Reference: reference, Content: facts.Content, At: row.CreatedAt.UTC(),
		}, nil
	}
	d, err := s.documents.checked(s.db.In(facts.Realm, Reading).DocumentGetByID(ctx, facts.Realm, facts.DocumentID))
	if err == nil && (d.Name != facts.Name || string(d.Scheme) != facts.Scheme) {
		err = payment.ErrForged
	}
	return &d, err
}

// delivered reports whether clearing has an answer: its row is marked so, under a valid seal. An answer with another mark is sent once more
// when clearing asks again, and clearing recognises the message id.
func (s *Outbox) delivered(ctx context.Context, row dbsqlc.Outbox) bool {
	if row.DeliveredAt == nil {
		return false
	}
	err := s.db.Seal().CheckDelivery(Delivery(row), Seal(Text(row.DeliveryKeyID), row.DeliveryMac))
	if err == nil {
		return true
	}
	s.db.Log().LogAttrs(ctx, slog.LevelError, "an answer is marked as delivered, and not by this gateway; it is sent: run countersign check",
		slog.Bool("alarm", true), slog.String("scheme", row.Scheme), slog.String("reference", row.Reference), slog.String("error", err.Error()))
	return false
}

// Delivered marks an answer as delivered, under seal.
func (s *Outbox) Delivered(ctx context.Context, scheme rulebook.Scheme, reference string, at time.Time) error {
	seal := s.db.Seal().SealDelivery(auditlog.Delivery{Scheme: string(scheme), Reference: reference, At: at})
	return s.db.Outside().OutboxDelivered(ctx, dbsqlc.OutboxDeliveredParams{
		At: at, Scheme: string(scheme), Reference: reference, KeyID: seal.KeyID, Mac: seal.MAC[:],
	})
}

// Refuse ends a row of the outbox that does not fit its seal: it is never delivered. first is true for the one call that ends it; realm is
// the realm that the row names, "" for none.
func (s *Outbox) Refuse(ctx context.Context, scheme rulebook.Scheme, reference string, at time.Time) (first bool, realm string, err error) {
	realm, err = s.db.Outside().OutboxRefuse(ctx, at, string(scheme), reference)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, "", nil
	case err != nil:
		return false, "", fmt.Errorf("refuse the answer: %w", err)
	}
	return true, realm, nil
}

// AnswersDue says which undelivered answers to list.
type AnswersDue struct {
	Scheme rulebook.Scheme
	Before time.Time // made before
	Held   []string  // tried a moment ago: left out
	Most   int32
}

// Undelivered lists the references of answers that clearing does not have, oldest first. Answers sealed with a missing key wait.
func (s *Outbox) Undelivered(ctx context.Context, due AnswersDue) ([]string, error) {
	references, err := s.db.Outside().OutboxListUndelivered(ctx, dbsqlc.OutboxListUndeliveredParams{
		Scheme: string(due.Scheme), CreatedBefore: due.Before, KeyIds: s.db.Seal().KeyIDs(), Held: append([]string{}, due.Held...),
		PageSize: due.Most,
	})
	return references, wrapped(err, "list undelivered answers")
}

// Held names the missing keys, at most twenty, for which undelivered answers wait.
func (s *Outbox) Held(ctx context.Context) ([]string, error) {
	ids, err := s.db.Outside().OutboxListHeld(ctx, s.db.Seal().KeyIDs())
	return ids, wrapped(err, "list answers that wait for a key")
}

// AnswerFacts returns the fields that the seal of an outbox row covers.
func AnswerFacts(row dbsqlc.Outbox) auditlog.Answer {
	return auditlog.Answer{
		Scheme: row.Scheme, Reference: row.Reference, Name: iso20022.MessageName(row.Name), Content: row.Content,
		Realm: Text(row.DocumentRealm), DocumentID: OrZero(row.DocumentID), Answers: Text(row.Answers),
	}
}

// Delivery returns the fields that the seal of an outbox row's delivery mark covers; At is zero without a mark.
func Delivery(row dbsqlc.Outbox) auditlog.Delivery {
	return auditlog.Delivery{Scheme: row.Scheme, Reference: row.Reference, At: OrZero(row.DeliveredAt)}
}
