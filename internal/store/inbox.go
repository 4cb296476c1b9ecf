package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// WaitingFields returns the fields that the seal of a document covers which waits for a payment: it is processed from the database later.
func WaitingFields(d Document, waitsFor string) auditlog.Kept {
	return auditlog.Kept{Outbound: d.Sealed(), Direction: "waiting", SourceHash: sha256.Sum256(nil), SourceType: waitsFor}
}

// receivedDocument returns the document of a row of the inbox.
func receivedDocument(row dbsqlc.Inbox) Document {
	return Document{
		Scheme: rulebook.Scheme(row.Scheme), Name: iso20022.MessageName(row.Name), Reference: row.Reference, Content: row.Content,
		At: row.ReceivedAt.UTC(),
	}
}

// Waited returns the fields that the seal of a stored document covers which waited.
func Waited(row dbsqlc.Inbox) auditlog.Kept {
	return WaitingFields(receivedDocument(row), Text(row.WaitsFor))
}

// inbound returns documents that wait or waited, and compares each with its seal.
func (s *Inbox) inbound(rows []dbsqlc.Inbox) []Document {
	list := make([]Document, len(rows))
	for i, row := range rows {
		d := receivedDocument(row)
		d.Unverified = s.db.Seal().CheckKept(WaitingFields(d, Text(row.WaitsFor)), Seal(Text(row.KeyID), row.Seal))
		list[i] = d
	}
	return list
}

// Inbox stores the documents that clearing sends, each once, with their changes and our answers.
type Inbox struct {
	db       *Database
	newID    func() uuid.UUID
	messages *Messages
	outbox   *Outbox
}

// NewInbox makes the inbox of documents that create and move messages.
func NewInbox(messages *Messages) *Inbox {
	return &Inbox{db: messages.db, newID: messages.newID, messages: messages, outbox: NewOutbox(messages)}
}

// ErrSeen reports that a document with this message id was stored before; Received tells whether it was the same one.
var ErrSeen = errors.New("the message id was received before")

// Record stores a document about a message, once for its message id, with the transition and our answers, in one
// transaction. It fails with ErrSeen for a duplicate. If decide returns ErrNoChange, it stores the document and
// changes no state.
//
// Without answers, documents are batched (see store.Batcher): the message is read without a lock, and the guard of the
// UPDATE refuses a message that changed since.
func (s *Inbox) Record(ctx context.Context, in Document, decide DecideFunc, answers ...Document) error {
	if len(answers) == 0 {
		seen, err := s.messages.reading.Do(ctx, in.Realm, in.MessageID, nil)
		if err != nil {
			return err
		}
		if seen != nil {
			return s.RecordFrom(ctx, *seen, in, decide)
		}
	}
	return s.record(ctx, in, decide, answers...)
}

// RecordFrom is Record for a message whose state this process just stored or read. If the message changed since, or the
// decision needs more data, it decides again under the lock.
func (s *Inbox) RecordFrom(ctx context.Context, seen payment.Message, in Document, decide DecideFunc) error {
	t, err := decide(seen)
	if err == nil {
		written, err := s.messages.move(ctx, t, &in, func() {})
		if err != nil || written {
			return err
		}
	}
	return s.record(ctx, in, decide)
}

// record is Record in a transaction of its own, which locks the message.
func (s *Inbox) record(ctx context.Context, in Document, decide DecideFunc, answers ...Document) error {
	var t payment.Transition
	var after []Work
	err := s.db.InRealm(ctx, in.Realm, Keyed, func(q *dbsqlc.Queries) error {
		m, err := s.db.loader(q).Message(ctx, in.Realm, in.MessageID, ForUpdate)
		if err != nil {
			return err
		}
		row := s.messages.received(in)
		err = s.note(ctx, q, in, dbsqlc.InboxInsertParams{Outcome: "matched", Realm: &in.Realm, DocumentID: &row.id})
		if err != nil {
			return err
		}
		_, err = q.DocumentInsert(ctx, *row.params())
		if err != nil {
			return fmt.Errorf("store the document: %w", err)
		}
		t, err = decide(m)
		if err == nil {
			err = s.messages.write(ctx, q, t)
		}
		if err != nil && !errors.Is(err, ErrNoChange) {
			return err
		}
		for _, answer := range answers {
			err = s.outbox.put(ctx, q, &after, answer.Of(in.Realm, in.MessageID))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.messages.stored(t, released(t))
		s.outbox.nudges.Enqueue(after...)
	}
	return err
}

// received is a document of clearing about a message, with its seal.
func (s *Messages) received(d Document) documentRow {
	sealed := d.Sealed()
	return documentRow{
		id: s.newID(), direction: payment.DocumentIn, document: d, hash: sealed.Hash,
		seal: s.db.Seal().SealKept(auditlog.Kept{Outbound: sealed, Direction: string(payment.DocumentIn), SourceHash: sha256.Sum256(nil)}),
	}
}

// Quarantine stores a document that belongs to nothing here, or cannot be booked, with the reason for an operator, and its answer, if there
// is one. It fails with ErrSeen for a duplicate.
func (s *Inbox) Quarantine(ctx context.Context, in Document, reason i18n.Text, answer *Document) error {
	var answers []Document
	if answer != nil {
		answers = append(answers, *answer)
	}
	return s.noteOutside(ctx, in, dbsqlc.InboxInsertParams{Outcome: "quarantined", Reason: string(reason)}, answers...)
}

// noteOutside stores a document that belongs to no realm, and its answers.
func (s *Inbox) noteOutside(ctx context.Context, in Document, p dbsqlc.InboxInsertParams, answers ...Document) error {
	var after []Work
	p.Content = in.Content
	err := s.db.InOneOutside(ctx, func(q *dbsqlc.Queries) error {
		err := s.note(ctx, q, in, p)
		if err != nil {
			return err
		}
		for _, answer := range answers {
			err = s.outbox.put(ctx, q, &after, answer)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.outbox.nudges.Enqueue(after...)
	}
	return err
}

func (s *Inbox) note(ctx context.Context, q *dbsqlc.Queries, in Document, p dbsqlc.InboxInsertParams) error {
	digest := sha256.Sum256(in.Content)
	p.Scheme, p.Reference, p.Name, p.ContentHash, p.ReceivedAt = string(in.Scheme), in.Reference, string(in.Name), digest[:], in.At
	added, err := q.InboxInsert(ctx, p)
	if err != nil {
		return fmt.Errorf("note the document in the inbox: %w", err)
	}
	if added == 1 {
		return nil
	}
	if p.Outcome == "waiting" {
		return ErrSeen
	}
	// It may be known as waiting: then this is the moment it waited for.
	settled, err := q.InboxSettleIf(ctx, dbsqlc.InboxSettleIfParams{
		Scheme: p.Scheme, Reference: p.Reference, Outcome: p.Outcome, Reason: p.Reason, Realm: p.Realm, DocumentID: p.DocumentID,
	})
	if err != nil {
		return fmt.Errorf("note the end of waiting in the inbox: %w", err)
	}
	if settled == 0 {
		return ErrSeen
	}
	return nil
}

// Received returns the earlier document under the message id of this one, and whether it has the same content. Error: payment.ErrNotFound.
func (s *Inbox) Received(ctx context.Context, in Document) (earlier Document, same bool, err error) {
	row, err := s.db.Outside().InboxGet(ctx, string(in.Scheme), in.Reference)
	if err != nil {
		return Document{}, false, wrapped(missing(err), "look into the inbox")
	}
	digest := sha256.Sum256(in.Content)
	earlier = Document{Scheme: in.Scheme, Reference: in.Reference, Content: row.Content, At: row.ReceivedAt.UTC()}
	if bytes.Equal(row.ContentHash, digest[:]) || row.Realm == nil || row.DocumentID == nil {
		return earlier, bytes.Equal(row.ContentHash, digest[:]), nil
	}
	earlier.Content, err = s.db.In(*row.Realm, Reading).DocumentContent(ctx, *row.Realm, *row.DocumentID)
	return earlier, false, err
}

// Quarantined is a document of clearing that belongs to nothing here or cannot be booked. It belongs to no realm: only the operator of
// the whole gateway may look at it.
type Quarantined struct {
	Document
	// Reason is for the operator. It is stored as its key with its values.
	Reason i18n.Text
}

// Quarantine lists the newest documents in quarantine, at most the given number, newest first.
func (r *Reader) Quarantine(ctx context.Context, most int32) ([]Quarantined, error) {
	rows, err := r.db.Outside().InboxListQuarantined(ctx, most)
	list := make([]Quarantined, len(rows))
	for i, row := range rows {
		list[i] = Quarantined{Document: receivedDocument(row), Reason: i18n.Kept(row.Reason)}
	}
	return list, wrapped(err, "list the quarantine")
}

// QuarantinedDocument returns one document in quarantine, or payment.ErrNotFound.
func (r *Reader) QuarantinedDocument(ctx context.Context, scheme rulebook.Scheme, reference string) (Quarantined, error) {
	row, err := r.db.Outside().InboxGetQuarantined(ctx, string(scheme), reference)
	if err != nil {
		return Quarantined{}, wrapped(missing(err), "load a document in quarantine")
	}
	return Quarantined{Document: receivedDocument(row), Reason: i18n.Kept(row.Reason)}, nil
}
