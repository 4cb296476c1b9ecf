package auditlog

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"
)

// Hash is SHA-256, of a leaf or a node of the tree as RFC 6962 hashes them.
type Hash = tlog.Hash

// Kind is the kind of row under a leaf.
type Kind string

// The kinds of leaves.
const (
	KindEvent    Kind = "event"    // a row of the audit trail with the move and the decision it tells of
	KindDocument Kind = "document" // a document that was sent, received or entered, by its digest
)

// The layouts of leaves. Another layout gets another number, so that sealed rows stay readable.
const (
	eventLayout    = "countersign event 1"
	documentLayout = "countersign document 1"
)

// Text is bytes as hexadecimal digits in a leaf.
type Text []byte

// MarshalText writes the digits.
func (t Text) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(t)), nil }

// UnmarshalText reads the digits.
func (t *Text) UnmarshalText(digits []byte) error {
	decoded, err := hex.DecodeString(string(digits))
	*t = decoded
	return err
}

// Event is the leaf of a row of the audit trail: every column of the row, and the rows written by the same step. The fields of all types in
// a leaf are declared in the order of their names, as written requires.
type Event struct {
	ActorName     string    `json:"actorName"`
	ActorPerson   string    `json:"actorPerson,omitempty"`
	ActorUser     string    `json:"actorUser,omitempty"`
	At            time.Time `json:"at"`
	Channel       string    `json:"channel"`
	ClientID      string    `json:"clientId,omitempty"`
	ContentHash   Text      `json:"contentHash,omitempty"`
	Decision      *Decision `json:"decision,omitempty"`
	Detail        string    `json:"detail"`
	Event         string    `json:"event"`
	EventID       uuid.UUID `json:"eventId"`
	Layout        string    `json:"layout"`
	MessageID     string    `json:"messageId,omitempty"`
	Move          *Move     `json:"move,omitempty"`
	Outcome       string    `json:"outcome"`
	Realm         string    `json:"realm"`
	RequestID     string    `json:"requestId,omitempty"`
	SourceAddress string    `json:"sourceAddress,omitempty"`
	Version       *Version  `json:"version,omitempty"`
}

// Move is the row of a message's history that an event tells of.
type Move struct {
	Action      string    `json:"action"`
	ActorName   string    `json:"actorName"`
	ActorPerson string    `json:"actorPerson,omitempty"`
	ActorUser   string    `json:"actorUser,omitempty"`
	At          time.Time `json:"at"`
	Channel     string    `json:"channel"`
	ClientID    string    `json:"clientId,omitempty"`
	From        string    `json:"from"`
	Kind        string    `json:"kind"`
	Reason      string    `json:"reason,omitempty"`
	Sequence    int       `json:"sequence"`
	To          string    `json:"to"`
	Version     int       `json:"version"`
}

// Version is the content that a move began or amended: its digest and all its makers.
type Version struct {
	ApprovalsRequired int      `json:"approvalsRequired"`
	ContentHash       Text     `json:"contentHash"`
	DocumentID        string   `json:"documentId"`
	Makers            []string `json:"makers"`
	Number            int      `json:"number"`
}

// Decision is the decision of a person about a version, with the grant of the role.
type Decision struct {
	Action        string    `json:"action"`
	Channel       string    `json:"channel"`
	CheckerPerson string    `json:"checkerPerson"`
	CheckerUser   string    `json:"checkerUser"`
	ClientID      string    `json:"clientId"`
	ContentHash   Text      `json:"contentHash"`
	DecidedAt     time.Time `json:"decidedAt"`
	GrantID       string    `json:"grantId,omitempty"`
	GrantedAt     string    `json:"grantedAt,omitempty"`
	Makers        []string  `json:"makers"`
	Ordinal       int       `json:"ordinal"`
	Reason        string    `json:"reason,omitempty"`
	Remark        string    `json:"remark,omitempty"`
	Role          string    `json:"role,omitempty"`
	Version       int       `json:"version"`
}

// Document is the leaf of a document: its place and its digest.
type Document struct {
	ContentHash Text      `json:"contentHash"`
	CreatedAt   time.Time `json:"createdAt"`
	Direction   string    `json:"direction"`
	DocumentID  uuid.UUID `json:"documentId"`
	Layout      string    `json:"layout"`
	MessageID   string    `json:"messageId,omitempty"`
	Name        string    `json:"name"`
	Realm       string    `json:"realm"`
	Reference   string    `json:"reference"`
	Scheme      string    `json:"scheme"`
	SourceHash  Text      `json:"sourceHash,omitempty"`
	SourceType  string    `json:"sourceType,omitempty"`
}

// Leaf is a row as the tree takes it.
type Leaf struct {
	Kind  Kind
	RowID uuid.UUID // of the row in its table
	Data  []byte    // RFC 8785 canonical JSON
}

// Hash is the leaf's hash in the tree.
func (l Leaf) Hash() Hash { return tlog.RecordHash(l.Data) }

// Leaf is the event as the tree takes it.
func (e Event) Leaf() (Leaf, error) {
	e.Layout = eventLayout
	data, err := written(e)
	return Leaf{Kind: KindEvent, RowID: e.EventID, Data: data}, err
}

// Leaf is the document as the tree takes it.
func (d Document) Leaf() (Leaf, error) {
	d.Layout = documentLayout
	data, err := written(d)
	return Leaf{Kind: KindDocument, RowID: d.DocumentID, Data: data}, err
}

// written writes the content of a leaf as RFC 8785 canonical JSON. The types declare their fields in order, and their texts and whole
// numbers (of 32 bits in the database) have one form only, so that no canonicalisation is needed, two or three times for each payment.
// Invalid UTF-8, which PostgreSQL never stores, would become U+FFFD.
func written(leaf any) ([]byte, error) {
	data, err := json.Marshal(leaf, json.FormatNilSliceAsNull(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return data, nil
}
