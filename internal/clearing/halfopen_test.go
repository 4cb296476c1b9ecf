package clearing_test

import (
	"log/slog"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestTheClockRunsOnWhenConnectionsSwallowEverything: the connections to the database are there, and nothing comes back on them. New ones
// work. Payments are unconfirmed when their time is over, and new ones are sent.
func TestTheClockRunsOnWhenConnectionsSwallowEverything(t *testing.T) {
	t.Parallel()
	var line *storetest.Line
	h := stationtest.With(t, stationtest.Options{Now: runningClock(), Database: func(db *storetest.DB) *store.Database {
		var through string
		line, through = db.Relay(t)
		database, err := store.Open(
			ctx, store.Config{URL: through, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler)},
		)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})
	defer h.CheckInvariants(t)
	goingOn(t, h)
	began := h.Now()
	for round := 1; round <= 3; round++ {
		approveMany(t, h, rulebook.SchemeSIC, 2)
		until(t, h, round*2, "SELECT count(*) FROM message WHERE delivered_at IS NOT NULL")
		if round > 1 { // at the worst moment: when the clock is about to look at them
			until(t, h, 2, "SELECT count(*) FROM message WHERE state = 'Processing' AND $1 >= accepted_at + interval '9.7 seconds'", h.Now)
		}
		line.Swallow()
		until(t, h, round*2, "SELECT count(*) FROM message WHERE state = 'Unconfirmed'")
	}
	late := longest(t, h, rulebook.SchemeSIC, payment.StateUnconfirmed, began)
	t.Logf("the longest to unconfirmed: %s", late)
	// Half a second between two looks, and a second for the one that finds the connections dead.
	if late > 12*time.Second+busyMachine {
		t.Errorf("payments were unconfirmed after up to %s", late)
	}
}
