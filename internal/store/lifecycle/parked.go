package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Parked is a form that was sent after the session had run out. It belongs to the user whose session it was; to anybody else it does not
// exist. Nothing of it is done: it is there to be filled in again.
type Parked struct {
	ID        uuid.UUID
	Fields    []byte // as the form sent them; at most 64 KiB
	File      []byte // at most 256 KiB; empty for a form without one
	FileName  string
	At        time.Time
	ExpiresAt time.Time
}

// Park keeps a form for the user.
func (d *Drafts) Park(ctx context.Context, by identity.Principal, p Parked) error {
	kept, err := d.hiddenParked(by.Realm, p.ID).hideForm("fields", form{p.Fields, p.File, p.FileName})
	if err != nil {
		return err
	}
	err = d.db.InRealm(ctx, by.Realm, store.Changing, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		return q.ParkedFormInsert(ctx, dbsqlc.ParkedFormInsertParams{
			Realm: by.Realm, ParkedID: p.ID, UserID: by.UserID, Fields: kept.typed, File: kept.file,
			FileName: kept.fileName, CreatedAt: p.At, ExpiresAt: p.ExpiresAt,
		})
	})
	if err != nil {
		return fmt.Errorf("park a form: %w", err)
	}
	return nil
}

// Parked returns a form kept for the user that is not over, or payment.ErrNotFound.
func (d *Drafts) Parked(ctx context.Context, by identity.Principal, id uuid.UUID, now time.Time) (Parked, error) {
	var row dbsqlc.ParkedForm
	err := d.db.InRealm(ctx, by.Realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		row, err = q.ParkedFormGet(ctx, dbsqlc.ParkedFormGetParams{Realm: by.Realm, ParkedID: id, UserID: by.UserID, Now: now})
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Parked{}, payment.ErrNotFound
	}
	if err != nil {
		return Parked{}, fmt.Errorf("load a parked form: %w", err)
	}
	plain, err := d.hiddenParked(by.Realm, id).revealForm("fields", form{row.Fields, row.File, row.FileName})
	return Parked{
		ID: row.ParkedID, Fields: plain.typed, File: plain.file, FileName: plain.fileName,
		At: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(),
	}, err
}

func (d *Drafts) hiddenParked(realm string, id uuid.UUID) hidden {
	return hidden{keys: d.db.AnswerKeys(), table: "parked_form", realm: realm, row: id}
}
