package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Desk stores the data of the work at the queue: the viewers of messages and the saved views.
type Desk struct {
	db *Database
}

// NewDesk makes the store.
func NewDesk(db *Database) *Desk { return &Desk{db: db} }

// Exported writes the audit event about a list that was exported as a table: the address of the list with its filter, and the format.
func (d *Desk) Exported(ctx context.Context, by identity.Principal, list, format string, at time.Time) error {
	return d.db.append(ctx, Event{
		Realm: by.Realm, Actor: by.Actor(), Name: auditlog.EventListExport, Detail: auditlog.SubjectDetail(list, format), At: at,
	})
}

// PresenceLife is the time for which a user counts as a viewer of a message after the last request.
const PresenceLife = 30 * time.Second

// Look records that a person views a version of a message, and since when.
func (d *Desk) Look(ctx context.Context, by identity.Principal, m payment.Message, now time.Time) error {
	err := d.db.InRealm(ctx, by.Realm, Changing, func(q *dbsqlc.Queries) error {
		err := q.PresencePut(ctx, dbsqlc.PresencePutParams{Realm: by.Realm, PersonID: by.PersonID, MessageID: m.InternalID, SeenAt: now})
		if err != nil {
			return err
		}
		return insertLooks(ctx, q, by, []payment.Message{m}, now)
	})
	return wrapped(err, "note who looks at a message")
}

// LookAtAll records that a person views these versions of messages on one page, and since when. The person is no viewer of any of them.
func (d *Desk) LookAtAll(ctx context.Context, by identity.Principal, messages []payment.Message, now time.Time) error {
	return wrapped(insertLooks(ctx, d.db.In(by.Realm, Changing), by, messages, now), "note who looks at messages")
}

func insertLooks(ctx context.Context, q *dbsqlc.Queries, by identity.Principal, messages []payment.Message, now time.Time) error {
	looks := dbsqlc.MessageLookInsertParams{Realm: by.Realm, PersonID: by.PersonID, FirstAt: now}
	for _, m := range messages {
		looks.MessageIds = append(looks.MessageIds, m.InternalID)
		looks.Versions = append(looks.Versions, int32(m.Version)) //nolint:gosec // counts from 1
	}
	return q.MessageLookInsert(ctx, looks)
}

// Stay records that the person is still there.
func (d *Desk) Stay(ctx context.Context, by identity.Principal, now time.Time) error {
	err := d.db.In(by.Realm, Changing).PresenceStay(ctx, dbsqlc.PresenceStayParams{
		Realm: by.Realm, PersonID: by.PersonID, Now: now, Before: now.Add(-10 * time.Second), Since: now.Add(-PresenceLife),
	})
	return wrapped(err, "note who is still there")
}

// Lookers names the other viewers of messages, by message.
func (r *Reader) Lookers(ctx context.Context, by identity.Principal, now time.Time) (map[uuid.UUID][]string, error) {
	lookers := map[uuid.UUID][]string{}
	rows, err := r.in(by.Realm, Reading).PresenceList(ctx, by.Realm, by.PersonID, now.Add(-PresenceLife))
	for _, row := range rows {
		lookers[row.MessageID] = append(lookers[row.MessageID], r.db.names(by.Realm).of(row.PersonID, row.DisplayName))
	}
	return lookers, wrapped(missing(err), "read who looks at what")
}
