package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/audit"
	"countersign/internal/identity"
	"countersign/internal/store/internal/column"
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
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	user, person := column.ActorIDs(deed.Actor)
	err = d.InRealm(ctx, deed.Realm, Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return q.AuditRealmInsert(ctx, dbsqlc.AuditRealmInsertParams{
			Realm: deed.Realm, EventID: id, Event: deed.Event, ActorUser: user, ActorPerson: person, ActorName: deed.Actor.Name,
			ClientID: column.OrNull(deed.Actor.ClientID), Channel: string(deed.Actor.Channel), RequestID: column.OrNull(deed.Actor.RequestID),
			SourceAddress: column.OrNull(deed.Actor.SourceAddress), At: deed.At, Detail: audit.SubjectDetail(deed.Subject, ""),
		})
	})
	if err != nil {
		return fmt.Errorf("tell the audit trail: %w", err)
	}
	return nil
}
