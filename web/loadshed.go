package web

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/labstack/echo/v4"

	"countersign/internal/payee"
	"countersign/web/request"
)

// Limits of concurrent requests by route group; Limits.InFlight sets that of the API. Requests above a limit get 503 at once, before any
// work: a queue would delay everybody, also payments that are approved.
const (
	// DefaultInFlight is for calls of the API: many times the concurrent calls at the published throughput.
	DefaultInFlight = 128
	// tokensInFlight is for token calls, which cost more of the machine than any other.
	tokensInFlight = 64
	// documentsInFlight is for documents of clearing, which come again by themselves.
	documentsInFlight = 128
	// questionsInFlight is for banks that ask about payees.
	questionsInFlight = 32
	// eventsInFlight is for calls that read events, most of which wait.
	eventsInFlight = 256
	// pagesInFlight is for pages, but not for their streams.
	pagesInFlight = 64
)

const (
	// minInFlight limits the POST calls while deliveries wait up to twice maxWait: as many as a back office has at
	// a time. Beyond that fewInFlight are.
	minInFlight = 16
	fewInFlight = 4
	// maxWait is the wait of deliveries from which on only minInFlight calls are allowed: with the calls in progress by then, approved
	// payments leave within two seconds.
	maxWait = 400 * time.Millisecond
)

// shedLoad allows fewer concurrent POST calls the longer deliveries wait, so that new payments do not delay approved ones. Reads are always
// served.
func (s *Server) shedLoad(most int) echo.MiddlewareFunc {
	var working atomic.Int64
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Request().Method != http.MethodPost {
				return next(c)
			}
			defer working.Add(-1)
			if working.Add(1) > atATime(most, s.cfg.Wait()) {
				return request.Overloaded()
			}
			return next(c)
		}
	}
}

const (
	// maxQueue limits the calls that wait for a place to so many times the limit; queueWithin limits the wait. A short queue keeps the places
	// taken between the retries of callers.
	maxQueue    = 2
	queueWithin = 250 * time.Millisecond
)

// firstInFlight is the limit of followLatency at the start: low enough that its first samples show the latency without overload.
const firstInFlight = 32

// followLatency limits the concurrent POST calls by their latency. While calls take longer than usual, as more of them only make each
// slower, fewer are taken, down to minInFlight; while they do not, more are, up to most. Calls that were refused without work do not
// count. A call leaves the limit before it waits for the bank of a payee: late banks are no load.
func followLatency(most int) echo.MiddlewareFunc {
	fewest, first := uint(min(minInFlight, most)), uint(min(firstInFlight, most))
	limiter := adaptivelimiter.NewBuilder[any]().WithLimits(fewest, uint(most), first).
		WithMaxLimitFunc(func(int) float64 { return float64(most) }).WithQueueing(1, maxQueue).Build()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Request().Method != http.MethodPost {
				return next(c)
			}
			permit, err := limiter.AcquirePermitWithMaxWait(c.Request().Context(), queueWithin)
			if err != nil {
				return request.Overloaded()
			}
			var end sync.Once
			drop := func() { end.Do(permit.Drop) }
			defer drop()
			c.SetRequest(c.Request().WithContext(payee.BeforeAsking(c.Request().Context(), drop)))
			err = next(c)
			if err == nil || request.TookTooLong(err) {
				end.Do(permit.Record)
			}
			return err
		}
	}
}

// atATime returns the number of concurrent POST calls, at most most, that are allowed while deliveries wait this long.
func atATime(most int, wait time.Duration) int64 {
	if wait > 2*maxWait {
		return fewInFlight
	}
	return max(minInFlight, int64(most)*int64(maxWait-wait)/int64(maxWait))
}

// limitInFlight allows at most most concurrent requests of a route group, without streams.
func (s *Server) limitInFlight(most int) echo.MiddlewareFunc {
	var working atomic.Int64
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if s.streams[c.Path()] {
				return next(c)
			}
			defer working.Add(-1)
			if working.Add(1) > int64(most) {
				return request.Overloaded()
			}
			return next(c)
		}
	}
}
