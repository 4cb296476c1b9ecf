package servicetest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// Traced is a house whose statements a tracer sees, such as one that counts round trips, and whose lanes have so many workers; 0 for the
// usual number.
func Traced(t testing.TB, tracer storetest.Tracer, laneWorkers int) *House {
	t.Helper()
	return With(t, Options{Database: func(db *storetest.DB) *store.Database {
		database, err := store.Open(context.Background(), store.Config{
			URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler), Tracer: tracer,
			LaneWorkers: laneWorkers,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})
}

// RunJobs runs the jobs of the house until stop or the end of the test; stop waits for those that are under way.
func (h *House) RunJobs(t testing.TB) (stop func()) {
	t.Helper()
	running, end := context.WithCancel(context.Background())
	var jobs sync.WaitGroup
	jobs.Go(func() {
		err := h.Jobs.Run(running, h.Clearing.Handlers())
		if err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { end(); jobs.Wait() })
	t.Cleanup(stop)
	return stop
}
