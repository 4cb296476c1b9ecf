package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/identity"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Known is a realm as it is, and whether its administrators decide about it.
type Known struct {
	RealmDefinition
	// EverTwo says that two people were its administrators at some time: from then on nothing changes but by their requests.
	EverTwo bool
}

// Read reads a realm, as the owner: everything that Apply brings but directories of banks. Hashes of passwords and secrets are
// those of the rows. Error: store.ErrUnknownRealm.
func Read(ctx context.Context, ownerURL, realm string) (Known, error) {
	conn, done, err := asOwner(ctx, ownerURL)
	if err != nil {
		return Known{}, err
	}
	defer done()
	var read Known
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		r := reading{q: dbsqlc.New(tx), realm: realm}
		read, err = r.all(ctx)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Known{}, store.ErrUnknownRealm
	}
	if err != nil {
		return Known{}, fmt.Errorf("read the realm %s: %w", realm, err)
	}
	return read, nil
}

// reading is one look at a realm.
type reading struct {
	q     *dbsqlc.Queries
	realm string
}

func (r reading) all(ctx context.Context) (Known, error) {
	row, err := r.q.RealmGet(ctx, r.realm)
	if err != nil {
		return Known{}, err
	}
	read := Known{RealmDefinition: RealmDefinition{
		Realm: row.Realm, Name: row.Name, Mark: row.Mark, MadeBy: store.RealmMaker(row.MadeBy), Life: store.TokenLife{
			Access: store.Seconds(row.AccessTokenSeconds), Refresh: store.Seconds(row.RefreshTokenSeconds),
			Absolute: store.Seconds(row.RefreshAbsoluteSeconds),
		},
		SecondFactor: store.FactorRoles(row.SecondFactorRoles),
	}}
	administrators, err := r.q.AdministratorEverCount(ctx, r.realm)
	if err != nil {
		return Known{}, err
	}
	read.EverTwo = administrators >= 2
	for _, look := range []func(context.Context, *RealmDefinition) error{
		r.people, r.outer, r.clients, r.policies, r.debtorAccounts, r.limits,
	} {
		err = look(ctx, &read.RealmDefinition)
		if err != nil {
			return Known{}, err
		}
	}
	return read, nil
}

func (r reading) people(ctx context.Context, into *RealmDefinition) error {
	people, err := r.q.PersonList(ctx, r.realm)
	if err != nil {
		return err
	}
	users, err := r.q.UserSubjectList(ctx, r.realm, nil)
	if err != nil {
		return err
	}
	grants, err := r.q.GrantList(ctx, r.realm)
	if err != nil {
		return err
	}
	roles := map[uuid.UUID][]identity.Role{}
	for _, grant := range grants {
		roles[grant.UserID] = append(roles[grant.UserID], identity.Role(grant.Role))
	}
	subjects, err := r.subjects(ctx)
	if err != nil {
		return err
	}
	accounts := map[uuid.UUID][]AccountDefinition{}
	for _, row := range users {
		user := row.UserAccount
		accounts[user.PersonID] = append(accounts[user.PersonID], AccountDefinition{
			Name: user.Name, PasswordHash: user.PasswordHash, Status: store.UserStatus(user.Status), Roles: roles[user.UserID],
			OuterSubject: subjects[user.UserID], ToBeSetUp: row.ToBeSetUp,
		})
	}
	for _, person := range people {
		into.People = append(into.People, PersonDefinition{
			DisplayName: person.DisplayName, Duty: Duty(person.Duty), Accounts: accounts[person.PersonID],
		})
	}
	return nil
}

func (r reading) clients(ctx context.Context, into *RealmDefinition) error {
	rows, err := r.q.ClientList(ctx, r.realm)
	for _, row := range rows {
		into.Clients = append(into.Clients, ClientDefinition{
			ClientID: row.ClientID, Kind: store.ClientKind(row.Kind), SecretHash: row.SecretHash, MayDecideOwn: row.MayDecideOwn,
			PayeeWaived: row.PayeeWaived,
		})
	}
	return err
}

func (r reading) policies(ctx context.Context, into *RealmDefinition) error {
	rows, err := r.q.PolicyInForce(ctx, r.realm)
	for _, row := range rows {
		into.Policies = append(into.Policies, policyDefinitionFromDB(row))
	}
	return err
}

func (r reading) debtorAccounts(ctx context.Context, into *RealmDefinition) error {
	rows, err := r.q.DebtorAccountList(ctx, r.realm)
	if err != nil {
		return err
	}
	incoming, err := r.q.IncomingAccountList(ctx, r.realm)
	receives := map[string]bool{}
	for _, iban := range incoming {
		receives[iban] = true
	}
	for _, row := range rows {
		into.DebtorAccounts = append(into.DebtorAccounts, DebtorAccountDefinition{
			IBAN: row.Iban, Scheme: row.Scheme, Currency: row.Currency, HolderName: row.HolderName, HolderStreet: row.HolderStreet,
			HolderBuilding: row.HolderBuilding, HolderPostcode: row.HolderPostcode, HolderTown: row.HolderTown, HolderCountry: row.HolderCountry,
			AgentBIC: row.AgentBic, AgentIID: row.AgentIid, Receives: receives[row.Iban], Closed: !row.Open,
		})
	}
	return err
}

// Administered tells which realms administrators changed, as the owner.
func Administered(ctx context.Context, ownerURL string) (map[string]bool, error) {
	conn, done, err := asOwner(ctx, ownerURL)
	if err != nil {
		return nil, err
	}
	defer done()
	realms, err := dbsqlc.New(conn).AdministeredRealmList(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the realms that administer themselves: %w", err)
	}
	administered := make(map[string]bool, len(realms))
	for _, realm := range realms {
		administered[realm] = true
	}
	return administered, nil
}
