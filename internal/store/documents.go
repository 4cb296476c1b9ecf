package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// outboundDocument is a document as it is kept: its exact bytes under its message id.
func outboundDocument(out payment.Outbound, content []byte, at time.Time) Document {
	m := out.Message()
	return Document{
		Realm: m.Realm, MessageID: m.InternalID, Scheme: m.Scheme, Name: out.Document().MessageName(), Reference: out.Reference(),
		Content: content, At: at,
	}
}

// Documents stores the documents sent to clearing, each sealed and under its reference.
type Documents struct {
	db      *Database
	newID   func() uuid.UUID
	keeping *Gather[documentRow, struct{}]
}

func newDocuments(db *Database, newID func() uuid.UUID, writes *Turns) *Documents {
	s := &Documents{db: db, newID: newID}
	s.keeping = NewGather(writes, s.keepAll)
	return s
}

// NewDocuments makes the keeper of the messages' documents.
func NewDocuments(messages *Messages) *Documents { return messages.documents }

// ErrRemade says that the document that was sealed under this reference has other bytes than the one made now, as after a change of the
// program between two attempts. Clearing may have the first one, so the other must not follow under the same reference.
var ErrRemade = errors.New("the document was sealed with other bytes before")

// Keep stores a document and its content under seal before it is sent, once for its reference. When it returns nil,
// this document is stored under the reference.
//
// Errors: payment.ErrForged when the reference holds a document with an invalid seal; payment.ErrUnknownKey when the
// key is missing; ErrRemade.
func (s *Documents) Keep(ctx context.Context, out payment.Outbound, content []byte, at time.Time) error {
	d := outboundDocument(out, content, at)
	_, err := s.keeping.Do(ctx, d.Realm, s.outboundRow(d))
	if errors.Is(err, ErrAlone) { // the reference is taken, perhaps by this document
		err = s.keep(ctx, s.db.Alone(d.Realm, Changing), d)
	}
	return err
}

// outboundRow is an outbound document as it is stored, under its seal.
func (s *Documents) outboundRow(d Document) documentRow {
	sealed := d.Sealed()
	return documentRow{
		id: s.newID(), direction: payment.DocumentOut, document: d, hash: sealed.Hash, seal: s.db.Seal().SealDocument(sealed),
	}
}

// keepAll stores outbound documents of a realm.
func (s *Documents) keepAll(ctx context.Context, realm string, documents []documentRow) ([]*struct{}, error) {
	p := dbsqlc.DocumentInsertAllParams{Realm: realm}
	of, outcomes := make(map[uuid.UUID]int, len(documents)), make([]*struct{}, len(documents))
	for i, r := range documents {
		d := r.document
		of[r.id] = i
		p.DocumentIds, p.MessageIds = append(p.DocumentIds, r.id), append(p.MessageIds, d.MessageID)
		p.Schemes, p.Names, p.Refs = append(p.Schemes, string(d.Scheme)), append(p.Names, string(d.Name)), append(p.Refs, d.Reference)
		p.Contents, p.ContentHashes = append(p.Contents, d.Content), append(p.ContentHashes, r.hash[:])
		p.CreatedAts = append(p.CreatedAts, d.At)
		p.KeyIds, p.Macs = append(p.KeyIds, r.seal.KeyID), append(p.Macs, r.seal.MAC[:])
	}
	kept, err := s.db.For(ForWrites).Alone(realm, Changing).DocumentInsertAll(ctx, p)
	for _, id := range kept {
		outcomes[of[id]] = done
	}
	return outcomes, err
}

// keep stores an outbound document, or finds that it is kept already. Errors as Keep.
func (s *Documents) keep(ctx context.Context, q *dbsqlc.Queries, d Document) error {
	seal := s.db.Seal().SealDocument(d.Sealed())
	added, err := q.DocumentInsert(ctx, dbsqlc.DocumentInsertParams{
		Realm: d.Realm, DocumentID: s.newID(), MessageID: &d.MessageID, Scheme: string(d.Scheme), Direction: string(payment.DocumentOut),
		Name: string(d.Name), Reference: d.Reference, Content: d.Content, CreatedAt: d.At, KeyID: &seal.KeyID, Mac: seal.MAC[:],
	})
	if err != nil {
		return fmt.Errorf("keep the document: %w", err)
	}
	if added == 1 {
		return nil
	}
	kept, err := s.outbound(ctx, q, d.Realm, d.Reference)
	switch {
	case err != nil:
		return err
	case !d.Same(kept):
		return ErrRemade
	}
	return nil
}

// keepBeside stores a report or an answer. A forged document under its reference raises an alarm and stays withheld;
// the new document is stored under another reference.
func (s *Documents) keepBeside(ctx context.Context, q *dbsqlc.Queries, d Document) error {
	err := s.keep(ctx, q, d)
	if err == nil || !errors.Is(err, payment.ErrForged) && !errors.Is(err, payment.ErrUnknownKey) && !errors.Is(err, ErrRemade) {
		return err
	}
	s.db.Log().ErrorContext(ctx, "another document is stored under the reference of one of ours", "alarm", true, "realm", d.Realm,
		"internalId", d.MessageID, "reference", d.Reference, "error", err.Error())
	d.Reference = besideReference(d.Reference, d.Content)
	return s.keep(ctx, q, d)
}

// besideReference returns the reference for a document whose own reference holds a forged one.
func besideReference(reference string, content []byte) string {
	digest := sha256.Sum256(content)
	return reference[:min(len(reference), 120)] + "~" + hex.EncodeToString(digest[:4])
}

// Outbound returns the outbound document stored under a reference, once it was held against its seal. Errors: payment.ErrNotFound,
// payment.ErrUnknownKey, payment.ErrForged.
func (s *Documents) Outbound(ctx context.Context, realm, reference string) (Document, error) {
	kept, err := Read(ctx, s.db, realm, func(q *dbsqlc.Queries) (Document, error) {
		return s.outbound(ctx, q, realm, reference)
	})
	return kept, err
}

// outbound loads an outbound document.
func (s *Documents) outbound(ctx context.Context, q *dbsqlc.Queries, realm, reference string) (Document, error) {
	row, err := q.DocumentGetOutbound(ctx, realm, reference)
	return s.checked(row, err)
}

// checked holds a row of an outbound document against its seal.
func (s *Documents) checked(row dbsqlc.Document, err error) (Document, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return Document{}, payment.ErrNotFound
	}
	if err != nil {
		return Document{}, fmt.Errorf("load the document: %w", err)
	}
	d := DocumentOf(row)
	return d, s.db.Seal().CheckDocument(d.Sealed(), Seal(row.KeyID, row.Mac))
}
