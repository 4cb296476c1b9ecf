package clearing

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/lifecycle"
)

// stalledLooks is how many looks in a row may find what is overdue and not move it together in time, before it is moved one by one.
const stalledLooks = 2

// statementsToMove is how many statements move what is overdue: what is read with its decisions, what is written, and what is done by
// itself.
const statementsToMove = 4

// moveOverdue notes of everything that is overdue in a realm that the scheme's time passed without an answer. It returns what the database
// failed with.
func (s *Station) moveOverdue(ctx context.Context, realm string, one *glance) error {
	o := s.overdue.in(realm)
	limited, cancel := context.WithTimeout(ctx, o.patience.of(one))
	ids, err := s.cfg.Due.Overdue(limited, realm, s.dueTimes(s.stuck.held(s.cfg.Now()), watchPage))
	cancel()
	if ctx.Err() == nil && !one.beside {
		o.patience.after(err)
	}
	if err != nil {
		return err
	}
	o.listed()
	together := o.together()
	one.alone = together == 1
	for some := range slices.Chunk(ids, together) {
		err = s.timeOut(ctx, realm, one, some)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !one.beside {
			o.moving.after(err)
		}
		if err != nil && (!one.alone || !errors.Is(err, context.DeadlineExceeded)) {
			break // the next look begins anew; what is slow by itself holds up no other
		}
	}
	o.moved(err)
	return err
}

// together is how many messages are moved by one statement: one, after looks that could not move what they found. What holds up the one
// that is at fault, such as a row that somebody else has locked, then holds up no other.
func (o *overdue) together() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stalled >= stalledLooks {
		return 1
	}
	return lifecycle.MaxTogether
}

// moved notes what came of moving what was found. A connection that broke says nothing of what was moved by it.
func (o *overdue) moved(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stalled++
	if !errors.Is(err, context.DeadlineExceeded) {
		o.stalled = 0
	}
}

// timeOut notes in a look of some messages, or of one alone after looks that stalled, that the scheme's time passed without an answer. One
// that cannot be moved by itself pauses, and is named in the log the first time. The error is about the database, and says nothing of any
// of them.
func (s *Station) timeOut(ctx context.Context, realm string, one *glance, ids []uuid.UUID) error {
	// Statement by statement this may be slow, and a row that somebody else has locked is waited for twice: with all others, and by itself.
	limited, cancel := context.WithTimeout(ctx, statementsToMove*s.overdue.in(realm).moving.of(one))
	defer cancel()
	ends := make([]func(error), len(ids))
	for i, id := range ids {
		_, ends[i] = s.cfg.Traces.Message(limited, id, "time out")
	}
	failed := s.cfg.Due.TransactAll(limited, realm, ids, func(m payment.Message) (payment.Transition, error) {
		return m.TimeOut(s.cfg.AnswerWithin, s.cfg.Now())
	})
	var away error
	for i, err := range failed {
		ends[i](err)
		database := errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown)
		if database || !one.alone && limited.Err() != nil {
			away = cmp.Or(away, err) // no message pauses for a connection that broke, or for all that is slow
			continue
		}
		if s.stuck.attempted(ctx, ids[i], s.cfg.Now(), err) && !moved(err) {
			s.warn(ctx, err, "move a message that is due", "realm", realm, "internalId", ids[i])
		}
	}
	if away != nil && limited.Err() != nil {
		away = errors.Join(away, limited.Err())
	}
	return away
}
