package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/web/request"
)

// TestGoodputHoldsUnderOverload: a server does four calls at a time, and an answer that comes later than patience is worth nothing. Five
// hundred clients get nearly as many useful answers as thirty-two; the rest is refused at once.
func TestGoodputHoldsUnderOverload(t *testing.T) {
	t.Parallel()
	const patience, within = 300 * time.Millisecond, 4 * time.Second
	places := make(chan struct{}, 4)
	limited := followLatency(DefaultInFlight)(func(echo.Context) error {
		places <- struct{}{}
		time.Sleep(5 * time.Millisecond)
		<-places
		return nil
	})
	routes := echo.New()
	play := func(clients int) (useful, refused int64) {
		var good, over atomic.Int64
		var all sync.WaitGroup
		for end := time.Now().Add(within); clients > 0; clients-- {
			all.Go(func() {
				for time.Now().Before(end) {
					began := time.Now()
					err := limited(routes.NewContext(httptest.NewRequest(http.MethodPost, "/", http.NoBody), httptest.NewRecorder()))
					var problem *request.Problem
					switch {
					case err == nil && time.Since(began) < patience:
						good.Add(1)
					case errors.As(err, &problem) && problem.Status == http.StatusServiceUnavailable && problem.RetryAfter > 0:
						over.Add(1)
						time.Sleep(problem.RetryAfter)
					}
				}
			})
		}
		all.Wait()
		return good.Load(), over.Load()
	}
	few, _ := play(32)
	many, refused := play(500)
	t.Logf("32 clients: %d useful answers; 500 clients: %d, and %d refusals", few, many, refused)
	if many*10 < few*8 || refused == 0 {
		t.Errorf("500 clients get %d useful answers, 32 got %d; %d were refused", many, few, refused)
	}
}
