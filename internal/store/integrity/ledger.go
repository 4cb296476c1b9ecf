package integrity

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
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
		amount, err := money.FromMinor(money.Currency(row.Currency), row.Amount)
		if err != nil {
			return err
		}
		item := payment.LedgerItem{
			Realm: row.Realm, GlobalID: payment.ID(row.GlobalID), Kind: payment.Kind(row.Kind), Direction: payment.Direction(row.Direction),
			State: payment.State(row.State), TransactionID: row.TransactionID, Amount: amount, Approved: row.Approved,
			Sent: row.DeliveredAt != nil, Day: row.CreatedAt.In(zone),
		}
		if row.AcceptedAt != nil {
			item.Day = store.Time(row.AcceptedAt).In(zone)
		}
		ledger = append(ledger, item)
		return nil
	})
	return ledger, err
}
