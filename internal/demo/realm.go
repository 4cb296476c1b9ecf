package demo

import (
	"crypto/sha256"
	"time"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/store"
)

// Names of the demo's realms and clients, and the secrets that go with them.
const (
	Realm          = "demo"
	Backoffice     = "demo-backoffice" // one approval
	Straight       = "demo-straight"   // no approval: four-eyes is off for this client
	Brief          = "demo-brief"      // what nobody decides expires after a minute
	SecondRealm    = "demo2"
	SecondClient   = "demo2-backoffice"
	ClientSecret   = "demo-secret"
	UserPassword   = "countersign-demo"
	pendingDefault = 24 * time.Hour
)

// UserPasswordHash is UserPassword as argon2id (m=19 MiB, t=2, p=1). Kept as text, so that a start neither hashes nor changes a row;
// a test holds it to the password.
//
//nolint:gosec // of a public password
const UserPasswordHash = "$argon2id$v=19$m=19456,t=2,p=1$KmLa02Hu59Zr+DZnUOrQVA$txhHIJEDYozaGqKwxQ90nfrhmUSv4FKCGTYZGHU8KHQ"

// Realms are the definitions of the demo's realms.
func Realms() []store.RealmDefinition {
	return []store.RealmDefinition{demoRealm(), secondRealm()}
}

func demoRealm() store.RealmDefinition {
	return store.RealmDefinition{
		Realm: Realm, Name: "Demo", Mark: "DM", MadeBy: store.MadeByDemo, Life: tokenLife(),
		People: []store.PersonDefinition{
			payer("maker1", "Maker 1", identity.RoleMaker),
			payer("maker2", "Maker 2", identity.RoleMaker),
			payer("checker1", "Checker 1", identity.RoleChecker),
			payer("checker2", "Checker 2", identity.RoleChecker),
			payer("both1", "Both 1", identity.RoleMaker, identity.RoleChecker),
			payer("supervisor1", "Supervisor 1", identity.RoleSupervisor),
			administrator("admin1", "Admin 1"),
			administrator("admin2", "Admin 2"),
		},
		Clients: []administration.Client{
			backoffice(Backoffice),
			// Its messages never wait for a decision, so it needs no leave to decide them.
			{ClientID: Straight, Kind: administration.ClientConfidential, SecretHash: secretHash(), MayDecideOwn: false},
			backoffice(Brief),
			portal(),
		},
		Policies: []administration.Policy{
			defaultPolicy(),
			// Of a large payment two people must say yes.
			{Rank: 5, AmountFrom: new(int64(1_000_000)), Approvals: 2, ExpiresAfter: pendingDefault}, // 10,000.00 in minor units
			{Rank: 10, ClientID: Straight, Approvals: 0, ExpiresAfter: pendingDefault},
			// The shortest time a policy may give, so that a day shows what becomes of a payment nobody looked at. Large ones wait as others do.
			{Rank: 3, ClientID: Brief, Approvals: 1, ExpiresAfter: time.Minute},
		},
		DebtorAccounts: debtorAccounts(true),
	}
}

// secondRealm shows that realms see nothing of each other.
func secondRealm() store.RealmDefinition {
	return store.RealmDefinition{
		Realm: SecondRealm, Name: "Demo 2", Mark: "D2", MadeBy: store.MadeByDemo, Life: tokenLife(),
		People: []store.PersonDefinition{
			payer("maker1", "Maker 1", identity.RoleMaker),
			payer("checker1", "Checker 1", identity.RoleChecker),
		},
		Clients:        []administration.Client{backoffice(SecondClient), portal()},
		Policies:       []administration.Policy{defaultPolicy()},
		DebtorAccounts: debtorAccounts(false),
	}
}

func tokenLife() store.TokenLife {
	return store.TokenLife{Access: 5 * time.Minute, Refresh: 30 * time.Minute, Absolute: 12 * time.Hour}
}

func payer(name, displayName string, roles ...identity.Role) store.PersonDefinition {
	return store.PersonDefinition{DisplayName: displayName, Duty: administration.DutyPayments, Accounts: []store.AccountDefinition{
		{Name: name, PasswordHash: UserPasswordHash, Status: administration.StatusActive, Roles: roles},
	}}
}

func administrator(name, displayName string) store.PersonDefinition {
	return store.PersonDefinition{DisplayName: displayName, Duty: administration.DutyAdministration, Accounts: []store.AccountDefinition{
		{Name: name, PasswordHash: UserPasswordHash, Status: administration.StatusActive, Roles: []identity.Role{identity.RoleAdministrator}},
	}}
}

// backoffice is an API client of a demo realm. It may decide the payments it created, so that an integrator can walk through login,
// creation and approval with one client, as maker1 and then as checker1. The people are still compared. Leave this off outside a demo: a
// back end with the passwords of both is one pair of eyes.
func backoffice(clientID string) administration.Client {
	return administration.Client{ClientID: clientID, Kind: administration.ClientConfidential, SecretHash: secretHash(), MayDecideOwn: true}
}

// portal is the client of the people who work in the browser; makers and checkers share it by its nature.
func portal() administration.Client {
	return administration.Client{ClientID: identity.PortalClient, Kind: administration.ClientPortal, MayDecideOwn: true}
}

func secretHash() []byte {
	digest := sha256.Sum256([]byte(ClientSecret))
	return digest[:]
}

func defaultPolicy() administration.Policy {
	return administration.Policy{Rank: 0, Approvals: 1, ExpiresAfter: pendingDefault}
}

// debtorAccounts are the two accounts of the demo and the two of the sample documents. The bank codes are those in the IBANs; the
// BICs of banks without one in the public list are neutral.
func debtorAccounts(receives bool) []administration.Account {
	swiss := administration.Account{
		Receives: receives,
		IBAN:     "CH5021977000004331346", Scheme: "sic-inst", Currency: "CHF", HolderName: "Muster AG", HolderStreet: "Musterstrasse",
		HolderBuilding: "24", HolderPostcode: "3000", HolderTown: "Bern", HolderCountry: "CH", AgentBIC: "AAAACHBBXXX", AgentIID: "21977",
	}
	german := administration.Account{
		Receives: receives,
		IBAN:     "DE62007620110623852957", Scheme: "sct-inst", Currency: "EUR", HolderName: "Muster GmbH", HolderStreet: "Hauptstrasse",
		HolderBuilding: "7", HolderPostcode: "50667", HolderTown: "Koeln", HolderCountry: "DE", AgentBIC: "AAAADEFFXXX",
	}
	swissSample, germanSample := swiss, german
	swissSample.IBAN, swissSample.AgentBIC, swissSample.AgentIID = "CH7280005000088877766", "RAIFCH22005", "80005"
	germanSample.IBAN = "DE89370400440532013000"
	return []administration.Account{swiss, german, swissSample, germanSample}
}
