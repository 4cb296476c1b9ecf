package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// OperatorAction is an action of a person that changes neither a message nor master data.
type OperatorAction struct {
	Actor   identity.Actor
	Realm   string
	Event   string // a name of package audit
	Subject string
	At      time.Time
}

// RecordAction writes an action in the audit trail of its realm.
func (d *Database) RecordAction(ctx context.Context, action OperatorAction) error {
	return d.append(ctx, Event{
		Realm: action.Realm, Actor: action.Actor, Name: action.Event, Detail: auditlog.SubjectDetail(action.Subject, ""), At: action.At,
	})
}

// append writes an event that no other change goes with.
func (d *Database) append(ctx context.Context, e Event) error {
	return wrapped(AppendEvent(ctx, d.In(e.Realm, Changing), d.masterData, e), "write to the audit log")
}

// Event is an action on a realm, not on a message.
type Event struct {
	Realm       string
	Actor       identity.Actor
	Name        string // a name of package audit
	Detail      string // canonical text of package audit
	ContentHash []byte // of what was decided; nil for none
	At          time.Time
}

// AppendEvent writes an event to the audit log of its realm, in the transaction of the change, under a seal by the keys of master data.
func AppendEvent(ctx context.Context, q *dbsqlc.Queries, keys keyring.Ring, e Event) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	user, person := ActorIDs(e.Actor)
	event := eventBy(payment.Message{Realm: e.Realm}, e.Actor, e.Detail, stamped(e.At))
	event.EventID, event.Event, event.Outcome, event.ContentHash = id, e.Name, "done", e.ContentHash
	seal, err := event.Seal(keys)
	if err != nil {
		return err
	}
	return q.AuditRealmInsert(ctx, dbsqlc.AuditRealmInsertParams{
		Realm: e.Realm, EventID: id, Event: e.Name, ActorUser: user, ActorPerson: person, ActorName: e.Actor.Name,
		ClientID: OrNull(e.Actor.ClientID), Channel: string(e.Actor.Channel), RequestID: OrNull(e.Actor.RequestID),
		SourceAddress: OrNull(e.Actor.SourceAddress), ContentHash: e.ContentHash, Detail: e.Detail, At: e.At,
		KeyID: seal.KeyID, Seal: seal.MAC[:],
	})
}

// BrokenGlass is an action of the operator in a realm with two administrators: an account became an administrator's, or got another
// password.
type BrokenGlass struct {
	User     string
	Password bool
	Reason   string
	At       time.Time
}

// BrokenGlasses lists the actions since a time, the latest first, at most ten.
func (r *Reader) BrokenGlasses(ctx context.Context, realm string, since time.Time) ([]BrokenGlass, error) {
	var list []BrokenGlass
	rows, err := r.in(realm, Reading).BreakGlassList(ctx, realm, since)
	for _, row := range rows {
		list = append(list, BrokenGlass{User: row.Name, Password: row.Deed == "password", Reason: row.Reason, At: row.At.UTC()})
	}
	return list, missing(err)
}
