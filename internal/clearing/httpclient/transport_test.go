package httpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/clearing"
	transport "countersign/internal/clearing/httpclient"
	"countersign/internal/rulebook"
)

// TestARefusalOfADocumentIsToldFromAClearingThatIsAway: only what is about the one document lets the others go on as before.
func TestARefusalOfADocumentIsToldFromAClearingThatIsAway(t *testing.T) {
	t.Parallel()
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	way := transport.New(map[rulebook.Scheme]string{rulebook.SchemeSIC: server.URL}, nil)
	for answered, notTaken := range map[int]bool{
		400: true, 409: true, 413: true, 415: true, 422: true, 301: false, 401: false, 403: false, 404: false, 408: false, 429: false, 500: false,
		503: false,
	} {
		status = answered
		err := way.Deliver(t.Context(), rulebook.SchemeSIC, "R", []byte("<Document/>"))
		if err == nil || errors.Is(err, clearing.ErrNotAccepted) != notTaken {
			t.Errorf("%d: %v", answered, err)
		}
	}
	status = http.StatusAccepted
	err := way.Deliver(t.Context(), rulebook.SchemeSIC, "R", []byte("<Document/>"))
	if err != nil {
		t.Error(err)
	}
}

// TestABodyWithoutEndIsNotWaitedFor: what stands behind the status counts for nothing, and who sends it slowly holds up nothing.
func TestABodyWithoutEndIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for status, taken := range map[int]bool{http.StatusOK: true, http.StatusServiceUnavailable: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("."))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}))
		t.Cleanup(server.Close)
		way := transport.New(map[rulebook.Scheme]string{rulebook.SchemeSIC: server.URL}, nil)
		patient, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := way.Deliver(patient, rulebook.SchemeSIC, "R", []byte("<Document/>"))
		if (err == nil) != taken || patient.Err() != nil {
			t.Errorf("%d: %v, %v", status, err, patient.Err())
		}
	}
}

// TestADeliveryGoesToItsAddressAlone: a clearing that sends it elsewhere has not taken it, and nobody else gets it.
func TestADeliveryGoesToItsAddressAlone(t *testing.T) {
	t.Parallel()
	var strayed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	status := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, status) }))
	t.Cleanup(server.Close)
	way := transport.New(map[rulebook.Scheme]string{rulebook.SchemeSIC: server.URL}, nil)
	for _, status = range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		err := way.Deliver(t.Context(), rulebook.SchemeSIC, "R", []byte("<Document/>"))
		if err == nil || strayed.Load() > 0 {
			t.Errorf("%d: %v, and %d documents went elsewhere", status, err, strayed.Load())
		}
	}
}

// TestASchemeThatHangsLeavesTheOtherItsConnections: both have one host, and more documents wait for an answer of one than a host has
// connections.
func TestASchemeThatHangsLeavesTheOtherItsConnections(t *testing.T) {
	t.Parallel()
	const waiting = 150 // above MaxConnsPerHost
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, string(rulebook.SchemeSCT)) {
			<-release
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	way := transport.New(map[rulebook.Scheme]string{
		rulebook.SchemeSIC: server.URL + "/" + string(rulebook.SchemeSIC), rulebook.SchemeSCT: server.URL + "/" + string(rulebook.SchemeSCT),
	}, nil)
	hanging, end := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range waiting {
		group.Go(func() { _ = way.Deliver(hanging, rulebook.SchemeSCT, "R", nil) })
	}
	t.Cleanup(func() { end(); group.Wait() })
	t.Cleanup(func() { close(release) })
	time.Sleep(100 * time.Millisecond) // most of them are on their way; none ends
	patient, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := way.Deliver(patient, rulebook.SchemeSIC, "R", nil)
	if err != nil {
		t.Errorf("the other scheme: %v", err)
	}
}
