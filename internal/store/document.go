package store

import (
	"bytes"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

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
