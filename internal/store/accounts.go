package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Accounts reads the debtor accounts of the realms.
type Accounts struct {
	db *Database
}

// NewAccounts makes the reader of the accounts that messages are about.
func NewAccounts(messages *Messages) *Accounts { return &Accounts{db: messages.db} }

// IncomingRealm returns the realm that receives payments for an account. It fails with payment.ErrNotFound, also for
// a row that fails its seal, so no money is booked in a foreign realm.
func (s *Accounts) IncomingRealm(ctx context.Context, iban string) (string, error) {
	row, err := s.db.Outside().IncomingAccountGet(ctx, iban)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !s.db.Guard(nil).Fits(ctx, IncomingAccount(row)) {
		return "", payment.ErrNotFound
	}
	return row.Realm, err
}

// Account returns a debtor account of a realm and the realm's mark. It fails with payment.ErrNotFound, also for an
// account that fails its seal.
func (s *Accounts) Account(ctx context.Context, realm, iban string) (account payment.DebtorAccount, mark string, err error) {
	err = s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.AccountGet(ctx, realm, iban)
		if errors.Is(err, pgx.ErrNoRows) {
			return payment.ErrNotFound
		}
		if err != nil {
			return err
		}
		if !s.db.Guard(q).Fits(ctx, DebtorAccount(row)) {
			return payment.ErrNotFound
		}
		account = Account(row)
		mark, err = q.RealmMark(ctx, realm)
		return err
	})
	return account, mark, err
}
