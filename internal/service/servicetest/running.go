package servicetest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

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
