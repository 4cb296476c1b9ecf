// Package evidence is what an auditor can prove without trusting the database: rows of the audit trail as leaves of a hash tree, one tree a
// realm, checkpoints of the tree under a signature whose key is outside the database, and bundles that carry all it takes to prove one
// message to somebody who has nothing but a public key. docs/bundle.md describes every byte for other people's programs.
//
// It is pure: the tree is the one of RFC 6962 as golang.org/x/mod/sumdb/tlog has it, a checkpoint is the signed note of
// golang.org/x/mod/sumdb/note in the form of C2SP tlog-checkpoint. It stands apart from audit, which names events for everybody who writes
// them, because whoever verifies a bundle needs none of that.
package evidence

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"
)

// Hash is SHA-256, of a leaf or a node of the tree as RFC 6962 hashes them.
type Hash = tlog.Hash

// Kind is what a leaf is of.
type Kind string

// The kinds of leaves.
const (
	KindEvent    Kind = "event"    // a row of the audit trail with the move and the decision it tells of
	KindDocument Kind = "document" // a document that was sent, received or entered, by its digest
)

// The layouts of leaves. Another layout gets another number, so that what was sealed stays readable.
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

// Event is the leaf of a row of the audit trail: everything the row says, and what the same step wrote beside it.
type Event struct {
	Layout        string    `json:"layout"`
	Realm         string    `json:"realm"`
	EventID       uuid.UUID `json:"eventId"`
	MessageID     string    `json:"messageId,omitempty"`
	Event         string    `json:"event"`
	Outcome       string    `json:"outcome"`
	ActorUser     string    `json:"actorUser,omitempty"`
	ActorPerson   string    `json:"actorPerson,omitempty"`
	ActorName     string    `json:"actorName"`
	ClientID      string    `json:"clientId,omitempty"`
	Channel       string    `json:"channel"`
	RequestID     string    `json:"requestId,omitempty"`
	SourceAddress string    `json:"sourceAddress,omitempty"`
	ContentHash   Text      `json:"contentHash,omitempty"`
	Detail        string    `json:"detail"`
	At            time.Time `json:"at"`
	Move          *Move     `json:"move,omitempty"`
	Version       *Version  `json:"version,omitempty"`
	Decision      *Decision `json:"decision,omitempty"`
}

// Move is the row of a message's history that an event tells of.
type Move struct {
	Sequence    int       `json:"sequence"`
	Kind        string    `json:"kind"`
	From        string    `json:"from"`
	Action      string    `json:"action"`
	To          string    `json:"to"`
	Version     int       `json:"version"`
	ActorUser   string    `json:"actorUser,omitempty"`
	ActorPerson string    `json:"actorPerson,omitempty"`
	ActorName   string    `json:"actorName"`
	ClientID    string    `json:"clientId,omitempty"`
	Channel     string    `json:"channel"`
	Reason      string    `json:"reason,omitempty"`
	At          time.Time `json:"at"`
}

// Version is the content that a move began or amended: by its digest, with everybody who wrote it.
type Version struct {
	Number            int      `json:"number"`
	DocumentID        string   `json:"documentId"`
	ContentHash       Text     `json:"contentHash"`
	Makers            []string `json:"makers"`
	ApprovalsRequired int      `json:"approvalsRequired"`
}

// Decision is what a person said of a version, and the grant they said it under.
type Decision struct {
	Ordinal       int       `json:"ordinal"`
	Version       int       `json:"version"`
	Action        string    `json:"action"`
	ContentHash   Text      `json:"contentHash"`
	Makers        []string  `json:"makers"`
	CheckerUser   string    `json:"checkerUser"`
	CheckerPerson string    `json:"checkerPerson"`
	ClientID      string    `json:"clientId"`
	Channel       string    `json:"channel"`
	Reason        string    `json:"reason,omitempty"`
	Remark        string    `json:"remark,omitempty"`
	Role          string    `json:"role,omitempty"`
	GrantID       string    `json:"grantId,omitempty"`
	GrantedAt     string    `json:"grantedAt,omitempty"`
	DecidedAt     time.Time `json:"decidedAt"`
}

// Document is the leaf of a document: its place and its digest.
type Document struct {
	Layout      string    `json:"layout"`
	Realm       string    `json:"realm"`
	DocumentID  uuid.UUID `json:"documentId"`
	MessageID   string    `json:"messageId,omitempty"`
	Scheme      string    `json:"scheme"`
	Direction   string    `json:"direction"`
	Name        string    `json:"name"`
	Reference   string    `json:"reference"`
	ContentHash Text      `json:"contentHash"`
	SourceType  string    `json:"sourceType,omitempty"`
	SourceHash  Text      `json:"sourceHash,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
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
	data, err := canonical(e)
	return Leaf{Kind: KindEvent, RowID: e.EventID, Data: data}, err
}

// Leaf is the document as the tree takes it.
func (d Document) Leaf() (Leaf, error) {
	d.Layout = documentLayout
	data, err := canonical(d)
	return Leaf{Kind: KindDocument, RowID: d.DocumentID, Data: data}, err
}

// canonical writes a value as RFC 8785 canonical JSON.
func canonical(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	canonical := jsontext.Value(text)
	err = canonical.Canonicalize()
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return canonical, nil
}
