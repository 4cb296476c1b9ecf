package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

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
