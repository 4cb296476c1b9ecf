package clearing

import (
	"context"
	"errors"
	"fmt"

	"countersign/internal/payment"
	"countersign/internal/store"
)

// logOnce logs the first failure of a repeated task. A nil error resets it.
func (s *Service) logOnce(ctx context.Context, err error, doing string, with ...any) {
	task := doing + fmt.Sprint(with...)
	if err == nil {
		s.complaints.Delete(task)
		return
	}
	if unlogged(ctx, err) {
		return
	}
	if _, told := s.complaints.LoadOrStore(task, true); !told {
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
