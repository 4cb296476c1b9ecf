package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Quarantined is a document of clearing that belongs to nothing here or cannot be booked. It belongs to no realm: only the operator of
// the whole gateway may look at it.
type Quarantined struct {
	Document
	// Reason is for the operator. It is stored as its key with its values.
	Reason i18n.Text
}

// Quarantine lists the newest documents in quarantine, at most the given number, newest first.
func (r *Reader) Quarantine(ctx context.Context, most int32) ([]Quarantined, error) {
	rows, err := r.db.Outside().InboxListQuarantined(ctx, most)
	if err != nil {
		return nil, fmt.Errorf("list the quarantine: %w", err)
	}
	list := make([]Quarantined, 0, len(rows))
	for _, row := range rows {
		list = append(list, quarantinedFromDB(dbsqlc.InboxGetQuarantinedRow(row)))
	}
	return list, nil
}

// QuarantinedDocument returns one document in quarantine, or payment.ErrNotFound.
func (r *Reader) QuarantinedDocument(ctx context.Context, scheme rulebook.Scheme, reference string) (Quarantined, error) {
	row, err := r.db.Outside().InboxGetQuarantined(ctx, string(scheme), reference)
	if errors.Is(err, pgx.ErrNoRows) {
		return Quarantined{}, payment.ErrNotFound
	}
	if err != nil {
		return Quarantined{}, fmt.Errorf("load a document in quarantine: %w", err)
	}
	return quarantinedFromDB(row), nil
}

func quarantinedFromDB(row dbsqlc.InboxGetQuarantinedRow) Quarantined {
	return Quarantined{Document: Document{
		Scheme: rulebook.Scheme(row.Scheme), Name: iso20022.MessageName(row.Name), Reference: row.Reference, Content: row.Content,
		At: row.ReceivedAt.UTC(),
	}, Reason: i18n.Kept(row.Reason)}
}
