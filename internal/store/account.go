package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"countersign/internal/account"
	"countersign/internal/administration"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// accountColumns are the columns of a debtor account where a query finds one or none.
type accountColumns struct {
	IBAN, Scheme, Currency, Name, Street, Building, Postcode, Town, Country, BIC, IID *string
	Open                                                                              *bool
}

// row returns the row of the columns; false when the query found none.
func (c accountColumns) row(realm string) (row dbsqlc.DebtorAccount, found bool) {
	return dbsqlc.DebtorAccount{
		Realm: realm, Iban: Text(c.IBAN), Scheme: Text(c.Scheme), Currency: Text(c.Currency), HolderName: Text(c.Name),
		HolderStreet: Text(c.Street), HolderBuilding: Text(c.Building), HolderPostcode: Text(c.Postcode), HolderTown: Text(c.Town),
		HolderCountry: Text(c.Country), AgentBic: Text(c.BIC), AgentIid: Text(c.IID), Open: OrZero(c.Open),
	}, c.IBAN != nil
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
	err = s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
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

// accounts reads one account, or all for an empty IBAN.
func (w realmWriter) accounts(ctx context.Context, iban string) ([]administration.Account, error) {
	rows, err := w.q.DebtorAccountSubjectList(ctx, w.realm, OrNull(iban))
	list := make([]administration.Account, len(rows))
	for i, row := range rows {
		a := row.DebtorAccount
		list[i] = administration.Account{
			IBAN: a.Iban, Scheme: a.Scheme, Currency: a.Currency, HolderName: a.HolderName, HolderStreet: a.HolderStreet,
			HolderBuilding: a.HolderBuilding, HolderPostcode: a.HolderPostcode, HolderTown: a.HolderTown, HolderCountry: a.HolderCountry,
			AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Receives: row.Receives, QRIBAN: row.QrIban, Status: administration.StatusClosed,
		}
		if a.Open {
			list[i].Status = administration.StatusOpen
		}
	}
	return list, err
}

// accountRow makes the row of an account.
func (w realmWriter) accountRow(a administration.Account) dbsqlc.DebtorAccount {
	return dbsqlc.DebtorAccount{
		Realm: w.realm, Iban: a.IBAN, Scheme: a.Scheme, Currency: a.Currency, HolderName: a.HolderName, HolderStreet: a.HolderStreet,
		HolderBuilding: a.HolderBuilding, HolderPostcode: a.HolderPostcode, HolderTown: a.HolderTown, HolderCountry: a.HolderCountry,
		AgentBic: a.AgentBIC, AgentIid: a.AgentIID, Open: a.Status != administration.StatusClosed,
	}
}

// account applies an account of a realm's file.
func (p provision) account(ctx context.Context, a administration.Account) error {
	row := p.accountRow(a)
	err := p.ledger.Put(DebtorAccount(row), p.q.DebtorAccountProvision(ctx, dbsqlc.DebtorAccountProvisionParams(row)))
	if err != nil {
		return err
	}
	for _, iban := range a.PaidBy() {
		paid := dbsqlc.IncomingAccount{Iban: iban, Realm: p.realm, Account: a.IBAN}
		ours, err := p.q.IncomingAccountProvision(ctx, paid.Iban, paid.Realm, paid.Account)
		if err != nil || ours == 0 {
			return err
		}
		err = p.ledger.Put(IncomingAccount(paid), nil)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s changeStep) applyAccount(ctx context.Context, c administration.Change) error {
	var a administration.Account
	administration.Fill(&a, c.After)
	row := s.accountRow(a)
	var err error
	if c.Kind == administration.KindAccountCreate {
		err = s.q.DebtorAccountInsert(ctx, dbsqlc.DebtorAccountInsertParams(row))
		if err == nil {
			err = s.receive(ctx, a, a.PaidBy())
		}
	} else {
		err = One(s.q.DebtorAccountPut(ctx, dbsqlc.DebtorAccountPutParams{
			HolderName: row.HolderName, HolderStreet: row.HolderStreet, HolderBuilding: row.HolderBuilding, HolderPostcode: row.HolderPostcode,
			HolderTown: row.HolderTown, HolderCountry: row.HolderCountry, AgentBic: row.AgentBic, AgentIid: row.AgentIid, Open: row.Open,
			Realm: row.Realm, Iban: row.Iban,
		}))
	}
	if err == nil && a.QRIBAN != "" && c.Kind == administration.KindAccountUpdate && c.Before["qrIban"] == "" {
		err = s.receive(ctx, a, []string{a.QRIBAN})
	}
	return s.ledger.Put(DebtorAccount(row), err)
}

// receive makes the realm the receiver of payments to the account, by its IBAN or its QR-IBAN.
func (s changeStep) receive(ctx context.Context, a administration.Account, numbers []string) error {
	for _, iban := range numbers {
		paid := dbsqlc.IncomingAccount{Iban: iban, Realm: s.realm, Account: a.IBAN}
		err := s.ledger.Put(IncomingAccount(paid), One(s.q.IncomingAccountInsert(ctx, paid.Iban, paid.Realm, paid.Account)))
		if err != nil {
			return err
		}
	}
	return nil
}

// DebtorAccount is the row of a debtor account.
func DebtorAccount(a dbsqlc.DebtorAccount) Row {
	return Row{Table: "debtor_account", Realm: a.Realm, Key: a.Iban}.
		covers(&a.Iban, &a.Scheme, &a.Currency, &a.HolderName, &a.HolderStreet, &a.HolderBuilding, &a.HolderPostcode, &a.HolderTown,
			&a.HolderCountry, &a.AgentBic, &a.AgentIid, a.Open)
}

// IncomingAccount is the row of an account that receives.
func IncomingAccount(a dbsqlc.IncomingAccount) Row {
	return Row{Table: "incoming_account", Realm: a.Realm, Key: a.Iban}.covers(&a.Iban, &a.Account)
}

func (s changeStep) accountFacts(ctx context.Context, known *administration.Facts, asked requested) error {
	iban, err := account.ParseInput(asked.name())
	if err != nil {
		return nil // the rules say what is wrong with it
	}
	accounts, err := s.accounts(ctx, iban.String())
	if err != nil {
		return err
	}
	if len(accounts) == 1 {
		known.Found, known.Before = true, accounts[0].Values()
	}
	var numbers administration.AccountNumbers
	numbers.ReceivedElsewhere, err = s.q.IncomingAccountTaken(ctx, iban.String(), s.realm)
	qr, unread := account.ParseInput(asked.values["qrIban"])
	if err == nil && unread == nil && qr.String() != known.Before["qrIban"] {
		_, err = s.q.IncomingAccountGet(ctx, qr.String())
		numbers.QRTaken = err == nil
		if errors.Is(err, pgx.ErrNoRows) { // not of this realm
			numbers.QRTaken, err = s.q.IncomingAccountTaken(ctx, qr.String(), s.realm)
		}
	}
	known.Own = numbers
	return err
}
