package lookup

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/documentseal"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Document is an ISO 20022 document in or out.
type Document struct {
	ID         uuid.UUID
	MessageID  uuid.UUID // the message it belongs to; zero when none
	Scheme     string
	Direction  string // "in" from clients and clearing, "out" to them, "draft" what checkers approve before it is stamped
	Name       string // for example pacs.008.001.08
	Reference  string // its own message id
	Delivered  bool   // of an outgoing one: clearing has it
	Size       int    // bytes
	At         time.Time
	Content    []byte // empty in lists
	Source     []byte // the bytes a client sent, when Content was made from another form
	SourceType string // media type of Source
	Hash       payment.Digest
	// Withheld says in words why an outgoing document cannot be trusted, "" when it can. Nobody knows whether clearing has such a one.
	Withheld string
}

// documentWithheld holds an outgoing document against its seal. What came in or is a draft is covered by the seal of the version.
func (r *Reader) documentWithheld(realm string, doc Document, seal keyring.Seal) string {
	if doc.Direction != string(payment.DocumentOut) {
		return ""
	}
	return documentseal.WithheldBy(r.db.Seal().CheckDocument(documentseal.Outbound{
		Realm: realm, MessageID: doc.MessageID, Scheme: rulebook.Scheme(doc.Scheme), Name: iso20022.MessageName(doc.Name),
		Reference: doc.Reference, Hash: doc.Hash,
	}, seal))
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
