package simulator_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

const token = "clearing-token"

// arrival is one document the gateway took.
type arrival struct {
	scheme, messageID string
	document          iso20022.Document
	xml               string
}

// gateway is the receiving side of the wire contract: bearer token, message id, 202, 200 for a repeat, 400 for what is not valid.
type gateway struct {
	*httptest.Server
	onArrival func(arrival) // called outside the lock for each new document

	mutex    sync.Mutex
	failures int // answers of 503 still to give
	arrivals []arrival
	repeats  []string // message ids that came again
	refused  []string // message ids of documents that were not valid
	attempts int

	opened atomic.Int64 // connections
}

func startGateway(t *testing.T) *gateway {
	t.Helper()
	g := &gateway{}
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(g.serve))
	g.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			g.opened.Add(1)
		}
	}
	g.Start()
	t.Cleanup(g.Server.Close)
	return g
}

func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	scheme, found := strings.CutPrefix(r.URL.Path, "/clearing/v1/")
	scheme, ending := strings.CutSuffix(scheme, "/messages")
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil || r.Method != http.MethodPost || !found || !ending:
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Header.Get("Authorization") != "Bearer "+token:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.Header.Get("Content-Type") != "application/xml":
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	status, taken := g.take(scheme, r.Header.Get("X-Message-Id"), body)
	if taken != nil && g.onArrival != nil {
		g.onArrival(*taken)
	}
	w.WriteHeader(status)
}

func (g *gateway) take(scheme, messageID string, body []byte) (int, *arrival) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.attempts++
	if g.failures > 0 {
		g.failures--
		return http.StatusServiceUnavailable, nil
	}
	document, findings := codec.DecodeXML(body)
	if len(findings) > 0 {
		g.refused = append(g.refused, messageID)
		return http.StatusBadRequest, nil
	}
	for _, known := range g.arrivals {
		if known.messageID == messageID {
			g.repeats = append(g.repeats, messageID)
			return http.StatusOK, nil
		}
	}
	taken := arrival{scheme, messageID, document, string(body)}
	g.arrivals = append(g.arrivals, taken)
	return http.StatusAccepted, &taken
}

// fail makes the next answers 503.
func (g *gateway) fail(count int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.failures = count
}

func (g *gateway) taken() []arrival {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return append([]arrival(nil), g.arrivals...)
}

func (g *gateway) counts() (repeats, refused, attempts int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return len(g.repeats), len(g.refused), g.attempts
}
