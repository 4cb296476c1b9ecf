package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

func TestALockedRowIsBusyAndChangesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := servicetest.Demo(t)
	holder := db.Connect(t)
	_, err := holder.Exec(ctx, "BEGIN; LOCK TABLE user_preference IN ACCESS EXCLUSIVE MODE")
	if err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err = store.NewPeople(db.Database).Preference(limited, demo.Realm, [16]byte{1})
	if !errors.Is(err, store.ErrBusy) {
		t.Errorf("behind a lock: %v", err)
	}
}
