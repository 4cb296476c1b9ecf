package auditlog

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"countersign/internal/keyring"
)

// Hash is SHA-256, of a leaf or a node of the tree as RFC 6962 hashes them.
type Hash = tlog.Hash

// Kind is the kind of row under a leaf.
type Kind string

// The kinds of leaves.
const (
	KindEvent    Kind = "event"    // a row of the audit trail with the move and the decision it tells of
	KindDocument Kind = "document" // a document that was sent, received or entered, by its digest
	// Rows of messages that did not fit their seal when they were taken up. Their leaves have layouts of their own, which no bundle may have:
	// they show what stood in the database, and no more.
	KindUnverifiedEvent    Kind = "unverified event"
	KindUnverifiedDocument Kind = "unverified document"
	// Rows that left the database with an archive. Their leaves keep their hashes, so that the tree goes on.
	KindArchivedEvent    Kind = "archived event"
	KindArchivedDocument Kind = "archived document"
)

// layouts are those of leaves. Another layout gets another number, so that sealed rows stay readable.
var layouts = map[Kind]string{
	KindEvent: "countersign event 1", KindDocument: "countersign document 1",
	KindUnverifiedEvent: "countersign unverified event 1", KindUnverifiedDocument: "countersign unverified document 1",
}

// OfEvent reports whether the row is an event.
func (k Kind) OfEvent() bool {
	return k == KindEvent || k == KindUnverifiedEvent || k == KindArchivedEvent
}

// Archived returns the kind of a row of this kind that left the database with an archive.
func (k Kind) Archived() Kind {
	if k.OfEvent() {
		return KindArchivedEvent
	}
	return KindArchivedDocument
}

// Unverified returns the kind of a row of this kind that does not fit its seal.
func (k Kind) Unverified() Kind {
	if k.OfEvent() {
		return KindUnverifiedEvent
	}
	return KindUnverifiedDocument
}

// MoveID is the id of the event of a move: the message's id with the version 8 and the number of the move in its 24 bits before the last
// group. It names the move in the tree, also where its row in the trail is gone. The function move_event of the schema makes the same.
func MoveID(message uuid.UUID, sequence int) uuid.UUID {
	id := message
	binary.BigEndian.PutUint32(id[6:], uint32(0x8000_8000|sequence>>12<<16|sequence&0xfff)) //nolint:gosec // the number is below 24 bits
	return id
}

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

// Move is the row of a message's history in an event.
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

// Version is the content that a move began or amended: its amount, its digest and all its makers.
type Version struct {
	Amount            string   `json:"amount"`
	ApprovalsRequired int      `json:"approvalsRequired"`
	ContentHash       Text     `json:"contentHash"`
	Currency          string   `json:"currency"`
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
	FactorUse     string    `json:"factorUse,omitempty"`
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

// Leaf is a row in the form of the tree.
type Leaf struct {
	Kind  Kind
	RowID uuid.UUID // of the row in its table
	Data  []byte    // RFC 8785 canonical JSON
}

// Hash is the leaf's hash in the tree.
func (l Leaf) Hash() Hash { return tlog.RecordHash(l.Data) }

// Leaf returns the leaf of the event: KindEvent or KindUnverifiedEvent.
func (e Event) Leaf(kind Kind) (Leaf, error) {
	e.Layout = layouts[kind]
	data, err := written(e)
	return Leaf{Kind: kind, RowID: e.EventID, Data: data}, err
}

// sealed are the fields under the seal of an event: its leaf, which has its move, version and decision.
func (e Event) sealed() (keyring.Fields, error) {
	leaf, err := e.Leaf(KindEvent)
	fields := make(keyring.Fields, 0, 64+len(leaf.Data))
	fields.Text("audit event 1")
	fields.Bytes(leaf.Data)
	return fields, err
}

// errOtherForm reports a leaf in another form than the gateway writes.
var errOtherForm = errors.New("the leaf has another form")

// parseEvent reads the leaf of an event in its one form: canonical JSON, times in UTC.
func parseEvent(data []byte) (Event, error) {
	var e Event
	err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true))
	e.At = e.At.UTC()
	if e.Move != nil {
		e.Move.At = e.Move.At.UTC()
	}
	if e.Decision != nil {
		e.Decision.DecidedAt = e.Decision.DecidedAt.UTC()
	}
	if e.Version != nil && e.Version.Makers == nil || e.Decision != nil && e.Decision.Makers == nil {
		return e, errOtherForm
	}
	return e, oneForm(data, e, err)
}

// parseDocument reads the leaf of a document in its one form.
func parseDocument(data []byte) (Document, error) {
	var d Document
	err := json.Unmarshal(data, &d, json.RejectUnknownMembers(true))
	d.CreatedAt = d.CreatedAt.UTC()
	return d, oneForm(data, d, err)
}

// oneForm compares a leaf with the way it is written.
func oneForm(data []byte, leaf any, err error) error {
	if err != nil {
		return err
	}
	again, err := written(leaf)
	if err == nil && !bytes.Equal(again, data) {
		err = errOtherForm
	}
	return err
}

// Seal returns the seal of the event. Its times must have the precision of the database: UTC, microseconds.
func (e Event) Seal(keys keyring.Ring) (keyring.Seal, error) {
	fields, err := e.sealed()
	return keys.Seal(fields), err
}

// Check compares the event with its seal. Errors: those of keyring.Ring.Verify.
func (e Event) Check(keys keyring.Ring, seal keyring.Seal) error {
	fields, err := e.sealed()
	if err != nil {
		return err
	}
	return keys.Verify(seal, fields)
}

// Leaf returns the leaf of the document: KindDocument or KindUnverifiedDocument.
func (d Document) Leaf(kind Kind) (Leaf, error) {
	d.Layout = layouts[kind]
	data, err := written(d)
	return Leaf{Kind: kind, RowID: d.DocumentID, Data: data}, err
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
