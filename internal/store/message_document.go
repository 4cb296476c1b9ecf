package store

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
)

// Document is a stored document as it is shown to people and callers.
type OutboundDocument struct {
	Document
	Direction  payment.DocumentDirection
	Delivered  bool   // of an outgoing one: clearing has it
	Size       int    // bytes
	Source     []byte // the bytes a client sent, when Content was made from another form
	SourceType string // media type of Source
	Hash       payment.Digest
	// Withheld says in words why a document cannot be trusted, "" when it can. Nobody knows whether clearing has such an outgoing one.
	// A list believes the digest that stands beside the content, which it does not read; the document alone is held by its bytes.
	Withheld string
}

// sealed is a document held against its seal, Withheld tells when it does not fit. sourceHash is the digest of what its client sent, where
// the document was made of another form of it, else of no bytes.
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
