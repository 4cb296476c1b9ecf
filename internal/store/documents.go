package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
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
	return s.db.InRealm(ctx, d.Realm, Keyed, func(q *dbsqlc.Queries) error { return s.keep(ctx, q, d) })
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
	stored, err := s.db.For(ForBatches).In(realm, Changing).DocumentInsert(ctx, merge(values))
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
	return s.outbound(ctx, s.db.In(realm, Reading), realm, reference)
}

// outbound loads an outbound document.
func (s *Documents) outbound(ctx context.Context, q *dbsqlc.Queries, realm, reference string) (Document, error) {
	row, err := q.DocumentGetOutbound(ctx, realm, reference)
	return s.checked(row, err)
}

// checked checks the seal of a row of an outbound document.
func (s *Documents) checked(row dbsqlc.Document, err error) (Document, error) {
	if err != nil {
		return Document{}, wrapped(missing(err), "load the document")
	}
	d := DocumentOf(row)
	return d, s.db.Seal().CheckDocument(d.Sealed(), Seal(row.KeyID, row.Mac))
}

// Document is a stored ISO 20022 document: received from clearing, stored with a message, or waiting in the outbox.
// Unknown fields are zero.
type Document struct {
	ID        uuid.UUID // its key among the stored documents of its realm; zero before
	Realm     string    // "" when it belongs to none
	MessageID uuid.UUID // the message it belongs to; zero when none
	Scheme    rulebook.Scheme
	Name      iso20022.MessageName
	Reference string // its message id; of a document that is sent again, what names this sending
	// Content are its exact bytes: nil in lists. A document that answers clearing with an ID and no Content is the stored one of that ID,
	// sent again.
	Content []byte
	At      time.Time // when it was received, or made
	// Unverified is why a document that waited does not fit its seal; nil for one that fits, and for others.
	Unverified error
	// Answers is the inbox reference of the document that an automatic refusal answers; "" for other documents.
	Answers string
}

// DocumentOf converts a row of the table of documents.
func DocumentOf(row dbsqlc.Document) Document {
	return Document{
		ID: row.DocumentID, Realm: row.Realm, MessageID: OrZero(row.MessageID), Scheme: rulebook.Scheme(row.Scheme),
		Name: iso20022.MessageName(row.Name), Reference: row.Reference, Content: row.Content, At: row.CreatedAt.UTC(),
	}
}

// Of returns the document with the realm and the id of its message.
func (d Document) Of(realm string, message uuid.UUID) Document {
	d.Realm, d.MessageID = realm, message
	return d
}

// By returns the document as the automatic refusal of a received one.
func (d Document) By(received Document) Document {
	d.Answers = received.Reference
	return d
}

// Same reports whether both documents have the same bytes and the same message.
func (d Document) Same(other Document) bool {
	return d.Realm == other.Realm && d.MessageID == other.MessageID && d.Scheme == other.Scheme && d.Name == other.Name &&
		d.Reference == other.Reference && bytes.Equal(d.Content, other.Content)
}

// Sealed returns the fields that the seal of an outbound document covers.
func (d Document) Sealed() auditlog.Outbound { return d.SealedAs(sha256.Sum256(d.Content)) }

// SealedAs returns the fields that the seal of an outbound document covers, by the digest of its content.
func (d Document) SealedAs(hash [sha256.Size]byte) auditlog.Outbound {
	return auditlog.Outbound{
		Realm: d.Realm, MessageID: d.MessageID, Scheme: string(d.Scheme), Name: d.Name, Reference: d.Reference, Hash: hash,
	}
}

// SentAgain reports whether the document is a stored answer that clearing asked for again.
func (d Document) SentAgain() bool { return d.ID != uuid.Nil && d.Content == nil }

// OutboundDocument is a stored document for pages and answers.
type OutboundDocument struct {
	Document
	Direction  payment.DocumentDirection
	Delivered  bool   // of an outgoing one: clearing has it
	Size       int    // bytes
	Source     []byte // the bytes a client sent, when Content was made from another form
	SourceType string // media type of Source
	Hash       payment.Digest
	// Withheld is the sentence that says why a document cannot be trusted, "" when it can. Whether clearing has a withheld outbound document
	// is unknown. A list trusts the stored digest of the content, which it does not read; only the document itself is compared with its bytes.
	Withheld i18n.Text
}

// sealed checks a document against its seal and sets Withheld when it does not fit. sourceHash is the digest of the client's original form
// when the document was converted, else that of no bytes.
func (r *Reader) sealed(d OutboundDocument, sourceHash [sha256.Size]byte, seal keyring.Seal) OutboundDocument {
	if d.Direction == payment.DocumentOut {
		d.Withheld = auditlog.WithheldBy(r.db.Seal().CheckDocument(d.SealedAs(d.Hash), seal))
		d.Delivered = d.Delivered && d.Withheld == ""
		return d
	}
	d.Withheld = auditlog.WithheldBy(r.db.Seal().CheckKept(auditlog.Kept{
		Outbound: d.SealedAs(d.Hash), Direction: string(d.Direction), SourceHash: sourceHash, SourceType: d.SourceType,
	}, seal))
	return d
}

// DocumentFilter narrows a list of documents; a zero field does not.
type DocumentFilter struct {
	MessageID uuid.UUID
	Before    uuid.UUID // the last key of the page before: only older ones, or younger ones when the oldest come first
	Name      string
	Direction string
	Scheme    string
	PageSize  int32

	OldestFirst            bool
	ChangedSince           time.Time // stored then or later, or of a message that entered its state then or later
	CreatedFrom, CreatedTo time.Time

	// What follows is of the message a document belongs to.
	GlobalID, ExternalID, InstructionID, EndToEndID string
	DebtorAccount, DebtorAgent, DebtorName          string // names: any part, whatever the case
	CreditorAccount, CreditorAgent, CreditorName    string
}
