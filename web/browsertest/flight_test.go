//go:build long

package browsertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	screenspkg "countersign/tools/gallery/screens"
	"countersign/web"
)

// flightServer serves the gallery; what the page of the payment under way asks is answered with nothing until it has arrived.
func flightServer(t *testing.T, asked *atomic.Int32, arrived *atomic.Bool) (address string) {
	t.Helper()
	exhibits, pages := screenspkg.Exhibits(), screenspkg.Handler()
	news := exhibits[slices.IndexFunc(exhibits, func(e screenspkg.Exhibit) bool { return e.Name == "payment-arrived" })]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", web.PagePolicy)
		if r.URL.Path != "/payments/x/flight" || !arrived.Load() {
			if r.URL.Path == "/payments/x/flight" {
				asked.Add(1)
			}
			pages.ServeHTTP(w, r)
			return
		}
		_ = news.Page.Render(r.Context(), w)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAPaymentUnderWayLeavesItsReaderAlone: while nothing is new the page stays as it is, with the focus and what is open in it; the end
// is read out, and the focus is never lost.
func TestAPaymentUnderWayLeavesItsReaderAlone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var arrived atomic.Bool
	address, p := flightServer(t, &asked, &arrived), visitor(t, desktop)
	p.open(address + "/en/payment-flying")
	for _, act := range []func() error{
		func() error { return p.find("#identifiers summary").Click() }, func() error { return p.find("#look-again").Focus() },
	} {
		if err := act(); err != nil {
			t.Fatal(err)
		}
	}
	p.evaluate(`() => { document.querySelector("#payment").dataset.known = "yes" }`)
	for deadline := time.Now().Add(patience * time.Millisecond); asked.Load() < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the page asked %d times", asked.Load())
		}
	}
	p.counts("#payment[data-known] .flight", 1)
	p.counts("#identifiers[open]", 1)
	p.focused("#look-again")
	arrived.Store(true)
	p.says("#status", "Settled")
	p.says(".payment-states", "Settled")
	p.counts("#payment .flight", 0)
	p.counts("#identifiers[open]", 1)
	p.focused("#payment h1")
}
