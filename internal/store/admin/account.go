package admin

import (
	"context"

	"countersign/internal/administration"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Accounts lists the debtor accounts of a realm by IBAN.
func (c *Changes) Accounts(ctx context.Context, realm string) ([]administration.Account, error) {
	return ask(ctx, c, question{realm, "list accounts"}, func(s step) ([]administration.Account, error) { return s.accounts(ctx, "") })
}

func (s step) accounts(ctx context.Context, iban string) ([]administration.Account, error) {
	rows, err := s.q.DebtorAccountSubjectList(ctx, s.realm, store.OrNull(iban))
	list := make([]administration.Account, len(rows))
	for i, row := range rows {
		a := row.DebtorAccount
		list[i] = administration.Account{
			IBAN: a.Iban, Scheme: a.Scheme, Currency: a.Currency, HolderName: a.HolderName, HolderStreet: a.HolderStreet,
			HolderBuilding: a.HolderBuilding, HolderPostcode: a.HolderPostcode, HolderTown: a.HolderTown, HolderCountry: a.HolderCountry,
			AgentBIC: a.AgentBic, AgentIID: a.AgentIid, Receives: row.Receives, Status: administration.StatusClosed,
		}
		if a.Open {
			list[i].Status = administration.StatusOpen
		}
	}
	return list, err
}

func (s step) applyAccount(ctx context.Context, c administration.Change) error {
	a, err := administration.AccountOf(c.After, "")
	if err != nil {
		return err
	}
	row := dbsqlc.DebtorAccount{
		Realm: s.realm, Iban: a.IBAN, Scheme: a.Scheme, Currency: a.Currency, HolderName: a.HolderName, HolderStreet: a.HolderStreet,
		HolderBuilding: a.HolderBuilding, HolderPostcode: a.HolderPostcode, HolderTown: a.HolderTown, HolderCountry: a.HolderCountry,
		AgentBic: a.AgentBIC, AgentIid: a.AgentIID, Open: a.Status == administration.StatusOpen,
	}
	keyID, seal, err := store.DebtorAccount(row).Sealed(s.keys)
	if err != nil {
		return err
	}
	if c.Kind == administration.KindAccountCreate {
		err = s.q.DebtorAccountInsert(ctx, dbsqlc.DebtorAccountInsertParams{
			Realm: row.Realm, Iban: row.Iban, Scheme: row.Scheme, Currency: row.Currency, HolderName: row.HolderName, HolderStreet: row.HolderStreet,
			HolderBuilding: row.HolderBuilding, HolderPostcode: row.HolderPostcode, HolderTown: row.HolderTown, HolderCountry: row.HolderCountry,
			AgentBic: row.AgentBic, AgentIid: row.AgentIid, KeyID: keyID, Seal: seal,
		})
		if err != nil || !a.Receives {
			return err
		}
		return s.receive(ctx, row.Iban)
	}
	return store.One(s.q.DebtorAccountPut(ctx, dbsqlc.DebtorAccountPutParams{
		HolderName: row.HolderName, HolderStreet: row.HolderStreet, HolderBuilding: row.HolderBuilding, HolderPostcode: row.HolderPostcode,
		HolderTown: row.HolderTown, HolderCountry: row.HolderCountry, AgentBic: row.AgentBic, AgentIid: row.AgentIid, Open: row.Open,
		KeyID: keyID, Seal: seal, Realm: row.Realm, Iban: row.Iban,
	}))
}

// receive makes the realm the one that payments to the account come in for.
func (s step) receive(ctx context.Context, iban string) error {
	keyID, seal, err := store.IncomingAccount(dbsqlc.IncomingAccount{Iban: iban, Realm: s.realm}).Sealed(s.keys)
	if err != nil {
		return err
	}
	return store.One(s.q.IncomingAccountInsert(ctx, dbsqlc.IncomingAccountInsertParams{
		Iban: iban, Realm: s.realm, KeyID: keyID, Seal: seal,
	}))
}
