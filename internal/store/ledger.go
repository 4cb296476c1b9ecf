package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Limits of the books that a page compares with a statement.
const (
	maxLedger  = 100_000
	ledgerPage = 1_000
	// waitedMost is the longest time from the creation of a message to its approval.
	waitedMost = 30 * 24 * time.Hour
)

// ErrLedgerTooLong reports that the books have too many messages for a page.
var ErrLedgerTooLong = errors.New("too many messages for a page: use countersign clearing reconcile")

// Ledger reads the messages of a scheme in all realms that moved or may have moved money since a time, in the order of their keys. Days are
// those of zone. Error: ErrLedgerTooLong.
func (r *Reader) Ledger(ctx context.Context, scheme rulebook.Scheme, since time.Time, zone *time.Location) ([]payment.LedgerItem, error) {
	realms, err := r.db.Realms(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the realms: %w", err)
	}
	var ledger []payment.LedgerItem
	for _, realm := range realms {
		page := dbsqlc.LedgerListParams{
			Scheme: string(scheme), Since: since, Realm: realm, MessageID: keyAt(since.Add(-waitedMost)), PageSize: ledgerPage,
		}
		for more := true; more; {
			rows, err := r.in(realm, Searching).LedgerList(ctx, page)
			for _, row := range rows {
				item, err := LedgerItem(row, zone)
				if err != nil {
					return nil, err
				}
				ledger, page.MessageID = append(ledger, item), row.MessageID
			}
			more = len(rows) == ledgerPage
			if err != nil {
				return nil, missing(err)
			}
			if len(ledger) > maxLedger {
				return nil, ErrLedgerTooLong
			}
		}
	}
	return ledger, nil
}

// LedgerItem converts a row of the books.
func LedgerItem(row dbsqlc.LedgerListRow, zone *time.Location) (payment.LedgerItem, error) {
	amount, err := money.FromMinor(money.Currency(row.Currency), row.Amount)
	item := payment.LedgerItem{
		Realm: row.Realm, GlobalID: payment.ID(row.GlobalID), Kind: payment.Kind(row.Kind), Direction: payment.Direction(row.Direction),
		State: payment.State(row.State), TransactionID: row.TransactionID, Amount: amount, Approved: row.Approved,
		Sent: row.DeliveredAt != nil, Day: row.CreatedAt.In(zone),
	}
	if row.AcceptedAt != nil {
		item.Day = Time(row.AcceptedAt).In(zone)
	}
	return item, err
}

// keyAt is the lowest key (UUIDv7) made at a time.
func keyAt(at time.Time) (key uuid.UUID) {
	var millis [8]byte
	binary.BigEndian.PutUint64(millis[:], uint64(max(0, at.UnixMilli())))
	copy(key[:6], millis[2:])
	return key
}
