package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Deed is something a person did that changed no message and no master data.
type Deed struct {
	Actor   identity.Actor
	Realm   string
	Event   string // a name of package audit
	Subject string
	At      time.Time
}

// Told keeps a deed in the audit trail of its realm.
func (d *Database) Told(ctx context.Context, deed Deed) error {
	err := d.InRealm(ctx, deed.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return Tell(ctx, q, Event{
			Realm: deed.Realm, Actor: deed.Actor, Name: deed.Event, Detail: auditlog.SubjectDetail(deed.Subject, ""), At: deed.At,
		})
	})
	if err != nil {
		return fmt.Errorf("tell the audit trail: %w", err)
	}
	return nil
}

// Event is something an actor did to a realm, and not to a message.
type Event struct {
	Realm       string
	Actor       identity.Actor
	Name        string // a name of package audit
	Detail      string // canonical text of package audit
	ContentHash []byte // of what was decided; nil for none
	At          time.Time
}

// Tell writes an event to the audit log of its realm, in the transaction of the change.
func Tell(ctx context.Context, q *dbsqlc.Queries, e Event) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	user, person := ActorIDs(e.Actor)
	return q.AuditRealmInsert(ctx, dbsqlc.AuditRealmInsertParams{
		Realm: e.Realm, EventID: id, Event: e.Name, ActorUser: user, ActorPerson: person, ActorName: e.Actor.Name,
		ClientID: OrNull(e.Actor.ClientID), Channel: string(e.Actor.Channel), RequestID: OrNull(e.Actor.RequestID),
		SourceAddress: OrNull(e.Actor.SourceAddress), ContentHash: e.ContentHash, Detail: e.Detail, At: e.At,
	})
}
