package servicetest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// Traced is a gateway whose statements a tracer sees, such as one that counts round trips, with so many workers of a scheme; 0 for the
// default.
func Traced(t testing.TB, tracer storetest.Tracer, workers int) *Env {
	t.Helper()
	return With(t, Options{Workers: workers, Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(context.Background(), store.Config{
			URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler), Tracer: tracer,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})
}

// Run runs clearing until stop or the end of the test; stop waits for its tasks. It returns when nudges are taken.
func (h *Env) Run(t testing.TB) (stop func()) {
	t.Helper()
	running, end := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		err := h.Clearing.Run(running)
		if err != nil {
			t.Error(err)
		}
	})
	for !h.Nudges.Working() {
		time.Sleep(time.Millisecond)
	}
	stop = sync.OnceFunc(func() { end(); work.Wait() })
	t.Cleanup(stop)
	return stop
}

// Incoming finds the newest incoming payment with a transaction ID, or payment.ErrNotFound.
func (h *Env) Incoming(ctx context.Context, scheme rulebook.Scheme, transactionID string) (realm string, id uuid.UUID, err error) {
	found, err := h.Messages.IncomingByTransaction(ctx, scheme, transactionID, "")
	if err == nil && len(found) == 0 {
		err = payment.ErrNotFound
	}
	if err != nil {
		return "", uuid.Nil, err
	}
	return found[0].Realm, found[0].ID, nil
}

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
