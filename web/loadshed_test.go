//go:build long

package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/web/request"
)

// TestGoodputHoldsUnderOverload: a server does four calls at a time, and an answer that comes later than patience is worth nothing. In turns,
// five hundred clients get at least 80 % of the useful answers of thirty-two; 99 of 100 refusals come within twice the longest wait.
func TestGoodputHoldsUnderOverload(t *testing.T) {
	t.Parallel()
	const patience, within, rounds = 300 * time.Millisecond, 1500 * time.Millisecond, 3
	places := make(chan struct{}, 4)
	limited := followLatency(DefaultInFlight)(func(echo.Context) error {
		places <- struct{}{}
		time.Sleep(5 * time.Millisecond)
		<-places
		return nil
	})
	routes := echo.New()
	var mu sync.Mutex
	var refused []time.Duration // how long each refusal took
	play := func(clients int) int64 {
		var good atomic.Int64
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
						mu.Lock()
						refused = append(refused, time.Since(began))
						mu.Unlock()
						time.Sleep(problem.RetryAfter)
					}
				}
			})
		}
		all.Wait()
		return good.Load()
	}
	useful := map[int]int64{}
	for range rounds {
		for _, clients := range []int{8, 32, 500} {
			useful[clients] += play(clients)
		}
	}
	if len(refused) == 0 {
		t.Fatal("500 clients are served at once")
	}
	slices.Sort(refused)
	half, late := refused[len(refused)/2], refused[len(refused)*99/100]
	t.Logf("useful answers to 8 clients / to 32: %.2f; to 500 / to 32: %.2f; %d refusals, half within %s, 99 of 100 within %s",
		float64(useful[8])/float64(useful[32]), float64(useful[500])/float64(useful[32]), len(refused), half, late)
	if useful[500]*10 < useful[32]*8 || late > 2*queueWithin {
		t.Errorf("500 clients get %d useful answers, 32 got %d; 99 of 100 refusals come within %s", useful[500], useful[32], late)
	}
}
