package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/identity"
	"countersign/internal/store/internal/dbsqlc"
)

// ErrForeignRealm: the realm was made by somebody else, or under another mark, and is left as it is.
var ErrForeignRealm = errors.New("the database holds this realm already, made by another maker or with another mark")

// RealmMaker is who a realm belongs to: the demo never touches one of an operator, nor the other way round.
type RealmMaker string

// The makers of realms.
const (
	MadeByDemo     RealmMaker = "demo"
	MadeByOperator RealmMaker = "operator"
)

// Duty keeps administration and payments with different people.
type Duty string

// The duties of a person; the roles of an account belong to its person's duty.
const (
	DutyPayments       Duty = "payments"
	DutyAdministration Duty = "administration"
)

// RealmDefinition is everything Provision brings into a realm.
type RealmDefinition struct {
	Realm          string // lower-case letters, digits and hyphens, at most 32
	Name           string // as shown to people
	Mark           string // two characters that open every Global ID of the realm; fixed for ever
	MadeBy         RealmMaker
	Life           TokenLife // whole seconds
	People         []PersonDefinition
	Clients        []ClientDefinition
	Policies       []PolicyDefinition // all of them: a policy in force that is not here is retired
	DebtorAccounts []DebtorAccountDefinition
}

// PersonDefinition is a human being with at least one account, by whose name the person is known again.
type PersonDefinition struct {
	DisplayName string
	Duty        Duty
	Accounts    []AccountDefinition
}

// AccountDefinition is a user account. Its roles are all it has: others are taken away.
type AccountDefinition struct {
	Name         string // normalised here
	PasswordHash string // argon2id in its usual text form
	Status       UserStatus
	Roles        []identity.Role
}

// ClientDefinition is a client.
type ClientDefinition struct {
	ClientID     string
	Kind         ClientKind
	SecretHash   []byte // SHA-256 of the secret if confidential, else nil
	MayDecideOwn bool   // the API client may decide a message it created itself
}

// PolicyDefinition is a policy; empty fields match everything.
type PolicyDefinition struct {
	Rank              int
	ClientID          string
	Channel           identity.Channel
	Scheme            string
	Kind              string
	AmountFrom        *int64 // minor units
	AmountTo          *int64
	ApprovalsRequired int
	Pending           time.Duration // whole seconds
}

// DebtorAccountDefinition is an account that the realm may debit.
type DebtorAccountDefinition struct {
	IBAN           string
	Scheme         string
	Currency       string
	HolderName     string
	HolderStreet   string
	HolderBuilding string
	HolderPostcode string
	HolderTown     string
	HolderCountry  string
	AgentBIC       string
	AgentIID       string // "" outside Switzerland and Liechtenstein
	// Receives says that payments to the account come in for this realm; of one account only one realm can say so.
	Receives bool
}

// RealmSummary is a realm that a database holds.
type RealmSummary struct {
	Realm  string
	Mark   string
	MadeBy RealmMaker
}

// Realms lists the realms of a database in order of their names, as the owner. A database without the schema has none.
func Realms(ctx context.Context, ownerURL string) ([]RealmSummary, error) {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return nil, fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := dbsqlc.New(conn).RealmList(ctx)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == pgerrcode.UndefinedTable {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the realms: %w", err)
	}
	list := make([]RealmSummary, len(rows))
	for i, row := range rows {
		list[i] = RealmSummary{Realm: row.Realm, Mark: row.Mark, MadeBy: RealmMaker(row.MadeBy)}
	}
	return list, nil
}

// Provision brings a realm to its definition, as the owner, in one transaction; done twice it changes nothing. What the definition
// does not name stays as it is, except roles of a named account and policies in force. Error: ErrForeignRealm.
func Provision(ctx context.Context, ownerURL string, realm RealmDefinition) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		return provisionRealm(ctx, dbsqlc.New(tx), realm)
	})
	if err != nil {
		return fmt.Errorf("provision the realm %s: %w", realm.Realm, err)
	}
	return nil
}

func provisionRealm(ctx context.Context, q *dbsqlc.Queries, realm RealmDefinition) error {
	// First, for it locks the row: two runs take turns.
	ours, err := q.RealmProvision(ctx, dbsqlc.RealmProvisionParams{
		Realm: realm.Realm, Name: realm.Name, Mark: realm.Mark, MadeBy: string(realm.MadeBy),
		AccessTokenSeconds:     wholeSeconds(realm.Life.Access),
		RefreshTokenSeconds:    wholeSeconds(realm.Life.Refresh),
		RefreshAbsoluteSeconds: wholeSeconds(realm.Life.Absolute),
	})
	if err != nil {
		return err
	}
	if ours == 0 {
		return ErrForeignRealm
	}
	for _, person := range realm.People {
		err = provisionPerson(ctx, q, realm.Realm, person)
		if err != nil {
			return fmt.Errorf("person %s: %w", person.DisplayName, err)
		}
	}
	for _, client := range realm.Clients {
		err = q.ClientProvision(ctx, dbsqlc.ClientProvisionParams{
			Realm: realm.Realm, ClientID: client.ClientID, Kind: string(client.Kind), SecretHash: client.SecretHash,
			MayDecideOwn: client.MayDecideOwn,
		})
		if err != nil {
			return fmt.Errorf("client %s: %w", client.ClientID, err)
		}
	}
	err = provisionPolicies(ctx, q, realm.Realm, realm.Policies)
	if err != nil {
		return fmt.Errorf("policies: %w", err)
	}
	for _, account := range realm.DebtorAccounts {
		err = provisionDebtorAccount(ctx, q, realm.Realm, account)
		if err != nil {
			return fmt.Errorf("debtor account of %s: %w", account.HolderName, err)
		}
	}
	return nil
}

func provisionPerson(ctx context.Context, q *dbsqlc.Queries, realm string, person PersonDefinition) error {
	id, err := personOf(ctx, q, realm, person)
	if err != nil {
		return err
	}
	err = q.PersonProvision(ctx, dbsqlc.PersonProvisionParams{
		Realm: realm, PersonID: id, DisplayName: person.DisplayName, Duty: string(person.Duty),
	})
	if err != nil {
		return err
	}
	for _, account := range person.Accounts {
		err = provisionAccount(ctx, q, dbsqlc.UserProvisionParams{
			Realm: realm, PersonID: id, Duty: string(person.Duty), Name: identity.NormaliseName(account.Name),
			PasswordHash: account.PasswordHash, Status: string(account.Status),
		}, account.Roles)
		if err != nil {
			return fmt.Errorf("account %s: %w", account.Name, err)
		}
	}
	return nil
}

// personOf finds the person again by the accounts, or makes an identifier for a new one. An account never changes its person:
// four-eyes compares people, over all that was ever decided.
func personOf(ctx context.Context, q *dbsqlc.Queries, realm string, person PersonDefinition) (uuid.UUID, error) {
	names := make([]string, len(person.Accounts))
	for i, account := range person.Accounts {
		names[i] = identity.NormaliseName(account.Name)
	}
	if len(names) == 0 {
		return uuid.Nil, errors.New("a person needs an account")
	}
	known, err := q.PersonByAccount(ctx, realm, names)
	if err != nil {
		return uuid.Nil, fmt.Errorf("find the person: %w", err)
	}
	switch {
	case len(known) == 0:
		return uuid.NewV7()
	case len(known) > 1:
		return uuid.Nil, errors.New("these accounts belong to different people already")
	case known[0].Duty != string(person.Duty):
		return uuid.Nil, fmt.Errorf("the duty of this person is %s and cannot change", known[0].Duty)
	}
	return known[0].PersonID, nil
}

func provisionAccount(ctx context.Context, q *dbsqlc.Queries, user dbsqlc.UserProvisionParams, roles []identity.Role) error {
	fresh, err := uuid.NewV7()
	if err != nil {
		return err
	}
	user.UserID = fresh
	id, err := q.UserProvision(ctx, user)
	if err != nil {
		return err
	}
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
		err = q.UserRoleProvision(ctx, dbsqlc.UserRoleProvisionParams{Realm: user.Realm, UserID: id, Duty: user.Duty, Role: names[i]})
		if err != nil {
			return fmt.Errorf("role %s: %w", role, err)
		}
	}
	return q.UserRoleDropOthers(ctx, user.Realm, id, names)
}

func provisionDebtorAccount(ctx context.Context, q *dbsqlc.Queries, realm string, a DebtorAccountDefinition) error {
	err := q.DebtorAccountProvision(ctx, dbsqlc.DebtorAccountProvisionParams{
		Realm: realm, Iban: a.IBAN, Scheme: a.Scheme, Currency: a.Currency, HolderName: a.HolderName, HolderStreet: a.HolderStreet,
		HolderBuilding: a.HolderBuilding, HolderPostcode: a.HolderPostcode, HolderTown: a.HolderTown, HolderCountry: a.HolderCountry,
		AgentBic: a.AgentBIC, AgentIid: a.AgentIID, Open: true,
	})
	if err != nil || !a.Receives {
		return err
	}
	return q.IncomingAccountProvision(ctx, a.IBAN, realm)
}

func wholeSeconds(d time.Duration) int32 { return int32(d / time.Second) } //nolint:gosec // the schema bounds it to a week
