package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

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
		read, err = writer{q: dbsqlc.New(tx), realm: realm}.all(ctx)
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

// all reads a realm.
func (w writer) all(ctx context.Context) (Known, error) {
	row, err := w.q.RealmGet(ctx, w.realm)
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
	administrators, err := w.q.AdministratorEverCount(ctx, w.realm)
	if err != nil {
		return Known{}, err
	}
	read.EverTwo = administrators >= 2
	outer, err := w.outerOf(ctx, &read.RealmDefinition)
	if err != nil {
		return Known{}, err
	}
	read.People, err = w.people(ctx, outer)
	if err != nil {
		return Known{}, err
	}
	read.Clients, err = w.clients(ctx, "")
	if err != nil {
		return Known{}, err
	}
	policies, err := w.q.PolicyInForce(ctx, w.realm)
	if err != nil {
		return Known{}, err
	}
	for _, policy := range policies {
		read.Policies = append(read.Policies, policyOf(policy))
	}
	read.DebtorAccounts, err = w.accounts(ctx, "")
	if err != nil {
		return Known{}, err
	}
	read.Limits, err = w.fileLimits(ctx, read.People)
	return read, err
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
