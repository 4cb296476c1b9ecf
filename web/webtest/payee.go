package webtest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/payee"
	"countersign/internal/service"
	"countersign/internal/simulator"
	"countersign/internal/testutil"
)

// Banks are the payees' banks of the simulator, and how often they were asked.
type Banks struct {
	payee.Verifier
	Asked *atomic.Int64
	URL   string
	Log   *testutil.Log // of the transport
}

// nowOfBanks returns the time of the clocks of all banks.
func nowOfBanks() time.Time { return time.Date(2026, time.November, 20, 9, 30, 0, 0, time.UTC) }

// AskBanks has payees verified by the simulator, over HTTP.
func AskBanks(t testing.TB) Banks {
	t.Helper()
	b := Banks{Asked: &atomic.Int64{}, Log: &testutil.Log{}}
	other := simulator.New(simulator.Config{Now: nowOfBanks})
	t.Cleanup(other.Close)
	answer := other.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == payee.Path {
			b.Asked.Add(1)
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.URL = server.URL
	b.Verifier = service.NewPayeeBank(service.PayeeBankConfig{
		Address: server.URL, Now: nowOfBanks, NewID: service.NewID, Log: slog.New(slog.NewJSONHandler(b.Log, nil)),
	})
	return b
}
