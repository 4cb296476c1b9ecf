package simulator

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestACallUnderWayIsAnsweredAfterTheStop: a call that began when it is stopped goes on, and is waited for.
func TestACallUnderWayIsAnsweredAfterTheStop(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	begun, release := make(chan struct{}), make(chan struct{})
	go func() {
		ended <- serveUntil(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(begun)
			<-release
			if r.Context().Err() != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
	}()
	answered := make(chan int, 1)
	go func() {
		answer, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answered <- 0
			return
		}
		_ = answer.Body.Close()
		answered <- answer.StatusCode
	}()
	<-begun
	stop()
	select {
	case err := <-ended:
		t.Errorf("the server ends before the call (%v)", err)
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the call under way is answered %d", status)
	}
	if !t.Failed() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
