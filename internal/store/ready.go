package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// Readiness is the state of the database for the service's start.
type Readiness struct {
	Reachable bool
	// Schema compares the database with the migrations of this program; "" when that is not known.
	Schema SchemaState
	// Unguarded are the realms in which a policy for everything asks for no approval: four-eyes is off for everybody there.
	Unguarded []string
	// Realms are all realms with their maker.
	Realms []RealmSummary
	// SchemesInUse are the schemes in which an account of some realm may be debited, with the first such realm.
	SchemesInUse map[string]string
	// References are the editions of reference data that count, the last imported first.
	References []ReferenceSummary
	// Directories are the directories of banks in force, one for each realm and scheme in which an account may be debited.
	Directories []DirectorySummary
}

// DirectorySummary is a bank directory in force of a realm and scheme, without its rows.
type DirectorySummary struct {
	Realm, Scheme string
	Edition       time.Time // its day; zero when none is loaded
	Entries       int
	Source        string
	LoadedAt      time.Time
	Broken        bool // it is not what was imported
}

// Ready reads the state of the database. After an error, the fields hold the values read so far.
func (d *Database) Ready(ctx context.Context) (Readiness, error) {
	var ready Readiness
	err := d.Ping(ctx)
	if err != nil {
		return ready, fmt.Errorf("reach the database: %w", err)
	}
	ready.Reachable = true
	q := d.Outside()
	state, err := schemaState(ctx, q)
	if err != nil {
		return ready, err
	}
	ready.Schema = state
	if state != SchemaCurrent {
		return ready, nil
	}
	realms, err := q.RealmList(ctx)
	if err != nil {
		return ready, fmt.Errorf("list the realms: %w", err)
	}
	ready.References, err = d.References(ctx)
	if err != nil {
		return ready, err
	}
	ready.SchemesInUse = make(map[string]string)
	for _, row := range realms {
		ready.Realms = append(ready.Realms, RealmSummary{Realm: row.Realm, Mark: row.Mark, MadeBy: RealmMaker(row.MadeBy)})
		err = d.readyRealm(ctx, row.Realm, &ready)
		if err != nil {
			return ready, err
		}
	}
	return ready, nil
}

// readyRealm adds the state of one realm: whether its policy for everything requires no approval (without such a policy a realm makes only
// messages of narrower policies), its schemes, and their directories.
func (d *Database) readyRealm(ctx context.Context, realm string, ready *Readiness) error {
	err := d.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		required, err := q.PolicyForEverything(ctx, realm)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read the policies: %w", err)
		}
		if err == nil && required == 0 {
			ready.Unguarded = append(ready.Unguarded, realm)
		}
		schemes, err := q.SchemeInUseList(ctx, realm)
		if err != nil {
			return fmt.Errorf("read the schemes in use: %w", err)
		}
		for _, scheme := range schemes {
			if _, known := ready.SchemesInUse[scheme]; !known {
				ready.SchemesInUse[scheme] = realm
			}
		}
		directories, err := d.directories(ctx, q, realm)
		if err != nil {
			return err
		}
		for _, scheme := range schemes {
			found := DirectorySummary{Realm: realm, Scheme: scheme}
			for _, loaded := range directories {
				if loaded.Scheme == scheme {
					found = loaded
				}
			}
			ready.Directories = append(ready.Directories, found)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the realm %s: %w", realm, err)
	}
	return nil
}

// RealmsWithPassword names the given realms in which an active account has this hash of a password.
func (d *Database) RealmsWithPassword(ctx context.Context, realms []RealmSummary, hash string) (with []string, err error) {
	for _, realm := range realms {
		uses, err := d.In(realm.Realm, Reading).PasswordHashUses(ctx, realm.Realm, hash)
		if err != nil {
			return nil, fmt.Errorf("look for the password in %s: %w", realm.Realm, err)
		}
		if uses > 0 {
			with = append(with, realm.Realm)
		}
	}
	return with, nil
}
