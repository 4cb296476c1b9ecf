package store_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func bank() store.RealmDefinition {
	return store.RealmDefinition{
		Realm: "bank", Name: "Bank", Mark: "BK", MadeBy: store.MadeByOperator,
		Life: store.TokenLife{Access: 300 * time.Second, Refresh: 1800 * time.Second, Absolute: 12 * time.Hour},
		People: []store.PersonDefinition{{DisplayName: "One", Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
			{Name: "One-A", PasswordHash: "hash", Status: administration.StatusActive, Roles: []identity.Role{identity.RoleMaker, identity.RoleChecker}},
			{Name: "one-b", PasswordHash: "hash", Status: administration.StatusActive, Roles: []identity.Role{identity.RoleChecker}},
		}}},
		Clients:  []administration.Client{{ClientID: "portal", Kind: administration.ClientPortal, MayDecideOwn: true}},
		Policies: []administration.Policy{{Approvals: 1, ExpiresAfter: time.Hour}},
	}
}

func countOf(t *testing.T, db *storetest.DB, query string) int {
	t.Helper()
	var n int
	err := db.Owner(t).QueryRow(t.Context(), query).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestProvisionTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	const state = `SELECT count(DISTINCT (p.person_id, u.user_id)) * 100 + (SELECT count(*) FROM policy) * 10 + (SELECT count(*)
		FROM user_role)
		FROM person p JOIN user_account u USING (realm, person_id)`
	for range 2 {
		err := store.ApplyRealm(t.Context(), db.Provisioner(t), bank())
		if err != nil {
			t.Fatal(err)
		}
		if got := countOf(t, db, state); got != 213 {
			t.Errorf("got %d, want two accounts of one person, one policy and three roles (213)", got)
		}
	}
}

func TestProvisionBringsChangesIntoForce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := store.ApplyRealm(t.Context(), db.Provisioner(t), bank())
	if err != nil {
		t.Fatal(err)
	}
	changed := bank()
	changed.People[0].Accounts[0].Roles = []identity.Role{identity.RoleMaker}
	changed.People[0].Accounts[1].Status = administration.StatusSuppressed
	changed.Policies = []administration.Policy{{Approvals: 2, ExpiresAfter: time.Hour, ContentHashRequired: true}}
	err = store.ApplyRealm(t.Context(), db.Provisioner(t), changed)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		"SELECT count(*) FROM user_role WHERE ended_at IS NULL":               2,
		"SELECT count(*) FROM user_role":                                      3, // what ended stays
		"SELECT count(*) FROM user_account WHERE status = 'suppressed'":       1,
		"SELECT count(*) FROM policy":                                         2,
		"SELECT max(approvals_required) FROM policy WHERE retired_at IS NULL": 2,
		"SELECT count(*) FROM policy WHERE retired_at IS NULL":                1,
		"SELECT count(*) FROM policy WHERE content_hash_required":             1,
		"SELECT count(*) FROM person":                                         1,
	} {
		if got := countOf(t, db, query); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
}

func TestProvisionRefusals(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := store.ApplyRealm(t.Context(), db.Provisioner(t), bank())
	if err != nil {
		t.Fatal(err)
	}
	foreign := bank()
	foreign.MadeBy, foreign.Name = store.MadeByDemo, "Taken over"
	marked := bank()
	marked.Mark, marked.Name = "XX", "Marked anew"
	for name, realm := range map[string]store.RealmDefinition{"another maker": foreign, "another mark": marked} {
		err = store.ApplyRealm(t.Context(), db.Provisioner(t), realm)
		if !errors.Is(err, store.ErrForeignRealm) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrForeignRealm)
		}
	}
	administrator := bank()
	administrator.Name = "Half done"
	administrator.People[0].Accounts[0].Roles = []identity.Role{identity.RoleMaker, identity.RoleAdministrator}
	duty := bank()
	duty.Name, duty.People[0].Duty = "Half done", administration.DutyAdministration
	for name, realm := range map[string]store.RealmDefinition{"a maker who administers": administrator, "another duty": duty} {
		err = store.ApplyRealm(t.Context(), db.Provisioner(t), realm)
		if err == nil {
			t.Errorf("%s: was taken", name)
		}
	}
	if n := countOf(t, db, "SELECT count(*) FROM realm WHERE name = 'Bank'"); n != 1 {
		t.Error("a refused definition left something behind")
	}
}
