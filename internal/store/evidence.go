package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// LeafRow names a row that is a leaf of a realm's tree or will become one.
type LeafRow struct {
	Kind  auditlog.Kind
	RowID uuid.UUID
}

// TrailKeys verify the seals of the rows of the audit trail: those of events, which cover their moves, versions and decisions, and those of
// documents.
type TrailKeys struct {
	events    keyring.Ring
	documents payment.Sealer
	// pass lets rows count whose key is not in the file: a check proves them by their leaves.
	pass error
}

// TrailKeys returns the keys of the database.
func (d *Database) TrailKeys() *TrailKeys { return &TrailKeys{events: d.masterData, documents: d.seal} }

// NewTrailKeys returns the keys for a check; nil when either is missing.
func NewTrailKeys(tokens keyring.Ring, documents payment.Sealer) (*TrailKeys, error) {
	if tokens.Empty() || len(documents.KeyIDs()) == 0 {
		return nil, nil //nolint:nilnil // without keys no seal is looked at
	}
	events, err := identity.MasterDataKeys(tokens)
	return &TrailKeys{events: events, documents: documents, pass: keyring.ErrUnknownKey}, err
}

// Strict returns the same keys, under which a row with an unknown key does not fit.
func (k *TrailKeys) Strict() *TrailKeys {
	if k == nil {
		return nil
	}
	return &TrailKeys{events: k.events, documents: k.documents}
}

// refuse reports whether a seal does not fit.
func (k *TrailKeys) refuse(check func() error) bool {
	if k == nil {
		return false
	}
	err := check()
	return err != nil && (k.pass == nil || !errors.Is(err, k.pass))
}

// Leaves makes the leaves of rows by their keys; missing rows are left out. Without keys of the trail, leaves have the requested kinds.
// With keys, a row that does not fit its seal gets the leaf of an unverified one.
func Leaves(
	ctx context.Context, q *dbsqlc.Queries, realm string, of []LeafRow, keys *TrailKeys,
) (map[uuid.UUID]auditlog.Leaf, error) {
	leaves, kinds := make(map[uuid.UUID]auditlog.Leaf, len(of)), make(map[uuid.UUID]auditlog.Kind, len(of))
	var events, documents []uuid.UUID
	for _, row := range of {
		kinds[row.RowID] = row.Kind
		if row.Kind.OfEvent() {
			events = append(events, row.RowID)
		} else {
			documents = append(documents, row.RowID)
		}
	}
	rows, err := q.EventFactList(ctx, events, realm)
	if err != nil {
		return nil, fmt.Errorf("read events to seal: %w", err)
	}
	for _, row := range rows {
		event, kind := eventOf(row), kinds[row.EventID]
		if keys.refuse(func() error { return event.Check(keys.events, Seal(row.KeyID, row.Seal)) }) {
			kind = kind.Unverified()
		}
		leaves[row.EventID], err = event.Leaf(kind)
		if err != nil {
			return nil, err
		}
	}
	papers, err := q.DocumentFactList(ctx, documents, realm)
	if err != nil {
		return nil, fmt.Errorf("read documents to seal: %w", err)
	}
	for _, row := range papers {
		kind := kinds[row.DocumentID]
		if keys.refuse(func() error { return documentFits(keys.documents, row) }) {
			kind = kind.Unverified()
		}
		leaves[row.DocumentID], err = documentOf(row).Leaf(kind)
		if err != nil {
			return nil, err
		}
	}
	return leaves, nil
}

// documentFits compares a document with its seal. Errors: those of keyring.Ring.Verify.
func documentFits(seal payment.Sealer, row dbsqlc.DocumentFactListRow) error {
	kept := auditlog.Kept{
		Outbound: auditlog.Outbound{
			Realm: row.Realm, MessageID: OrZero(row.MessageID), Scheme: row.Scheme, Name: iso20022.MessageName(row.Name),
			Reference: row.Reference,
		},
		Direction: row.Direction, SourceHash: sha256.Sum256(nil), SourceType: Text(row.SourceType),
	}
	copy(kept.Hash[:], row.ContentHash) // shorter where somebody emptied the column
	if len(row.SourceHash) > 0 {
		copy(kept.SourceHash[:], row.SourceHash)
	}
	return seal.CheckStored(kept, Seal(row.KeyID, row.Mac))
}

func eventOf(row dbsqlc.EventFactListRow) auditlog.Event {
	event := auditlog.Event{
		Realm: row.Realm, EventID: row.EventID, MessageID: idText(row.MessageID), Event: row.Event, Outcome: row.Outcome,
		ActorUser: idText(row.ActorUser), ActorPerson: idText(row.ActorPerson), ActorName: row.ActorName, ClientID: Text(row.ClientID),
		Channel: row.Channel, RequestID: Text(row.RequestID), SourceAddress: Text(row.SourceAddress),
		ContentHash: row.ContentHash, Detail: row.Detail, At: row.At.UTC(),
	}
	if row.Sequence != 0 {
		event.Move = &auditlog.Move{
			Sequence: int(row.Sequence), Kind: row.Kind, From: row.FromState, Action: row.Action, To: row.ToState, Version: int(row.Version),
			ActorUser: row.MoveUser, ActorPerson: row.MovePerson, ActorName: row.MoveName, ClientID: row.MoveClient,
			Channel: row.MoveChannel, Reason: row.MoveReason, At: row.MovedAt.UTC(),
		}
	}
	if row.DocumentID != "" {
		event.Version = &auditlog.Version{
			Number: int(row.Version), DocumentID: row.DocumentID, ContentHash: row.VersionHash,
			Makers: idTexts(row.VersionMakers), ApprovalsRequired: int(row.ApprovalsRequired),
		}
		amount, _ := money.FromMinor(money.Currency(row.Currency), row.Amount) // another currency fits no leaf
		event.Version.Amount, event.Version.Currency = amount.String(), row.Currency
	}
	if row.Ordinal != 0 {
		event.Decision = decisionOf(row)
	}
	return event
}

func decisionOf(row dbsqlc.EventFactListRow) *auditlog.Decision {
	decision := &auditlog.Decision{
		Ordinal: int(row.Ordinal), Version: int(row.DecisionVersion), Action: row.DecisionAction, ContentHash: row.DecisionHash,
		Makers: idTexts(row.DecisionMakers), CheckerUser: row.CheckerUser, CheckerPerson: row.CheckerPerson,
		ClientID: row.DecisionClient, Channel: row.DecisionChannel, Reason: row.DecisionReason, Remark: row.Remark, Role: row.CheckerRole,
		GrantID: row.GrantID, FactorUse: row.FactorUse, DecidedAt: row.DecidedAt.UTC(),
	}
	if !row.GrantedAt.IsZero() {
		decision.GrantedAt = row.GrantedAt.UTC().Format(time.RFC3339Nano)
	}
	return decision
}

func documentOf(row dbsqlc.DocumentFactListRow) auditlog.Document {
	return auditlog.Document{
		Realm: row.Realm, DocumentID: row.DocumentID, MessageID: idText(row.MessageID), Scheme: row.Scheme, Direction: row.Direction,
		Name: row.Name, Reference: row.Reference, ContentHash: row.ContentHash, SourceType: Text(row.SourceType),
		SourceHash: row.SourceHash, CreatedAt: row.CreatedAt.UTC(),
	}
}

// stamped converts a time to the precision of the database.
func stamped(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }

// sealEvent returns the seal of the event of a move.
func (s *Messages) sealEvent(e auditlog.Event, move auditlog.Move) keyring.Seal {
	e.At = stamped(e.At)
	e.EventID = auditlog.MoveID(uuid.MustParse(e.MessageID), move.Sequence)
	e.Outcome, e.Event = "done", auditlog.EventOf(move.Kind, move.Action)
	move.ActorName, move.ActorPerson, move.ActorUser, move.At = e.ActorName, e.ActorPerson, e.ActorUser, e.At
	move.Channel, move.ClientID = e.Channel, e.ClientID
	e.Move = &move
	seal, _ := e.Seal(s.db.masterData) // texts and numbers always encode
	return seal
}

// eventBy returns an event of a message with its actor.
func eventBy(m payment.Message, by identity.Actor, detail string, at time.Time) auditlog.Event {
	return auditlog.Event{
		Realm: m.Realm, MessageID: idOrNone(m.InternalID), ActorUser: idOrNone(by.UserID), ActorPerson: idOrNone(by.PersonID),
		ActorName: by.Name, ClientID: by.ClientID, Channel: string(by.Channel), RequestID: by.RequestID, SourceAddress: by.SourceAddress,
		ContentHash: m.ContentHash[:], Detail: detail, At: at,
	}
}

// versionOf returns the current version of a message for the event that created it.
func versionOf(m payment.Message) *auditlog.Version {
	amount := m.Summary.Amount
	return &auditlog.Version{
		Number: m.Version, DocumentID: m.DocumentID.String(), ContentHash: m.ContentHash[:], Makers: idTexts(m.Makers),
		ApprovalsRequired: m.ApprovalsRequired, Amount: amount.String(), Currency: string(amount.Currency()),
	}
}

// sealOpening seals the event of a new message.
func (s *Messages) sealOpening(c payment.Created, detail string) keyring.Seal {
	m := c.Message
	by := c.Actor
	by.ClientID, by.Channel = m.ClientID, m.Channel
	e := eventBy(m, by, detail, m.CreatedAt)
	e.Version = versionOf(m)
	return s.sealEvent(e, auditlog.Move{
		Sequence: 1, Kind: string(m.Kind), From: "None", Action: string(c.Action), To: string(m.State), Version: 1,
		Reason: cmp.Or(c.Origin.Note, m.StatusText),
	})
}

// sealStep seals the event of a transition.
func (s *Messages) sealStep(t payment.Transition, detail string) keyring.Seal {
	m, by, move := t.Message(), t.Actor(), t.Move()
	if t.Version() != nil {
		m = t.After()
	}
	e := eventBy(m, by, detail, t.At())
	if t.Version() != nil {
		e.Version = versionOf(m)
	}
	if d := t.Decision(); d != nil {
		e.Decision = &auditlog.Decision{
			Ordinal: d.Ordinal, Version: m.Version, Action: string(move.Action), ContentHash: m.ContentHash[:], Makers: idTexts(m.Makers),
			CheckerUser: idOrNone(by.UserID), CheckerPerson: idOrNone(by.PersonID), ClientID: by.ClientID, Channel: string(by.Channel),
			Role: string(identity.RoleChecker), GrantID: idOrNone(d.Grant.ID), FactorUse: idOrNone(d.FactorUse), DecidedAt: stamped(t.At()),
		}
		if !d.Grant.GrantedAt.IsZero() {
			e.Decision.GrantedAt = stamped(d.Grant.GrantedAt).Format(time.RFC3339Nano)
		}
		if move.Action == payment.ActionReject {
			e.Decision.Reason = t.Reason().String()
		} else {
			e.Decision.Remark = t.Reason().String()
		}
	}
	return s.sealEvent(e, auditlog.Move{
		Sequence: t.Message().Sequence + 1, Kind: string(m.Kind), From: string(move.From), Action: string(move.Action), To: string(move.To),
		Version: m.Version, Reason: t.Reason().String(),
	})
}

// idOrNone formats an id for a leaf; the zero id is "".
func idOrNone(id uuid.UUID) string { return idText(OrNull(id)) }

// idText formats an id for a leaf; NULL is "".
func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

func idTexts(ids []uuid.UUID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return texts
}

// Archived tells what left a realm's database.
type Archived struct {
	Month    string // the newest month of an archive; "" for none
	Messages int    // that left with all archives
	Erased   int    // payments whose contents two administrators erased
}

// Archived reads what left a realm's database. Records of months that do not fit their seals are left out; the check names them.
func (r *Reader) Archived(ctx context.Context, realm string) (Archived, error) {
	return Read(ctx, r.db, realm, func(q *dbsqlc.Queries) (left Archived, err error) {
		rows, err := q.DetachedList(ctx)
		if err != nil {
			return left, err
		}
		for _, row := range rows {
			if row.Realm == realm && r.db.Seal().CheckDetached(Detached(row), Seal(row.KeyID, row.Seal)) == nil {
				left.Month, left.Messages = max(left.Month, row.Month), left.Messages+int(row.Messages)
			}
		}
		erased, err := q.ErasedCount(ctx, realm)
		left.Erased = int(erased)
		return left, err
	})
}

// ArchivedPayment is the record of a row.
func ArchivedPayment(row dbsqlc.ArchivedPayment) auditlog.ArchivedPayment {
	return auditlog.ArchivedPayment{
		Realm: row.Realm, PaymentID: row.PaymentID, Key: row.Key, ChangeID: OrZero(row.ChangeID), Messages: row.Messages,
		ErasedBy: OrZero(row.ErasedBy),
	}
}

// Detached converts a row to its record.
func Detached(row dbsqlc.ArchivedMonth) auditlog.Detached {
	return auditlog.Detached{
		Realm: row.Realm, ChangeID: row.ChangeID, Month: row.Month, Digest: row.Digest, Messages: row.Messages, Leaves: row.Leaves, At: row.At,
	}
}

// Checkpoint is the newest checkpoint of a realm's audit trail, as it is stored: countersign check verifies it.
type Checkpoint struct {
	Size int64 // how many rows and documents it is over; 0 for none
	Root string
	At   time.Time
}

// Checkpoint reads the newest checkpoint of a realm; the zero Checkpoint if nothing is sealed.
func (r *Reader) Checkpoint(ctx context.Context, realm string) (Checkpoint, error) {
	row, err := r.in(realm, Reading).AuditCheckpointNewest(ctx, realm)
	if err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
		return Checkpoint{}, missing(err)
	}
	newest := Checkpoint{Size: row.Size, At: row.At.UTC()}
	if lines := strings.Split(row.Note, "\n"); len(lines) > 2 {
		newest.Root = lines[2]
	}
	return newest, nil
}
