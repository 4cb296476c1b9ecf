package snapshot

import (
	"context"
	"fmt"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/masterdata"
)

// UnfitRow is a row of master data that does not carry the right seal.
type UnfitRow struct {
	Realm string
	Table string
	Key   string // of the row within its realm
	Err   error  // identity.ErrUnsealed, keyring.ErrForged or keyring.ErrUnknownKey
}

// MasterData holds every person, account, grant, client, policy and debtor account of every realm against its seal, and returns the rows
// that do not fit. The keys are those of tokens.
func (s *Snapshot) MasterData(ctx context.Context, tokens keyring.Ring) ([]UnfitRow, error) {
	keys, err := identity.MasterDataKeys(tokens)
	if err != nil {
		return nil, err
	}
	c := masterDataCheck{keys: keys, q: s.q}
	for _, look := range []func(context.Context) error{c.people, c.users, c.grants, c.clients, c.policies, c.debtorAccounts} {
		err = look(ctx)
		if err != nil {
			return nil, fmt.Errorf("check the master data: %w", err)
		}
	}
	return c.unfit, nil
}

type masterDataCheck struct {
	keys  keyring.Ring
	q     *dbsqlc.Queries
	unfit []UnfitRow
}

// sealedRow is one row with the seal it carries.
type sealedRow struct {
	place  UnfitRow
	keyID  *string
	seal   []byte
	record identity.Record
	err    error // the record could not be made
}

// hold looks at the rows of one table.
func hold[T any](c *masterDataCheck, rows []T, describe func(T) sealedRow) error {
	for _, r := range rows {
		row := describe(r)
		if row.err != nil {
			return row.err
		}
		row.place.Err = row.record.Check(c.keys, column.Text(row.keyID), row.seal)
		if row.place.Err != nil {
			c.unfit = append(c.unfit, row.place)
		}
	}
	return nil
}

func (c *masterDataCheck) people(ctx context.Context) error {
	rows, err := c.q.PersonListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.Person) sealedRow {
		record, err := masterdata.Person(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "person", Key: r.PersonID.String()}, r.KeyID, r.Seal, record, err}
	})
}

func (c *masterDataCheck) users(ctx context.Context) error {
	rows, err := c.q.UserListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.UserAccount) sealedRow {
		record, err := masterdata.User(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "user_account", Key: r.UserID.String()}, r.KeyID, r.Seal, record, err}
	})
}

func (c *masterDataCheck) grants(ctx context.Context) error {
	rows, err := c.q.GrantListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.UserRole) sealedRow {
		record, err := masterdata.Grant(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "user_role", Key: r.GrantID.String()}, r.KeyID, r.Seal, record, err}
	})
}

func (c *masterDataCheck) clients(ctx context.Context) error {
	rows, err := c.q.ClientListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.Client) sealedRow {
		record, err := masterdata.Client(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "client", Key: r.ClientID}, r.KeyID, r.Seal, record, err}
	})
}

func (c *masterDataCheck) policies(ctx context.Context) error {
	rows, err := c.q.PolicyListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.Policy) sealedRow {
		record, err := masterdata.Policy(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "policy", Key: r.PolicyID.String()}, r.KeyID, r.Seal, record, err}
	})
}

func (c *masterDataCheck) debtorAccounts(ctx context.Context) error {
	rows, err := c.q.DebtorAccountListAll(ctx)
	if err != nil {
		return err
	}
	return hold(c, rows, func(r dbsqlc.DebtorAccount) sealedRow {
		record, err := masterdata.DebtorAccount(r)
		return sealedRow{UnfitRow{Realm: r.Realm, Table: "debtor_account", Key: r.Iban}, r.KeyID, r.Seal, record, err}
	})
}
