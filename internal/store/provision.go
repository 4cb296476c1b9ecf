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

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store/internal/dbsqlc"
)

// ErrForeignRealm reports a realm that was made by somebody else, or under another mark; it stays unchanged.
var ErrForeignRealm = errors.New("the database holds this realm already, made by another maker or with another mark")

// PersonDefinition is a human being with at least one account, by whose name the person is known again.
type PersonDefinition struct {
	ID          uuid.UUID // as it is read
	DisplayName string
	Duty        administration.Duty
	Accounts    []AccountDefinition
}

// AccountDefinition is a user account. Its other roles are removed.
type AccountDefinition struct {
	Name         string // normalised here
	PasswordHash string // argon2id in its usual text form
	Status       string
	Roles        []identity.Role
	// SetUp lets the person choose the password; zero for none. An earlier one of the account is over by it.
	SetUp identity.SetUpSecret
	// ToBeSetUp, as it is read: nobody set the password yet, or a reset waits for it.
	ToBeSetUp bool
	// OuterSubject is the subject of the account at the identity provider; "" leaves it unchanged.
	OuterSubject string
	Email        string // where notices go; "" for none
}

// asOwner opens a connection of the schema's owner; done closes it.
func asOwner(ctx context.Context, ownerURL string) (conn *pgx.Conn, done func(), err error) {
	conn, err = pgx.Connect(ctx, ownerURL)
	if err != nil {
		return nil, nil, fmt.Errorf("open the database as owner: %w", err)
	}
	return conn, func() { _ = conn.Close(context.WithoutCancel(ctx)) }, nil
}

// ofOwner runs a query as the schema's owner.
func ofOwner[T any](ctx context.Context, ownerURL string, query func(*dbsqlc.Queries, context.Context) (T, error)) (found T, err error) {
	conn, done, err := asOwner(ctx, ownerURL)
	if err != nil {
		return found, err
	}
	defer done()
	return query(dbsqlc.New(conn), ctx)
}

// Realms lists the realms of a database in order of their names, as the owner. A database without the schema has none.
func Realms(ctx context.Context, ownerURL string) ([]RealmSummary, error) {
	rows, err := ofOwner(ctx, ownerURL, (*dbsqlc.Queries).RealmList)
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

// Provisioner applies realms to a database.
type Provisioner struct {
	OwnerURL string       // PostgreSQL URL of the schema's owner
	Keys     keyring.Ring // of tokens; the head of a realm is sealed with a key derived from the first
	At       time.Time    // now, by default of the database; a new grant counts from then on
	// Tell prints secrets that are shown only once. It is called after all writes and before the commit: if it fails nothing is changed, and
	// every committed secret was shown. nil prints nothing.
	Tell func() error
}

// ApplyRealm changes a realm to match its definition, as the owner, in one transaction; a second call changes nothing. Rows that the
// definition does not name stay, except roles of a named account and policies in force, which end. Error: ErrForeignRealm.
func ApplyRealm(ctx context.Context, by Provisioner, realm RealmDefinition) error {
	err := by.run(ctx, realm.Realm, func(p provision) error { return p.bring(ctx, realm) })
	if err != nil {
		return fmt.Errorf("provision the realm %s: %w", realm.Realm, err)
	}
	return nil
}

// run does work in one transaction of the owner.
func (by Provisioner) run(ctx context.Context, realm string, work func(provision) error) error {
	if by.Keys.Empty() {
		return errors.New("keys are needed")
	}
	keys, err := identity.MasterDataKeys(by.Keys)
	if err != nil {
		return err
	}
	setUps, err := identity.NewSetUpKeys(by.Keys)
	if err != nil {
		return err
	}
	providers, err := identity.NewProviderKeys(by.Keys)
	if err != nil {
		return err
	}
	conn, done, err := asOwner(ctx, by.OwnerURL)
	if err != nil {
		return err
	}
	defer done()
	if by.At.IsZero() {
		by.At, err = dbsqlc.New(conn).ServerTime(ctx)
		if err != nil {
			return fmt.Errorf("read the clock of the database: %w", err)
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// A head sealed with another key under the same id is a forged one to the service.
		err := TryKeys(ctx, dbsqlc.New(tx), realm, keys)
		if err != nil {
			return err
		}
		p := provision{
			realmWriter: realmWriter{q: dbsqlc.New(tx), keys: keys, realm: realm, at: by.At.UTC().Truncate(time.Microsecond)},
			setUps:      setUps, providerKeys: providers,
		}
		p.ledger, err = p.open(ctx)
		if err == nil {
			err = work(p)
		}
		if err == nil && p.ledger != nil {
			err = p.ledger.Close(ctx, Act{Actor: operator, At: p.at})
		}
		if err != nil || by.Tell == nil {
			return err
		}
		return by.Tell()
	})
}

// open locks the head of the realm. Until a realm has had two administrators the operator may accept its rows as stored.
func (p provision) open(ctx context.Context) (*Ledger, error) {
	if p.realm == "" {
		return nil, nil
	}
	ever, err := p.q.AdministratorEverCount(ctx, p.realm)
	if err != nil {
		return nil, err
	}
	return OpenLedgerAs(ctx, p.q, p.realm, p.keys, ever < 2)
}

// realmWriter writes rows of a realm in one transaction.
type realmWriter struct {
	q    *dbsqlc.Queries
	keys keyring.Ring // seal the rows
	// ledger notes the rows that are written; nil for a step that only reads or asks.
	ledger *Ledger
	realm  string
	at     time.Time
}

// told writes an event of the realm to the audit log.
func (w realmWriter) told(ctx context.Context, by identity.Actor, event, detail string) error {
	return AppendEvent(ctx, w.q, w.keys, Event{Realm: w.realm, Actor: by, Name: event, Detail: detail, At: w.at})
}

// operator is the actor of what the operator does.
var operator = identity.Actor{Name: "operator", Channel: identity.ChannelOperator}

// provision is one run of the operator.
type provision struct {
	realmWriter
	setUps identity.SetUpKeys
	// providerKeys hides secrets of the portal at identity providers.
	providerKeys identity.ProviderKeys
}

// realmRow returns the row of a realm.
func (p provision) realmRow(realm RealmDefinition) dbsqlc.RealmProvisionParams {
	return dbsqlc.RealmProvisionParams{
		Realm: realm.Realm, Name: realm.Name, Mark: realm.Mark, MadeBy: string(realm.MadeBy), At: p.at,
		AccessTokenSeconds:     wholeSeconds(realm.Life.Access),
		RefreshTokenSeconds:    wholeSeconds(realm.Life.Refresh),
		RefreshAbsoluteSeconds: wholeSeconds(realm.Life.Absolute),
		SecondFactorRoles:      FactorRolesColumn(realm.SecondFactor),
		NoticeDetails:          realm.NoticeDetails,
	}
}

// row changes the realm's own row to match its definition. Error: ErrForeignRealm.
func (p provision) row(ctx context.Context, realm RealmDefinition) error {
	row, err := p.q.RealmProvision(ctx, p.realmRow(realm))
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrForeignRealm
	}
	return p.ledger.Put(Realm(row), err)
}

func wholeSeconds(d time.Duration) int32 { return int32(d / time.Second) } //nolint:gosec // the schema bounds it to a week

// KnownRealm is a stored realm, and whether administrators decide about it.
type KnownRealm struct {
	RealmDefinition
	// EverTwo says that two people were its administrators at some time: from then on nothing changes but by their requests.
	EverTwo bool
}

// ReadRealm reads a realm, as the owner: everything that ApplyRealm writes except bank directories. Hashes of passwords and secrets are
// those of the rows. Error: ErrUnknownRealm.
func ReadRealm(ctx context.Context, ownerURL, realm string) (KnownRealm, error) {
	conn, done, err := asOwner(ctx, ownerURL)
	if err != nil {
		return KnownRealm{}, err
	}
	defer done()
	var read KnownRealm
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		read, err = realmWriter{q: dbsqlc.New(tx), realm: realm}.all(ctx)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return KnownRealm{}, ErrUnknownRealm
	}
	if err != nil {
		return KnownRealm{}, fmt.Errorf("read the realm %s: %w", realm, err)
	}
	return read, nil
}

// AdministeredRealms returns the realms that administrators changed, as the owner.
func AdministeredRealms(ctx context.Context, ownerURL string) (map[string]bool, error) {
	realms, err := ofOwner(ctx, ownerURL, (*dbsqlc.Queries).AdministeredRealmList)
	if err != nil {
		return nil, fmt.Errorf("list the realms that administer themselves: %w", err)
	}
	administered := make(map[string]bool, len(realms))
	for _, realm := range realms {
		administered[realm] = true
	}
	return administered, nil
}
