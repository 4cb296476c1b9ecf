package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// AccountColumns are the columns of a debtor account where a query finds one or none.
type AccountColumns struct {
	IBAN, Scheme, Currency, Name, Street, Building, Postcode, Town, Country, BIC, IID *string
	Open                                                                              *bool
}

// AccountOrNone converts the columns to the domain's account; nil when the query found none.
func AccountOrNone(c AccountColumns) *payment.DebtorAccount {
	if c.IBAN == nil {
		return nil
	}
	return &payment.DebtorAccount{
		IBAN: Text(c.IBAN), Scheme: rulebook.Scheme(Text(c.Scheme)), Currency: Text(c.Currency),
		AgentBIC: Text(c.BIC), AgentIID: Text(c.IID),
		Open: OrZero(c.Open),
		Holder: interbank.Holder{
			Name: Text(c.Name), Street: Text(c.Street), Building: Text(c.Building), Postcode: Text(c.Postcode),
			Town:    Text(c.Town),
			Country: Text(c.Country),
		},
	}
}

// Account converts a row to the domain's account.
func Account(a dbsqlc.DebtorAccount) payment.DebtorAccount {
	return payment.DebtorAccount{
		IBAN: a.Iban, Scheme: rulebook.Scheme(a.Scheme), Currency: a.Currency, AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Open: a.Open,
		Holder: interbank.Holder{
			Name: a.HolderName, Street: a.HolderStreet, Building: a.HolderBuilding, Postcode: a.HolderPostcode,
			Town: a.HolderTown, Country: a.HolderCountry,
		},
	}
}

// Accounts reads the debtor accounts of the realms.
type Accounts struct {
	db *Database
}

// NewAccounts makes the reader of the accounts that messages are about.
func NewAccounts(messages *Messages) *Accounts { return &Accounts{db: messages.db} }

// Incoming returns the realm that receives payments by an IBAN or QR-IBAN, and the IBAN of the account. It fails with payment.ErrNotFound,
// also for a row that fails its seal, so no money is booked in a foreign realm.
func (s *Accounts) Incoming(ctx context.Context, number string) (realm, iban string, err error) {
	row, err := s.db.Outside().IncomingAccountGet(ctx, number)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !s.db.Guard(nil).Fits(ctx, IncomingAccount(row)) {
		return "", "", payment.ErrNotFound
	}
	return row.Realm, row.Account, err
}

// Account returns a debtor account of a realm, by its IBAN or its QR-IBAN, and the realm's mark. It fails with payment.ErrNotFound, also
// for an account that fails its seal.
func (s *Accounts) Account(ctx context.Context, realm, number string) (account payment.DebtorAccount, mark string, err error) {
	err = s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		iban, err := s.db.ofQRIBAN(ctx, q, number)
		if err != nil {
			return err
		}
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

// ofQRIBAN returns the IBAN of the account with a QR-IBAN; any other number unchanged, also an unknown QR-IBAN.
func (d *Database) ofQRIBAN(ctx context.Context, q *dbsqlc.Queries, number string) (iban string, err error) {
	parsed, unread := account.Parse(number)
	if unread != nil || !parsed.IsQR() {
		return number, nil
	}
	row, err := q.IncomingAccountGet(ctx, number)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !d.Guard(q).Fits(ctx, IncomingAccount(row)) {
		return number, nil
	}
	return row.Account, err
}
