package payment

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/rulebook"
)

// The documents that may wait in the outbox with a content of their own, and those that may be sent again from there. The table says the
// same.
var (
	answerNames    = []iso20022.MessageName{iso20022.Pacs002V10, iso20022.Camt025V05}
	sentAgainNames = []iso20022.MessageName{iso20022.Pacs004V09, iso20022.Camt029V09}
)

// OutboundFacts are what the seal of a stored outbound document covers.
type OutboundFacts struct {
	Realm     string
	MessageID uuid.UUID
	Scheme    rulebook.Scheme
	Name      iso20022.MessageName
	Reference string
	Hash      Digest
}

func (d OutboundFacts) fields() fields {
	f := make(fields, 0, 256)
	f.text("countersign document 1", d.Realm)
	f.id(d.MessageID)
	f.text(string(d.Scheme), string(d.Name), d.Reference)
	f.bytes(d.Hash[:])
	return f
}

// SealDocument makes the seal of an outbound document.
func (s Sealer) SealDocument(d OutboundFacts) keyring.Seal { return s.documents.Seal(d.fields()) }

// CheckDocument holds an outbound document against its seal. Errors: ErrUnsealed, ErrUnknownKey, ErrForged.
func (s Sealer) CheckDocument(d OutboundFacts, seal keyring.Seal) error {
	return verify(s.documents, seal, d.fields())
}

// AnswerFacts are what the seal of a row of the outbox covers: an answer with a content of its own, or the stored document that is sent
// again.
type AnswerFacts struct {
	Scheme     rulebook.Scheme
	Reference  string
	Name       iso20022.MessageName
	Content    []byte // nil for a document that is sent again
	Realm      string // of that document, else ""
	DocumentID uuid.UUID
}

func (a AnswerFacts) fields() fields {
	f := make(fields, 0, 256+len(a.Content))
	f.text("countersign outbox 1", string(a.Scheme), a.Reference, string(a.Name), a.Realm)
	f.id(a.DocumentID)
	f.bytes(a.Content)
	return f
}

// SealAnswer makes the seal of a row of the outbox.
func (s Sealer) SealAnswer(a AnswerFacts) keyring.Seal { return s.answers.Seal(a.fields()) }

// CheckAnswer holds a row of the outbox against its seal; whatever its seal, a payment never leaves from there. Errors: ErrUnsealed,
// ErrUnknownKey, ErrForged.
func (s Sealer) CheckAnswer(a AnswerFacts, seal keyring.Seal) error {
	allowed := answerNames
	if a.Content == nil {
		allowed = sentAgainNames
	}
	if !slices.Contains(allowed, a.Name) {
		return ErrForged
	}
	return verify(s.answers, seal, a.fields())
}

// DocumentWithheldBy says for people why a stored document cannot be trusted, from what CheckDocument returned; "" when it can.
func DocumentWithheldBy(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrUnsealed):
		return "It was stored before documents were sealed, so it cannot be proven that this is what was sent."
	case errors.Is(err, ErrUnknownKey):
		return "The key that sealed it is not in the key file. Ask an operator to bring the key back."
	}
	return "This gateway did not make it, or it was changed afterwards. Do not act on it: tell an operator, who runs countersign check."
}
