package store

import (
	"crypto/sha256"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/keyring"
	"countersign/internal/payment"
)

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
	Withheld string
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
