package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/storetest"
)

// TestRequestsCannotUseUpTheConnectionsOfTheMoney: whatever requests and pages hold, the deliveries and the clock have connections, and who
// comes when all of a use are taken is told so instead of waiting for ever.
func TestRequestsCannotUseUpTheConnectionsOfTheMoney(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	test := servicetest.Demo(t)
	db, err := store.Open(ctx, store.Config{
		URL: test.URL, Seal: test.Seal, TokenKeys: storetest.Keys(t), Connections: store.Connections{Requests: 3, Clearing: 3, Pages: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	nothing := func(*dbsqlc.Queries) error { return nil }
	free := make(chan struct{})
	defer close(free)
	holding := make(chan error)
	for _, use := range []store.Use{store.ForRequests, store.ForPages} {
		for range 3 {
			go func() {
				err := db.For(use).InRealm(ctx, demo.Realm, store.Reading, func(*dbsqlc.Queries) error {
					holding <- nil
					<-free
					return nil
				})
				if err != nil {
					holding <- err
				}
			}()
			err := <-holding
			if err != nil {
				t.Fatalf("a use has not the connections it was given: %v", err)
			}
		}
	}
	err = db.For(store.ForClearing).InRealm(ctx, demo.Realm, store.Reading, nothing)
	if err != nil {
		t.Errorf("what is approved cannot be sent while requests and pages hold all their connections: %v", err)
	}
	err = db.For(store.ForBatches).InRealm(ctx, demo.Realm, store.Reading, nothing)
	if err != nil {
		t.Errorf("nothing is written together while requests and pages hold all their connections: %v", err)
	}
	err = db.For(store.ForSeals).InRealm(ctx, demo.Realm, store.Reading, nothing)
	if err != nil {
		t.Errorf("nothing is sealed while requests and pages hold all their connections: %v", err)
	}
	patient, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = db.InRealm(patient, demo.Realm, store.Reading, nothing)
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("with all connections taken: %v, want that the database is busy, before the caller loses patience", err)
	}
}

// TestAConnectionThatSwallowsEverythingEnds: a statement on it ends by its deadline as a database that is not available, and the next
// one goes by a new connection.
func TestAConnectionThatSwallowsEverythingEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	test := servicetest.Demo(t)
	line, through := test.Relay(t)
	db, err := store.Open(ctx, store.Config{URL: through, Seal: test.Seal, TokenKeys: storetest.Keys(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	patient, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = db.InRealm(patient, demo.Realm, store.Reading, func(q *dbsqlc.Queries) error {
		line.Swallow()
		_, err := q.RealmList(patient)
		return err
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("on a connection that swallows everything: %v", err)
	}
	_, err = db.Realms(patient)
	if err != nil {
		t.Errorf("on the next connection: %v", err)
	}
}
