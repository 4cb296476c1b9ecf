package integrity

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Ledger reads the messages of a scheme in all realms that moved money since a moment, or may have. Days are those of zone.
func (s *Snapshot) Ledger(ctx context.Context, scheme rulebook.Scheme, since time.Time, zone *time.Location) ([]payment.LedgerItem, error) {
	var ledger []payment.LedgerItem
	var realm string
	var after uuid.UUID
	page := func() ([]dbsqlc.LedgerListRow, error) {
		return s.q.LedgerList(ctx, dbsqlc.LedgerListParams{
			Scheme: string(scheme), Since: since, Realm: realm, MessageID: after, PageSize: auditedPage,
		})
	}
	err := eachRow(ctx, "read the books", page, func(row dbsqlc.LedgerListRow) error {
		realm, after = row.Realm, row.MessageID
		item, err := store.LedgerItem(row, zone)
		ledger = append(ledger, item)
		return err
	})
	return ledger, err
}
