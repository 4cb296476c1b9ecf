package storetest

import (
	"context"
	"testing"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/masterdata"
)

// SealMasterData seals all people, accounts, grants, clients, policies and debtor accounts anew, as whoever provisions would have, after a
// test changed some in plain SQL.
func (d *DB) SealMasterData(t testing.TB) {
	t.Helper()
	ctx, conn := context.Background(), d.Connect(t)
	q := dbsqlc.New(conn)
	keys, err := identity.MasterDataKeys(Keys(t))
	must(t, err)
	put := func(statement string, key any, record identity.Record, err error) {
		must(t, err)
		seal := record.Seal(keys)
		_, err = conn.Exec(ctx, statement, key, seal.KeyID, seal.MAC[:])
		must(t, err)
	}
	people, err := q.PersonListAll(ctx)
	must(t, err)
	for _, row := range people {
		r, err := masterdata.Person(row)
		put("UPDATE person SET key_id = $2, seal = $3 WHERE person_id = $1", row.PersonID, r, err)
	}
	users, err := q.UserListAll(ctx)
	must(t, err)
	for _, row := range users {
		r, err := masterdata.User(row)
		put("UPDATE user_account SET key_id = $2, seal = $3 WHERE user_id = $1", row.UserID, r, err)
	}
	grants, err := q.GrantListAll(ctx)
	must(t, err)
	for _, row := range grants {
		r, err := masterdata.Grant(row)
		put("UPDATE user_role SET key_id = $2, seal = $3 WHERE grant_id = $1", row.GrantID, r, err)
	}
	clients, err := q.ClientListAll(ctx)
	must(t, err)
	for _, row := range clients {
		r, err := masterdata.Client(row)
		put("UPDATE client SET key_id = $2, seal = $3 WHERE realm || '/' || client_id = $1", row.Realm+"/"+row.ClientID, r, err)
	}
	policies, err := q.PolicyListAll(ctx)
	must(t, err)
	for _, row := range policies {
		r, err := masterdata.Policy(row)
		put("UPDATE policy SET key_id = $2, seal = $3 WHERE policy_id = $1", row.PolicyID, r, err)
	}
	accounts, err := q.DebtorAccountListAll(ctx)
	must(t, err)
	for _, row := range accounts {
		r, err := masterdata.DebtorAccount(row)
		put("UPDATE debtor_account SET key_id = $2, seal = $3 WHERE realm || '/' || iban = $1", row.Realm+"/"+row.Iban, r, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal("storetest:", err)
	}
}
