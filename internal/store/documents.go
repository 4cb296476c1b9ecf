package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// outboundDocument returns the document to store: the exact bytes under its message id.
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
	keeping *Batcher[documentRow, bool]
}

func newDocuments(db *Database, newID func() uuid.UUID, writes *FairMutex) *Documents {
	s := &Documents{db: db, newID: newID}
	s.keeping = NewBatcher(writes, s.keepBatch)
	return s
}

// NewDocuments returns the store of the documents of the messages.
func NewDocuments(messages *Messages) *Documents { return messages.documents }

// ErrRemade reports that the document sealed under this reference has other bytes than the one made now, as after a change of the program
// between two attempts. Clearing may have the first document, so the other must not follow under the same reference.
var ErrRemade = errors.New("the document was sealed with other bytes before")

// Keep stores a document and its content under seal before it is sent, once for its reference. When it returns nil,
// this document is stored under the reference.
//
// Errors: payment.ErrForged when the reference holds a document with an invalid seal; payment.ErrUnknownKey when the
// key is missing; ErrRemade.
func (s *Documents) Keep(ctx context.Context, out payment.Outbound, content []byte, at time.Time) error {
	d := outboundDocument(out, content, at)
	kept, err := s.keeping.Do(ctx, d.Realm, s.row(d), nil)
	if err != nil || kept {
		return err
	}
	return s.db.InRealm(ctx, d.Realm, Keyed, func(_ pgx.Tx, q *dbsqlc.Queries) error { return s.keep(ctx, q, d) })
}

// row returns the row of an outbound document with its seal.
func (s *Documents) row(d Document) documentRow {
	sealed := d.Sealed()
	return documentRow{
		id: s.newID(), direction: payment.DocumentOut, document: d, hash: sealed.Hash, seal: s.db.Seal().SealDocument(sealed),
	}
}

// keepBatch stores outbound documents of a realm. It reports for each whether it was stored; none is when the server
// refuses the statement.
func (s *Documents) keepBatch(ctx context.Context, realm string, documents []documentRow) ([]bool, error) {
	values := make([]*dbsqlc.DocumentInsertParams, len(documents))
	for i, one := range documents {
		values[i] = one.params()
	}
	var stored []uuid.UUID
	err := s.db.For(ForBatches).InRealm(ctx, realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) (err error) {
		stored, err = q.DocumentInsert(ctx, merge(values))
		return err
	})
	kept := make([]bool, len(documents))
	for i, one := range documents {
		kept[i] = err == nil && slices.Contains(stored, one.id)
	}
	return kept, broken(ctx, err)
}

// keep stores an outbound document unless it is stored already. Errors as Keep.
func (s *Documents) keep(ctx context.Context, q *dbsqlc.Queries, d Document) error {
	added, err := q.DocumentInsert(ctx, *s.row(d).params())
	if err != nil {
		return fmt.Errorf("keep the document: %w", err)
	}
	if len(added) == 1 {
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

// Outbound returns the outbound document stored under a reference, after checking its seal. Errors: payment.ErrNotFound,
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

// checked checks the seal of a row of an outbound document.
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
