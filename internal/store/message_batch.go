package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Batch returns the drafts of a file of many payments that the user sent, submitted or not, in its order, or payment.ErrNotFound.
func (d *Drafts) Batch(ctx context.Context, by identity.Principal, id uuid.UUID, now time.Time) ([]Draft, error) {
	rows, err := d.db.In(by.Realm, Reading).DraftBatch(ctx, dbsqlc.DraftBatchParams{Realm: by.Realm, UserID: by.UserID, BatchID: id, Now: now})
	if err != nil {
		return nil, fmt.Errorf("load the drafts of a file: %w", err)
	}
	drafts := make([]Draft, 0, len(rows))
	for _, row := range rows {
		draft, err := d.draftOf(row)
		if err != nil {
			d.unreadable(ctx, row, err)
			continue
		}
		drafts = append(drafts, draft)
	}
	if len(drafts) == 0 {
		return nil, payment.ErrNotFound
	}
	return drafts, nil
}

// BatchPayments returns the name of a file and its submitted payments, in its order. Error: payment.ErrNotFound.
func (r *Reader) BatchPayments(ctx context.Context, realm string, batch uuid.UUID) (name string, ids []uuid.UUID, err error) {
	rows, err := r.in(realm, Reading).BatchPayments(ctx, realm, batch)
	for _, row := range rows {
		name, ids = row.FileName, append(ids, row.MessageID)
	}
	if err == nil && len(ids) == 0 {
		err = payment.ErrNotFound
	}
	return name, ids, wrapped(missing(err), "load the payments of a file")
}

// BatchLine returns the name of the file that a payment came in, and its number there; zero for a payment of none.
func (r *Reader) BatchLine(ctx context.Context, realm string, id uuid.UUID) (name string, line int, err error) {
	rows, err := r.in(realm, Reading).BatchLine(ctx, realm, &id)
	for _, row := range rows {
		name, line = row.FileName, int(row.Position)
	}
	return name, line, missing(err)
}

// WaitingBatch is a file of which several payments wait for approval.
type WaitingBatch struct {
	ID       uuid.UUID
	FileName string
	Waiting  int
}

// BatchesWaiting lists the files of which several payments wait for approval, the newest first.
func (r *Reader) BatchesWaiting(ctx context.Context, realm string) (list []WaitingBatch, err error) {
	rows, err := r.in(realm, Reading).BatchesWaiting(ctx, realm)
	for _, row := range rows {
		list = append(list, WaitingBatch{ID: row.BatchID, FileName: row.FileName, Waiting: int(row.Waiting)})
	}
	return list, wrapped(missing(err), "list the files that wait")
}

// ListedBatch is a file of many payments in a list.
type ListedBatch struct {
	ID        uuid.UUID
	FileName  string
	Lines     int
	Submitted int
	SavedAt   time.Time
	ExpiresAt time.Time
}

// Batches returns the files of the user with payments to submit, the last first.
func (d *Drafts) Batches(ctx context.Context, by identity.Principal, now time.Time) ([]ListedBatch, error) {
	rows, err := d.db.In(by.Realm, Reading).DraftBatches(ctx, by.Realm, by.UserID, now)
	var list []ListedBatch
	for _, row := range rows {
		name, err := d.hidden(by.Realm, row.DraftID).revealName(row.FileName)
		if errors.Is(err, ErrUnreadable) {
			d.unreadable(ctx, dbsqlc.Draft{Realm: by.Realm, DraftID: row.DraftID}, err)
			continue
		}
		list = append(list, ListedBatch{
			ID: row.BatchID, FileName: name, Lines: int(row.Lines), Submitted: int(row.Submitted), SavedAt: row.SavedAt.UTC(),
			ExpiresAt: row.ExpiresAt.UTC(),
		})
	}
	return list, wrapped(err, "list the files of many payments")
}
