package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Draft is a payment between the form and its submission. It belongs to one user; to anybody else it does not exist.
type Draft struct {
	ID       uuid.UUID // also the externalId of the message it becomes
	Scheme   rulebook.Scheme
	Answers  []byte // what was typed, in the form the portal chose; empty for a file; at most 64 KiB
	File     []byte // an uploaded document; empty for a form; at most 256 KiB
	FileName string
	FileHash []byte // SHA-256 of the uploaded file, also where the draft is a payment of it; nil for a form
	// Amends is the message this is an amendment of, and AmendsVersion the version the maker saw; zero for a new payment.
	Amends        uuid.UUID
	AmendsVersion int
	MessageID     uuid.UUID // the message it became; zero before submission
	// Batch is the file of many payments this is a line of, and Line which one, from 1; zero for others.
	Batch     uuid.UUID
	Line      int
	SavedAt   time.Time // the last change of the answers; microseconds count
	FormKey   uuid.UUID // of the page from which it was written last; zero where no page said so
	Seen      time.Time // of what a page sends: when the draft was saved that it showed; nothing stored
	ExpiresAt time.Time
}

// Digest identifies the content of a draft as a page showed it: SHA-256, in hex, of the input and the subject. Times
// and the outcome do not count.
func (d Draft) Digest() string {
	hash := sha256.New()
	for _, part := range [][]byte{[]byte(d.Scheme), d.Answers, d.File, d.Amends[:], []byte(strconv.Itoa(d.AmendsVersion))} {
		_, _ = fmt.Fprintf(hash, "%d:%s", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Overlooks reports whether a page's draft is based on an older version than the stored one, which another page
// changed. A page without a key may overwrite everything.
func (d Draft) Overlooks(kept Draft) bool {
	same := d.Scheme == kept.Scheme && bytes.Equal(d.Answers, kept.Answers)
	return d.FormKey != uuid.Nil && d.FormKey != kept.FormKey && d.Seen.UnixMicro() != kept.SavedAt.UnixMicro() && !same
}

// Drafts stores the drafts of the portal's users.
type Drafts struct {
	db *Database
}

// NewDrafts makes the store.
func NewDrafts(db *Database) *Drafts { return &Drafts{db: db} }

// hidden returns the encryption of a draft's row.
func (d *Drafts) hidden(realm string, id uuid.UUID) hidden {
	return hidden{keys: d.db.answers, table: "draft", realm: realm, row: id}
}

// Add stores a new draft of the user, with encrypted answers and file. Concurrent answers under one key make one draft with the later
// answers; those of a draft that was submitted meanwhile are dropped.
func (d *Drafts) Add(ctx context.Context, by identity.Principal, draft Draft) error {
	return d.AddAll(ctx, by, []Draft{draft})
}

// AddAll stores new drafts of the user together: all or none.
func (d *Drafts) AddAll(ctx context.Context, by identity.Principal, drafts []Draft) error {
	rows := make([]dbsqlc.DraftInsertOrSaveIfOpenParams, 0, len(drafts))
	for _, draft := range drafts {
		row, err := d.rowOf(by, draft)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	err := d.db.InRealm(ctx, by.Realm, Changing, func(q *dbsqlc.Queries) error {
		for _, row := range rows {
			_, err := q.DraftInsertOrSaveIfOpen(ctx, row)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrapped(err, "store a draft")
}

// rowOf returns the encrypted row of a new draft.
func (d *Drafts) rowOf(by identity.Principal, draft Draft) (dbsqlc.DraftInsertOrSaveIfOpenParams, error) {
	kept, err := d.hidden(by.Realm, draft.ID).hideForm("answers", form{draft.Answers, draft.File, draft.FileName})
	return dbsqlc.DraftInsertOrSaveIfOpenParams{
		Realm: by.Realm, DraftID: draft.ID, UserID: by.UserID, Scheme: string(draft.Scheme), Answers: kept.typed,
		File: kept.file, FileName: kept.fileName, Amends: OrNull(draft.Amends),
		AmendsVersion: OrNull(int32(draft.AmendsVersion)),                        //nolint:gosec // versions count from 1
		BatchID:       OrNull(draft.Batch), BatchLine: OrNull(int32(draft.Line)), //nolint:gosec // a file has few lines
		FormKey: OrNull(draft.FormKey), FileHash: draft.FileHash, SavedAt: draft.SavedAt, ExpiresAt: draft.ExpiresAt,
	}, err
}

// OtherDraftError says that a draft is another person's. It is a payment.ErrNotFound: nobody else opens it.
type OtherDraftError struct{ Owner string } // the login

func (e *OtherDraftError) Error() string { return "the draft belongs to " + e.Owner }

// Is reports whether the target is payment.ErrNotFound.
func (*OtherDraftError) Is(target error) bool { return target == payment.ErrNotFound }

// Get returns an unexpired draft of the user. Errors: payment.ErrNotFound, OtherDraftError.
func (d *Drafts) Get(ctx context.Context, by identity.Principal, id uuid.UUID, now time.Time) (Draft, error) {
	q := d.db.In(by.Realm, Reading)
	row, err := q.DraftGet(ctx, dbsqlc.DraftGetParams{Realm: by.Realm, DraftID: id, UserID: by.UserID, Now: now})
	if errors.Is(err, pgx.ErrNoRows) {
		var owner string
		owner, err = q.DraftOwner(ctx, by.Realm, id, now)
		if err == nil {
			return Draft{}, &OtherDraftError{Owner: owner}
		}
	}
	if err != nil {
		return Draft{}, wrapped(missing(err), "load a draft")
	}
	draft, err := d.draftOf(row)
	if errors.Is(err, ErrUnreadable) {
		d.unreadable(ctx, row, err)
		return Draft{}, payment.ErrNotFound
	}
	return draft, err
}

// unreadable logs a draft whose key is missing or whose row was changed by hand. Such a draft is ignored.
func (d *Drafts) unreadable(ctx context.Context, row dbsqlc.Draft, err error) {
	d.db.Log().LogAttrs(ctx, slog.LevelError, "a draft cannot be read and counts for nothing; put the token key back that it was kept under",
		slog.Bool("alarm", true), slog.String("realm", row.Realm), slog.String("row", row.DraftID.String()), slog.String("error", err.Error()))
}

// draftOf decrypts the draft of a row. Error: ErrUnreadable.
func (d *Drafts) draftOf(row dbsqlc.Draft) (Draft, error) {
	plain, err := d.hidden(row.Realm, row.DraftID).revealForm("answers", form{row.Answers, row.File, row.FileName})
	return Draft{
		ID: row.DraftID, Scheme: rulebook.Scheme(row.Scheme), Answers: plain.typed, File: plain.file, FileName: plain.fileName,
		Amends: OrZero(row.Amends), AmendsVersion: int(OrZero(row.AmendsVersion)), MessageID: OrZero(row.MessageID),
		Batch: OrZero(row.BatchID), Line: int(OrZero(row.BatchLine)),
		SavedAt: row.SavedAt.UTC(), FormKey: OrZero(row.FormKey), FileHash: row.FileHash, ExpiresAt: row.ExpiresAt.UTC(),
	}, err
}

// FileBefore is an earlier upload of a file.
type FileBefore struct {
	At        time.Time
	By        string // the person's name
	Submitted int    // payments
}

// Before returns the upload of a draft's file before this one; found is false for none, and for a draft without a file.
func (d *Drafts) Before(ctx context.Context, realm string, draft Draft) (before FileBefore, found bool, err error) {
	if draft.FileHash == nil {
		return before, false, nil
	}
	self := draft.ID
	if draft.Batch != uuid.Nil {
		self = draft.Batch
	}
	row, err := d.db.In(realm, Reading).FileBefore(ctx, realm, draft.FileHash, self)
	if errors.Is(err, pgx.ErrNoRows) {
		return before, false, nil
	}
	return FileBefore{At: row.UploadedAt.UTC(), By: row.Uploader, Submitted: int(row.Submitted)}, err == nil, err
}

// List returns the open drafts of the user without their files, the last changed first, up to most.
func (d *Drafts) List(ctx context.Context, by identity.Principal, now time.Time, most int32) ([]Draft, error) {
	rows, err := d.db.In(by.Realm, Reading).DraftList(ctx, dbsqlc.DraftListParams{
		Realm: by.Realm, UserID: by.UserID, Now: now, PageSize: most,
	})
	var list []Draft
	for _, row := range rows {
		kept := dbsqlc.Draft{
			Realm: by.Realm, DraftID: row.DraftID, Scheme: row.Scheme, Answers: row.Answers, FileName: row.FileName, Amends: row.Amends,
			SavedAt: row.SavedAt, ExpiresAt: row.ExpiresAt,
		}
		draft, err := d.draftOf(kept)
		if err != nil {
			d.unreadable(ctx, kept, err)
			continue
		}
		list = append(list, draft)
	}
	return list, wrapped(err, "list the drafts")
}

// Full reports whether the user has most open drafts or more; drafts of files of many payments do not count.
func (d *Drafts) Full(ctx context.Context, by identity.Principal, now time.Time, most int32) (bool, error) {
	open, err := d.db.In(by.Realm, Reading).DraftCount(ctx, dbsqlc.DraftCountParams{Realm: by.Realm, UserID: by.UserID, Now: now, Most: most})
	if err != nil {
		return false, fmt.Errorf("count the drafts: %w", err)
	}
	return open >= int64(most), nil
}

// Save stores new answers (Scheme, Answers, FormKey, SavedAt) of an open draft of the user. It fails with payment.ErrNotFound for a draft
// that was submitted, is expired, belongs to another user, or was changed by another page since Seen.
func (d *Drafts) Save(ctx context.Context, by identity.Principal, draft Draft) error {
	return d.save(ctx, by, draft, false)
}

// Keep is Save for answers that a page stores while the user types. They never replace a later Save; then Keep fails
// with payment.ErrNotFound.
func (d *Drafts) Keep(ctx context.Context, by identity.Principal, draft Draft) error {
	return d.save(ctx, by, draft, true)
}

func (d *Drafts) save(ctx context.Context, by identity.Principal, draft Draft, byTheWay bool) error {
	answers, err := d.hidden(by.Realm, draft.ID).hide("answers", draft.Answers)
	if err != nil {
		return err
	}
	saved, err := d.db.In(by.Realm, Changing).DraftSaveIfOpen(ctx, dbsqlc.DraftSaveIfOpenParams{
		Scheme: string(draft.Scheme), Answers: answers, SavedAt: draft.SavedAt, FormKey: OrNull(draft.FormKey), Seen: draft.Seen,
		Realm: by.Realm, DraftID: draft.ID, UserID: by.UserID, ByTheWay: byTheWay,
	})
	if err != nil {
		return fmt.Errorf("save a draft: %w", err)
	}
	if saved == 0 {
		return payment.ErrNotFound
	}
	return nil
}

// Discard deletes an open draft of the user, the open ones of a file, or with the zero id all, and returns their number.
func (d *Drafts) Discard(ctx context.Context, by identity.Principal, id uuid.UUID) (count int64, err error) {
	count, err = d.db.In(by.Realm, Changing).DraftDiscard(ctx, by.Realm, by.UserID, OrNull(id))
	return count, wrapped(err, "delete drafts")
}

// Submitted stores the message that a draft became, and the file that it belongs to.
func (d *Drafts) Submitted(ctx context.Context, by identity.Principal, draft Draft, messageID uuid.UUID) error {
	err := d.db.In(by.Realm, Changing).DraftSubmitted(ctx, dbsqlc.DraftSubmittedParams{
		MessageID: &messageID, Realm: by.Realm, DraftID: draft.ID, UserID: by.UserID, PlainName: draft.FileName,
	})
	return wrapped(err, "note a submission")
}

// Clean deletes expired drafts and parked forms of every realm, in small transactions, and returns the number of deleted rows. Called every
// few minutes it limits the size of the table.
func (d *Drafts) Clean(ctx context.Context, now time.Time) (int64, error) {
	return d.db.dropEverywhere(ctx,
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.DraftDropExpired(ctx, realm, now, DropBatch)
		},
		func(q *dbsqlc.Queries, realm string) (int64, error) {
			return q.ParkedFormDropExpired(ctx, realm, now, DropBatch)
		},
	)
}
