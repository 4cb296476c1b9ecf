package lookup

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// CreditorPast is what a creditor was paid before, in the currency of a payment: of the last 50 payments to the account, and of the last
// 1,000 messages of the realm for the same name at other accounts.
type CreditorPast struct {
	Payments int          // to this account
	Most     money.Amount // the largest of them
	Name     string       // the creditor's in the last of them
	// Elsewhere are the payments to this name at other accounts, OtherAccount the one used last, MostElsewhere the largest amount.
	Elsewhere     int
	OtherAccount  string
	MostElsewhere money.Amount
}

// CreditorPast reads what the creditor of a payment was paid before.
func (r *Reader) CreditorPast(ctx context.Context, realm string, s payment.Summary, except uuid.UUID) (CreditorPast, error) {
	var past CreditorPast
	currency := s.Amount.Currency()
	err := r.read(ctx, realm, store.Reading, func(q *dbsqlc.Queries) error {
		here, err := q.CreditorAccountPast(ctx, dbsqlc.CreditorAccountPastParams{
			Realm: realm, CreditorAccount: s.CreditorAccount, Currency: string(currency), OtherThan: except,
		})
		if err != nil {
			return fmt.Errorf("read the payments to an account: %w", err)
		}
		past.Payments, past.Name = int(here.Payments), here.Name
		past.Most, err = money.FromMinor(currency, here.Most)
		if err != nil || past.Payments > 0 {
			return err
		}
		elsewhere, err := q.CreditorNamePast(ctx, dbsqlc.CreditorNamePastParams{
			Realm: realm, OtherThan: except, Currency: string(currency), CreditorName: s.CreditorName, CreditorAccount: s.CreditorAccount,
		})
		if err != nil {
			return fmt.Errorf("read the payments to a name: %w", err)
		}
		past.Elsewhere, past.OtherAccount = int(elsewhere.Payments), elsewhere.Account
		past.MostElsewhere, err = money.FromMinor(currency, elsewhere.Most)
		return err
	})
	return past, err
}
