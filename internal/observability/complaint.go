package observability

import (
	"log/slog"

	"golang.org/x/time/rate"
)

// complaints tells the log what goes wrong with the collector, now and then.
type complaints struct {
	log  *slog.Logger
	line rate.Sometimes
}

// Handle takes an error of the library.
func (c *complaints) Handle(err error) {
	c.line.Do(func() { c.log.Warn("traces do not reach their collector", "error", err.Error()) })
}
