package store

import (
	"context"

	"countersign/internal/administration"
	"countersign/internal/store/internal/dbsqlc"
)

// Accounts lists the debtor accounts of a realm by IBAN.
func (c *Changes) Accounts(ctx context.Context, realm string) ([]administration.Account, error) {
	return askChanges(ctx, c, changeQuestion{realm, "list accounts"},
		func(s changeStep) ([]administration.Account, error) { return s.accounts(ctx, "") })
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

// account brings an account of a realm's file into force.
func (p provision) account(ctx context.Context, a administration.Account) error {
	row := p.accountRow(a)
	err := p.q.DebtorAccountProvision(ctx, dbsqlc.DebtorAccountProvisionParams(row))
	if err == nil {
		err = p.ledger.Put(DebtorAccount(row))
	}
	if err != nil {
		return err
	}
	for _, iban := range a.PaidBy() {
		paid := dbsqlc.IncomingAccount{Iban: iban, Realm: p.realm, Account: a.IBAN}
		ours, err := p.q.IncomingAccountProvision(ctx, paid.Iban, paid.Realm, paid.Account)
		if err != nil || ours == 0 {
			return err
		}
		err = p.ledger.Put(IncomingAccount(paid))
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
	if err != nil {
		return err
	}
	return s.ledger.Put(DebtorAccount(row))
}

// receive makes the realm the one that payments to the account come in for, by its IBAN or its QR-IBAN.
func (s changeStep) receive(ctx context.Context, a administration.Account, numbers []string) error {
	for _, iban := range numbers {
		paid := dbsqlc.IncomingAccount{Iban: iban, Realm: s.realm, Account: a.IBAN}
		err := One(s.q.IncomingAccountInsert(ctx, paid.Iban, paid.Realm, paid.Account))
		if err != nil {
			return err
		}
		err = s.ledger.Put(IncomingAccount(paid))
		if err != nil {
			return err
		}
	}
	return nil
}
