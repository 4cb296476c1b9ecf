package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// Parked is a form that was sent after the session expired. It belongs to the user of that session and does not exist for anybody else. It
// is not executed: the user can fill it in again.
type Parked struct {
	ID        uuid.UUID
	Fields    []byte // as the form sent them; at most 64 KiB
	File      []byte // at most 256 KiB; empty for a form without one
	FileName  string
	At        time.Time
	ExpiresAt time.Time
}

// Park stores a form for the user.
func (d *Drafts) Park(ctx context.Context, by identity.Principal, p Parked) error {
	row, err := d.parkedRow(by, p)
	if err != nil {
		return err
	}
	err = d.db.In(by.Realm, Changing).ParkedFormInsert(ctx, row)
	return wrapped(err, "park a form")
}

// parkedRow returns the encrypted row of a form.
func (d *Drafts) parkedRow(by identity.Principal, p Parked) (dbsqlc.ParkedFormInsertParams, error) {
	kept, err := d.hiddenParked(by.Realm, p.ID).hideForm("fields", form{p.Fields, p.File, p.FileName})
	return dbsqlc.ParkedFormInsertParams{
		Realm: by.Realm, ParkedID: p.ID, UserID: by.UserID, Fields: kept.typed, File: kept.file,
		FileName: kept.fileName, CreatedAt: p.At, ExpiresAt: p.ExpiresAt,
	}, err
}

// maxTyped is the largest number of unsent texts that are stored for a user; further ones are dropped.
const maxTyped = 200

// typedID returns the key of a user's unsent text about a message; one per message.
func typedID(by identity.Principal, about uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(about, by.UserID[:])
}

// Type stores the user's unsent text about a message (p.ID) and replaces the earlier one.
func (d *Drafts) Type(ctx context.Context, by identity.Principal, p Parked) error {
	p.ID = typedID(by, p.ID)
	row, err := d.parkedRow(by, p)
	if err != nil {
		return err
	}
	err = d.db.InRealm(ctx, by.Realm, Changing, func(q *dbsqlc.Queries) error {
		err := q.ParkedFormDrop(ctx, dbsqlc.ParkedFormDropParams{Realm: by.Realm, ParkedID: p.ID, UserID: by.UserID, Until: p.At})
		if err != nil {
			return err
		}
		kept, err := q.ParkedFormCount(ctx, by.Realm, by.UserID)
		if err != nil || kept >= maxTyped {
			return err
		}
		return q.ParkedFormInsert(ctx, row)
	})
	return wrapped(err, "keep what is typed")
}

// Typed returns the user's unsent text about a message. Errors: payment.ErrNotFound, ErrUnreadable.
func (d *Drafts) Typed(ctx context.Context, by identity.Principal, about uuid.UUID, now time.Time) (Parked, error) {
	return d.Parked(ctx, by, typedID(by, about), now)
}

// Forget deletes the user's unsent text about a message that was saved up to now.
func (d *Drafts) Forget(ctx context.Context, by identity.Principal, about uuid.UUID, now time.Time) error {
	err := d.db.In(by.Realm, Changing).ParkedFormDrop(ctx, dbsqlc.ParkedFormDropParams{
		Realm: by.Realm, ParkedID: typedID(by, about), UserID: by.UserID, Until: now,
	})
	return wrapped(err, "forget what was typed")
}

// Parked returns an unexpired form of the user. Errors: payment.ErrNotFound, ErrUnreadable.
func (d *Drafts) Parked(ctx context.Context, by identity.Principal, id uuid.UUID, now time.Time) (Parked, error) {
	row, err := d.db.In(by.Realm, Reading).ParkedFormGet(ctx, dbsqlc.ParkedFormGetParams{
		Realm: by.Realm, ParkedID: id, UserID: by.UserID, Now: now,
	})
	if err != nil {
		return Parked{}, wrapped(missing(err), "load a parked form")
	}
	plain, err := d.hiddenParked(by.Realm, id).revealForm("fields", form{row.Fields, row.File, row.FileName})
	return Parked{
		ID: row.ParkedID, Fields: plain.typed, File: plain.file, FileName: plain.fileName,
		At: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
	}, err
}

func (d *Drafts) hiddenParked(realm string, id uuid.UUID) hidden {
	return hidden{keys: d.db.answers, table: "parked_form", realm: realm, row: id}
}
