package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// KnownRealm is a realm as it is, and whether its administrators decide about it.
type KnownRealm struct {
	RealmDefinition
	// EverTwo says that two people were its administrators at some time: from then on nothing changes but by their requests.
	EverTwo bool
}

// ReadRealm reads a realm, as the owner: everything that ApplyRealm brings but directories of banks. Hashes of passwords and secrets are
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

// all reads a realm.
func (w realmWriter) all(ctx context.Context) (KnownRealm, error) {
	row, err := w.q.RealmGet(ctx, w.realm)
	if err != nil {
		return KnownRealm{}, err
	}
	read := KnownRealm{RealmDefinition: RealmDefinition{
		Realm: row.Realm, Name: row.Name, Mark: row.Mark, MadeBy: RealmMaker(row.MadeBy), Life: TokenLife{
			Access: Seconds(row.AccessTokenSeconds), Refresh: Seconds(row.RefreshTokenSeconds),
			Absolute: Seconds(row.RefreshAbsoluteSeconds),
		},
		SecondFactor: FactorRoles(row.SecondFactorRoles), NoticeDetails: row.NoticeDetails,
	}}
	administrators, err := w.q.AdministratorEverCount(ctx, w.realm)
	if err != nil {
		return KnownRealm{}, err
	}
	read.EverTwo = administrators >= 2
	outer, err := w.outerOf(ctx, &read.RealmDefinition)
	if err != nil {
		return KnownRealm{}, err
	}
	read.People, err = w.people(ctx, outer)
	if err != nil {
		return KnownRealm{}, err
	}
	read.Clients, err = w.clients(ctx, "")
	if err != nil {
		return KnownRealm{}, err
	}
	policies, err := w.q.PolicyInForce(ctx, w.realm)
	if err != nil {
		return KnownRealm{}, err
	}
	for _, policy := range policies {
		read.Policies = append(read.Policies, policyOf(policy))
	}
	read.DebtorAccounts, err = w.accounts(ctx, "")
	if err != nil {
		return KnownRealm{}, err
	}
	read.Limits, err = w.fileLimits(ctx, read.People)
	return read, err
}

// AdministeredRealms tells which realms administrators changed, as the owner.
func AdministeredRealms(ctx context.Context, ownerURL string) (map[string]bool, error) {
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
