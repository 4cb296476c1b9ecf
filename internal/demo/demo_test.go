package demo_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"countersign/internal/account"
	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestEnsureMakesTheDemoOnceAndForAll(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	for range 2 {
		err := demo.Ensure(t.Context(), db.Provisioner(t))
		if err != nil {
			t.Fatal(err)
		}
	}
	realms, err := store.Realms(t.Context(), db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	want := []store.RealmSummary{
		{Realm: "demo", Mark: "DM", MadeBy: store.MadeByDemo}, {Realm: "demo2", Mark: "D2", MadeBy: store.MadeByDemo},
	}
	if !slices.Equal(realms, want) {
		t.Errorf("got realms %v, want %v", realms, want)
	}
	for table, want := range map[string]int{
		"person": 10, "user_account": 10, "user_role": 11, "client": 6, "policy": 5, "debtor_account": 8,
	} {
		var n int
		err = db.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n)
		if err != nil || n != want {
			t.Errorf("%s: %d rows, %v, want %d", table, n, err, want)
		}
	}
}

// A demo gets what a later version adds, also one in daily use, whose checkers decide about beneficiaries; one that administrators changed
// is theirs.
func TestEnsureLeavesWhatAdministratorsChanged(t *testing.T) {
	t.Parallel()
	h, ctx := servicetest.New(t), t.Context()
	conn := h.DB.Connect(t)
	later := func() (there bool) {
		t.Helper()
		_, err := conn.Exec(ctx, `SET session_replication_role = replica;
			DELETE FROM debtor_account WHERE realm = 'demo' AND scheme = 'sct-inst'`)
		if err == nil {
			h.DB.SealMasterData(t)
			err = demo.Ensure(ctx, h.DB.Provisioner(t))
		}
		if err == nil {
			err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM debtor_account WHERE realm = 'demo' AND scheme = 'sct-inst')").Scan(&there)
		}
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	asked, err := h.Admin.Request(ctx, h.Person(t, "maker1"), service.RequestInput{
		Kind: administration.KindBeneficiaryCreate, Values: administration.Values{"creditorName": "A", "creditorIban": "CH4821966000009613388"},
	})
	if err == nil {
		_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	}
	if err != nil || !later() {
		t.Errorf("a demo in daily use does not get what a later version adds: %v", err)
	}
	asked, err = h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserSuppress, Subject: "maker2",
	})
	if err == nil {
		_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	}
	if err != nil || later() {
		t.Errorf("what administrators changed is changed by the demo: %v", err)
	}
}

func TestEnsureRefusesADatabaseOfSomebodyElse(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := store.ApplyRealm(t.Context(), db.Provisioner(t), store.RealmDefinition{
		Realm: "bank", Name: "A bank", Mark: "BK", MadeBy: store.MadeByOperator,
		Life: store.TokenLife{Access: time.Minute, Refresh: time.Minute, Absolute: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = demo.Ensure(t.Context(), db.Provisioner(t))
	if !errors.Is(err, demo.ErrForeignDatabase) {
		t.Errorf("got %v, want %v", err, demo.ErrForeignDatabase)
	}
	realms, err := store.Realms(t.Context(), db.OwnerURL)
	if err != nil || len(realms) != 1 {
		t.Errorf("got realms %v, %v, want the bank's alone", realms, err)
	}
}

func TestEveryDemoUserHasThePasswordAndAPersonOfTheirOwn(t *testing.T) {
	t.Parallel()
	hashes := map[string]bool{}
	for _, realm := range demo.Realms() {
		for _, person := range realm.People {
			if len(person.Accounts) != 1 {
				t.Errorf("%s has %d accounts", person.DisplayName, len(person.Accounts))
			}
			hashes[person.Accounts[0].PasswordHash] = true
		}
	}
	for hash := range hashes {
		match, parameters, err := argon2id.CheckHash(demo.UserPassword, hash)
		if err != nil || !match {
			t.Errorf("the hash is not of the password: %v", err)
		}
		if parameters.Memory != 19*1024 || parameters.Iterations != 2 || parameters.Parallelism != 1 {
			t.Errorf("got parameters %+v", parameters)
		}
	}
}

// TestEachCreditorHasAnAccountOfItsOwn, which is valid and none of the demo's.
func TestEachCreditorHasAnAccountOfItsOwn(t *testing.T) {
	t.Parallel()
	holders := map[string]string{}
	for _, realm := range demo.Realms() {
		for _, own := range realm.DebtorAccounts {
			holders[own.IBAN] = "the realm"
		}
	}
	for creditor, iban := range demo.Creditors() {
		_, err := account.Parse(iban)
		if other := holders[iban]; err != nil || other != "" {
			t.Errorf("the account %s of %s is also of %s, %v", iban, creditor, other, err)
		}
		holders[iban] = creditor
	}
}

func TestFourEyesIsOffForTheStraightClientOnly(t *testing.T) {
	t.Parallel()
	for _, realm := range demo.Realms() {
		for _, policy := range realm.Policies {
			if (policy.Approvals == 0) != (policy.ClientID == demo.Straight) {
				t.Errorf("%s: policy %+v", realm.Realm, policy)
			}
		}
	}
}

func TestDebtorAccountsFitTheirAgents(t *testing.T) {
	t.Parallel()
	for _, realm := range demo.Realms() {
		for _, a := range realm.DebtorAccounts {
			iban, err := account.Parse(a.IBAN)
			if err != nil {
				t.Errorf("%s: %v", a.IBAN, err)
				continue
			}
			iid, swiss := iban.IID()
			if swiss != (a.AgentIID != "") || (swiss && iid.String() != a.AgentIID) {
				t.Errorf("%s: agent %q, the account is with %q", a.IBAN, a.AgentIID, iid)
			}
			_, err = account.ParseBIC(a.AgentBIC)
			if err != nil || a.AgentBIC[4:6] != a.IBAN[:2] || !strings.HasPrefix(a.IBAN, a.HolderCountry) {
				t.Errorf("%s: BIC %s: %v", a.IBAN, a.AgentBIC, err)
			}
			if bank, listed := account.BankOf(iban); listed && bank.BIC.String() != a.AgentBIC {
				t.Errorf("%s: BIC %s, the list says %s", a.IBAN, a.AgentBIC, bank.BIC)
			}
		}
	}
}

func TestADemoUserIsKnownToTheApplication(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := demo.Ensure(t.Context(), db.Provisioner(t))
	if err != nil {
		t.Fatal(err)
	}
	people := store.NewPeople(db.Database)
	client, err := people.Client(t.Context(), demo.Realm, demo.Backoffice)
	if err != nil || !client.MayDecideOwn || client.Kind != administration.ClientConfidential || client.Life.Access != 5*time.Minute {
		t.Errorf("got client %+v, %v", client, err)
	}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	user, found, err := store.NewLogins(db.Database).Reserve(t.Context(), store.LoginTry{
		Realm: demo.Realm, Name: "both1", NameHash: make([]byte, 32), At: now, ForgetBefore: now,
	})
	if err != nil || !found {
		t.Fatalf("got %v, %v", found, err)
	}
	principal, err := people.Principal(t.Context(), store.PrincipalKey{Realm: demo.Realm, UserID: user.UserID, ClientID: "portal"})
	if err != nil || !principal.Has(identity.RoleMaker) || !principal.Has(identity.RoleChecker) || principal.DisplayName != "Both 1" {
		t.Errorf("got %+v, %v", principal, err)
	}
}
