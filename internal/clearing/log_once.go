package clearing

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// complaints remembers the repeated tasks that failed last time, so that a failure is logged once, until the task succeeds.
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

// logOnce logs the first failure of a repeated task. A nil error resets it.
func (s *Service) logOnce(ctx context.Context, err error, doing string, with ...any) {
	if err != nil && unlogged(ctx, err) {
		return
	}
	if s.complaints.first(doing+fmt.Sprint(with...), err) {
		s.warn(ctx, err, doing, with...)
	}
}

// warn logs a failure.
func (s *Service) warn(ctx context.Context, err error, doing string, with ...any) {
	if !unlogged(ctx, err) {
		s.cfg.Log.WarnContext(ctx, doing, append(with, "error", err.Error())...)
	}
}

// unlogged reports whether an error is not logged here: the program ends, or the database is away, which the store itself logs once.
func unlogged(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, store.ErrUnavailable)
}

// notAccepted handles a message that clearing refuses. After a restore from a backup clearing may have it as another document under its id.
// When two administrators confirmed that, it returns nil: the message counts as delivered, and clearing's answer to the status request
// decides. Otherwise it returns the given error.
func (s *Service) notAccepted(ctx context.Context, m payment.Message, refused error) error {
	said, err := s.cfg.Taken(ctx, m.Realm, m.InternalID)
	if err != nil {
		return errors.Join(refused, err)
	}
	if said {
		s.cfg.Log.WarnContext(ctx, "clearing has the message as another document, as two administrators confirmed: its state is asked",
			"realm", m.Realm, "internalId", m.InternalID, "globalId", m.GlobalID)
		return nil
	}
	if errors.Is(refused, ErrOtherDocument) {
		s.alarmOnce(ctx, "other "+m.InternalID.String(), "clearing has another document under the id of this message: after a restore, see "+
			"\"After a restore\" in docs/operations.md", "realm", m.Realm, "internalId", m.InternalID, "globalId", m.GlobalID)
	}
	return refused
}
