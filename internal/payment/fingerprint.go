package payment

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/keyring"
	"countersign/internal/rulebook"
)

// OrderFingerprint identifies the meaning of a payment order: scheme and canonical content, without trailing zeros of
// amounts and the creation time (CreDtTm). A repeated order with the same key has the same fingerprint.
func OrderFingerprint(scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation) (Digest, error) {
	written, err := write(order)
	if err != nil {
		return Digest{}, err
	}
	return written.fingerprint(scheme), nil
}

// writtenOrder is the canonical document of an order, and where in it the same meaning may read otherwise.
type writtenOrder struct {
	content []byte
	leaves  []codec.Leaf
}

// tagTime is the element with the time an order was written at; the other leaves are decimals.
const tagTime = "CreDtTm"

// orderTime replaces the times of creation of orders.
const orderTime = "1970-01-01T00:00:00.000Z"

// write makes the canonical document.
func write(order *iso20022.CustomerCreditTransferInitiation) (writtenOrder, error) {
	content, leaves, err := codec.EncodeXMLNoting(order, tagTime, "CtrlSum", "InstdAmt")
	if err != nil {
		return writtenOrder{}, fmt.Errorf("write the canonical document: %w", err)
	}
	return writtenOrder{content, leaves}, nil
}

// fingerprint returns the digest of the order with a fixed time and without trailing zeros.
func (w writtenOrder) fingerprint(scheme rulebook.Scheme) Digest {
	meaning := make([]byte, 0, len(w.content)+len(orderTime))
	from := 0
	for _, leaf := range w.leaves {
		meaning = append(meaning, w.content[from:leaf.Start]...)
		if text := w.content[leaf.Start:leaf.End]; leaf.Tag == tagTime {
			meaning = append(meaning, orderTime...)
		} else {
			meaning = append(meaning, withoutZeros(text)...)
		}
		from = leaf.End
	}
	meaning = append(meaning, w.content[from:]...)
	return fingerprint([]byte(KindInstruction), []byte(scheme), meaning)
}

// withoutZeros is a decimal without trailing zeros.
func withoutZeros(text []byte) []byte {
	if bytes.IndexByte(text, '.') < 0 {
		return text
	}
	return bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte("."))
}

// fingerprint is the digest of the parts.
func fingerprint[T string | []byte](parts ...T) Digest {
	return sha256.Sum256(joined(parts...))
}

// joined writes the parts, each with its length before it, so that no two lists read alike.
func joined[T string | []byte](parts ...T) []byte {
	size := 0
	for _, part := range parts {
		size += len(part) + len("100000:")
	}
	whole := make([]byte, 0, size)
	for _, part := range parts {
		whole = append(append(strconv.AppendInt(whole, int64(len(part)), 10), ':'), part...)
	}
	return whole
}

// KeyScope names a key of a client that may be used once.
type KeyScope string

// The scopes.
const (
	KeyExternalID  KeyScope = "external-id"     // the externalId of a message
	KeyMessageID   KeyScope = "message-id"      // the MsgId of an order
	KeyIdempotency KeyScope = "idempotency-key" // the Idempotency-Key of a request
)

// RequestKey is a key that a client may use once, with its use.
type RequestKey struct {
	Realm, ClientID string
	Scope           KeyScope
	Key             string
	MessageID       uuid.UUID // of the message that the request became
	Fingerprint     Digest    // of the request
	CreatedAt       time.Time
}

func (k RequestKey) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 320)
	f.Text("countersign request key 1", k.Realm, k.ClientID, string(k.Scope), k.Key)
	f.ID(k.MessageID)
	f.Bytes(k.Fingerprint[:])
	f.Moment(k.CreatedAt)
	return f
}

// SealRequestKey seals a key: a forged row could otherwise turn a new request into a repeat.
func (s Sealer) SealRequestKey(k RequestKey) keyring.Seal { return s.requests.Seal(k.fields()) }

// CheckRequestKey checks the seal of a loaded key. Errors: ErrUnknownKey, ErrForged.
func (s Sealer) CheckRequestKey(k RequestKey, seal keyring.Seal) error {
	return s.requests.Verify(seal, k.fields())
}

// RequestKeys are the words of its client that a new message uses up.
func (c Created) RequestKeys() []RequestKey {
	m, keys := c.Message, make([]RequestKey, 0, 3)
	for _, used := range []RequestKey{
		{Scope: KeyMessageID, Key: c.MessageKey}, {Scope: KeyExternalID, Key: m.ExternalID}, {Scope: KeyIdempotency, Key: c.IdempotencyKey},
	} {
		if used.Key != "" {
			used.Realm, used.ClientID, used.MessageID = m.Realm, m.ClientID, m.InternalID
			used.Fingerprint, used.CreatedAt = c.Fingerprint, m.CreatedAt
			keys = append(keys, used)
		}
	}
	return keys
}
