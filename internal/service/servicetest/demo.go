package servicetest

import (
	"context"
	"testing"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// passwordHash is demo.UserPassword as argon2id of the least cost (m=8 KiB, t=1, p=1): tests sign in thousands of times, and need no
// protection from a guesser with a stolen table.
//
//nolint:gosec // of a public password
const passwordHash = "$argon2id$v=19$m=8,t=1,p=1$NupwLKMZnLpYgAJPUXpN0w$yWFIO3B6DU9RGZiwvXudLmjx+fWA8jCjHhaxsriGRyc"

// Demo makes a database for the test with the demo's realms in it, and nothing else.
func Demo(t testing.TB) *storetest.DB {
	t.Helper()
	return storetest.Filled(t, "demo", fill)
}

func fill(by store.Provisioner) error {
	directories, err := demo.Directories(by.At)
	if err != nil {
		return err
	}
	for _, realm := range demo.Realms() {
		realm.Directories = directories
		for _, person := range realm.People {
			for i := range person.Accounts {
				person.Accounts[i].PasswordHash = passwordHash
			}
		}
		err = store.ApplyRealm(context.Background(), by, realm)
		if err != nil {
			return err
		}
	}
	return nil
}
