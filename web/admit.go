package web

import (
	"sync/atomic"

	"github.com/labstack/echo/v4"

	"countersign/web/problem"
)

// What the doors work on at a time; Limits.InFlight sets that of the API. Whoever comes beyond that is asked to come again at once, before
// anything was done for them: a queue would only make everybody wait, those too whose payments are approved.
const (
	// DefaultInFlight is for calls of the API: many times what the published throughput has under way.
	DefaultInFlight = 128
	// tokensInFlight is for token calls, which cost more of the machine than any other.
	tokensInFlight = 64
	// documentsInFlight is for documents of clearing, which come again by themselves.
	documentsInFlight = 128
	// questionsInFlight is for banks that ask about payees.
	questionsInFlight = 32
	// pagesInFlight is for pages, but not for their streams.
	pagesInFlight = 64
)

// admitted lets so many requests of a door work at a time.
func (s *Server) admitted(most int) echo.MiddlewareFunc {
	var working atomic.Int64
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if s.streams[c.Path()] {
				return next(c)
			}
			defer working.Add(-1)
			if working.Add(1) > int64(most) {
				return problem.Overloaded()
			}
			return next(c)
		}
	}
}
