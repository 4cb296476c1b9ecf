// Package demo holds the realms of the demonstration as data and brings them into a database that is the demo's own. Names, secrets
// and passwords here are public: none of it belongs into a database that anybody else can reach.
package demo

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/store"
)

// ErrForeignDatabase says that the database holds a realm that the demo did not make, so the demo must not run on it.
var ErrForeignDatabase = errors.New("the database holds a realm that the demo did not make; give the demo a database of its own")

// Refuse looks whether the demo may use the database, before anything is written to it, its schema included. Error: ErrForeignDatabase.
func Refuse(ctx context.Context, ownerURL string) error {
	present, err := store.Realms(ctx, ownerURL)
	if err != nil {
		return fmt.Errorf("look for realms: %w", err)
	}
	for _, realm := range present {
		if realm.MadeBy != store.MadeByDemo {
			return fmt.Errorf("realm %s: %w", realm.Realm, ErrForeignDatabase)
		}
	}
	return nil
}

// Ensure brings the demo's realms into a migrated database, as the owner; done twice it changes nothing. A realm that administrators
// changed is theirs from then on, and left as it is. A database that holds anybody else's realm is refused. Errors:
// ErrForeignDatabase, provision.ErrForeignRealm.
func Ensure(ctx context.Context, by store.Provisioner) error {
	err := Refuse(ctx, by.OwnerURL)
	if err != nil {
		return err
	}
	directories, err := Directories(by.At)
	if err != nil {
		return fmt.Errorf("make the demo: %w", err)
	}
	theirs, err := store.AdministeredRealms(ctx, by.OwnerURL)
	if err != nil {
		return fmt.Errorf("look for changes: %w", err)
	}
	for _, realm := range Realms() {
		realm.Directories = directories
		if theirs[realm.Realm] {
			err = keepUp(ctx, by, realm)
		} else {
			err = store.ApplyRealm(ctx, by, realm)
		}
		if err != nil {
			return fmt.Errorf("make the demo: %w", err)
		}
	}
	return nil
}

// keepUp gives a realm that administers itself the directories of banks of the day, and nothing else.
func keepUp(ctx context.Context, by store.Provisioner, realm store.RealmDefinition) error {
	for _, directory := range realm.Directories {
		directory.Realm = realm.Realm
		_, err := store.ImportDirectory(ctx, by, directory)
		if err != nil {
			return err
		}
	}
	return nil
}
