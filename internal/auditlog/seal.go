package auditlog

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
)

// Documents that may wait in the outbox with a content of their own; documents that may be automatic refusals; documents that may be sent
// again. The table has the same rules.
var (
	answerNames    = []iso20022.MessageName{iso20022.Pacs002V10, iso20022.Camt025V05}
	refusalNames   = []iso20022.MessageName{iso20022.Pacs002V10, iso20022.Camt029V09}
	sentAgainNames = []iso20022.MessageName{iso20022.Pacs004V09, iso20022.Camt029V09}
)

// Sealer makes and checks the seals of documents. The zero Sealer has no key; the database refuses its seals.
type Sealer struct {
	documents keyring.Ring
	answers   keyring.Ring
}

// New derives the subkeys of a key ring.
func New(keys keyring.Ring) (Sealer, error) {
	documents, err := keys.Derive("document")
	if err != nil {
		return Sealer{}, fmt.Errorf("prepare the keys of the documents: %w", err)
	}
	answers, err := keys.Derive("outbox")
	if err != nil {
		return Sealer{}, fmt.Errorf("prepare the keys of the outbox: %w", err)
	}
	return Sealer{documents: documents, answers: answers}, nil
}

// Outbound holds the sealed fields of a stored outbound document.
type Outbound struct {
	Realm     string
	MessageID uuid.UUID
	Scheme    string
	Name      iso20022.MessageName
	Reference string
	Hash      [sha256.Size]byte
}

func (d Outbound) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 256)
	f.Text("countersign document 1", d.Realm)
	f.ID(d.MessageID)
	f.Text(d.Scheme, string(d.Name), d.Reference)
	f.Bytes(d.Hash[:])
	return f
}

// SealDocument makes the seal of an outbound document.
func (s Sealer) SealDocument(d Outbound) keyring.Seal { return s.documents.Seal(d.fields()) }

// CheckDocument checks the seal of an outbound document. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckDocument(d Outbound, seal keyring.Seal) error {
	return s.documents.Verify(seal, d.fields())
}

// Kept holds the sealed fields of a stored document that was not sent: one from a client or clearing, or the draft of an R-transaction.
type Kept struct {
	Outbound

	Direction  string
	SourceHash [sha256.Size]byte // of what the client sent, where the document was made of another form of it; else of no bytes
	SourceType string
}

func (d Kept) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 320)
	f.Text("countersign kept document 1", d.Direction, d.SourceType)
	f.Bytes(d.SourceHash[:])
	return append(f, d.Outbound.fields()...)
}

// SealKept makes the seal of a document that did not go out.
func (s Sealer) SealKept(d Kept) keyring.Seal { return s.documents.Seal(d.fields()) }

// CheckKept checks the seal of a document that was not sent. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckKept(d Kept, seal keyring.Seal) error {
	return s.documents.Verify(seal, d.fields())
}

// CheckStored compares a stored document with its seal, whichever direction it has. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckStored(d Kept, seal keyring.Seal) error {
	if d.Direction == "out" {
		return s.CheckDocument(d.Outbound, seal)
	}
	return s.CheckKept(d, seal)
}

// Answer holds the sealed fields of a row of the outbox: an answer with a content of its own, or a stored document to send again.
type Answer struct {
	Scheme     string
	Reference  string
	Name       iso20022.MessageName
	Content    []byte // nil for a document that is sent again
	Realm      string // of that document, else ""
	DocumentID uuid.UUID
	Answers    string // of an automatic refusal: the inbox reference of the document that it answers, else ""
}

func (a Answer) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 256+len(a.Content))
	f.Text("countersign outbox 1", a.Scheme, a.Reference, string(a.Name), a.Realm, a.Answers)
	f.ID(a.DocumentID)
	f.Bytes(a.Content)
	return f
}

// SealAnswer makes the seal of a row of the outbox.
func (s Sealer) SealAnswer(a Answer) keyring.Seal { return s.answers.Seal(a.fields()) }

// CheckAnswer checks the seal of a row of the outbox. It refuses a payment even with a valid seal. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckAnswer(a Answer, seal keyring.Seal) error {
	allowed := answerNames
	switch {
	case a.Content == nil:
		allowed = sentAgainNames
	case a.Answers != "":
		allowed = refusalNames
	}
	if !slices.Contains(allowed, a.Name) {
		return keyring.ErrForged
	}
	return s.answers.Verify(seal, a.fields())
}

// Detached is the record of the rows that left the database with an archive.
type Detached struct {
	Realm    string
	ChangeID uuid.UUID // by which two administrators approved it
	Month    string
	Digest   string // of the archive
	Messages int64
	Leaves   int64 // of their rows in the tree
	At       time.Time
}

func (d Detached) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 256)
	f.Text("countersign archived month 1", d.Realm, d.Month, d.Digest)
	f.ID(d.ChangeID)
	f.Number(d.Messages)
	f.Number(d.Leaves)
	f.Moment(d.At)
	return f
}

// SealDetached makes the seal of the record.
func (s Sealer) SealDetached(d Detached) keyring.Seal { return s.documents.Seal(d.fields()) }

// CheckDetached compares the record with its seal. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckDetached(d Detached, seal keyring.Seal) error {
	return s.documents.Verify(seal, d.fields())
}

// ArchivedPayment is the record of a payment in archives, with the data key of its contents there.
type ArchivedPayment struct {
	Realm     string
	PaymentID uuid.UUID
	Key       []byte    // nil once erased
	ChangeID  uuid.UUID // by which two administrators approved the archive with which it left the database; zero before
	Messages  int64     // that left with it
	ErasedBy  uuid.UUID // the change by which two administrators erased it; zero for none
}

func (p ArchivedPayment) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 192)
	f.Text("countersign archived payment 1", p.Realm)
	f.ID(p.PaymentID)
	f.Bytes(p.Key)
	f.ID(p.ChangeID)
	f.Number(p.Messages)
	f.ID(p.ErasedBy)
	return f
}

// SealArchivedPayment makes the seal of the record.
func (s Sealer) SealArchivedPayment(p ArchivedPayment) keyring.Seal {
	return s.documents.Seal(p.fields())
}

// CheckArchivedPayment compares the record with its seal. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckArchivedPayment(p ArchivedPayment, seal keyring.Seal) error {
	return s.documents.Verify(seal, p.fields())
}

// Delivery is the mark that clearing has a row of the outbox.
type Delivery struct {
	Scheme    string
	Reference string
	At        time.Time
}

func (d Delivery) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 128)
	f.Text("countersign outbox delivered 1", d.Scheme, d.Reference)
	f.Moment(d.At)
	return f
}

// SealDelivery makes the seal of the mark that clearing has an answer.
func (s Sealer) SealDelivery(d Delivery) keyring.Seal { return s.answers.Seal(d.fields()) }

// CheckDelivery checks the seal of a delivery mark. Errors: those of keyring.Ring.Verify.
func (s Sealer) CheckDelivery(d Delivery, seal keyring.Seal) error {
	return s.answers.Verify(seal, d.fields())
}

// WithheldBy returns the sentence that says why a stored document cannot be trusted, from the error of CheckDocument or CheckKept; ""
// without an error.
func WithheldBy(err error) i18n.Text {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, keyring.ErrUnknownKey):
		return "This document cannot be verified, because its key is not in the key file. Ask an operator to restore the key."
	}
	return "This document was changed after it was stored, or was not stored by this gateway. Do not continue. Ask an operator to run " +
		"“countersign check”."
}
