package clearing

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"countersign/internal/store"
)

// complaints remember what of that which is done at every look failed the last time, so that it is told once, until it succeeds.
type complaints struct {
	mu   sync.Mutex
	told map[string]bool
}

// first reports whether to log an error: the first one after a success.
func (c *complaints) first(what string, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.told, what)
		return false
	}
	if c.told == nil {
		c.told = make(map[string]bool)
	}
	told := c.told[what]
	c.told[what] = true
	return !told
}

// logOnce tells the log what something that is done at every look failed with, the first time after it did not. With nil it did not.
func (s *Service) logOnce(ctx context.Context, err error, doing string, with ...any) {
	if err != nil && unlogged(ctx, err) {
		return
	}
	if s.complaints.first(doing+fmt.Sprint(with...), err) {
		s.warn(ctx, err, doing, with...)
	}
}

// warn tells the log what failed.
func (s *Service) warn(ctx context.Context, err error, doing string, with ...any) {
	if !unlogged(ctx, err) {
		s.cfg.Log.WarnContext(ctx, doing, append(with, "error", err.Error())...)
	}
}

// unlogged reports whether an error is not logged here: the program ends, or the database is away, which the store itself logs once.
func unlogged(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, store.ErrUnavailable)
}
