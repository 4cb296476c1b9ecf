package lookup

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/documentseal"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/load"
)

// Document is a stored document as it is shown to people and callers.
type Document struct {
	store.Document
	Direction  payment.DocumentDirection
	Delivered  bool   // of an outgoing one: clearing has it
	Size       int    // bytes
	Source     []byte // the bytes a client sent, when Content was made from another form
	SourceType string // media type of Source
	Hash       payment.Digest
	// Withheld says in words why a document cannot be trusted, "" when it can. Nobody knows whether clearing has such an outgoing one.
	// Lists hold outgoing ones alone against their seals; of the others the seal covers bytes that a list does not read.
	Withheld string
}

// sealed is a document held against its seal: of an outgoing one, Withheld tells when it does not fit. What came in or is a draft is
// covered by the seal of the version.
func (r *Reader) sealed(d Document, seal keyring.Seal) Document {
	if d.Direction == payment.DocumentOut {
		d.Withheld = documentseal.WithheldBy(r.db.Seal().CheckDocument(d.SealedAs(d.Hash), seal))
		d.Delivered = d.Delivered && d.Withheld == ""
	}
	return d
}

// keptAs says why a document that came in or is a draft cannot be trusted, "" when it can: what a client or clearing sent, and the other
// form of it. One of before there were seals is believed; of a version the digest is under the seal of that.
func (r *Reader) keptAs(row dbsqlc.Document) string {
	err := r.db.Seal().CheckKept(load.Kept(row), column.Seal(row.KeyID, row.Mac))
	if errors.Is(err, keyring.ErrUnsealed) {
		return ""
	}
	return documentseal.WithheldBy(err)
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
