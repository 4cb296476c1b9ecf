package clearing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
)

const (
	// scanTimeout limits the list of overdue messages, and each batch of their transitions. It is longer than the two lock time-outs that a
	// locked row costs: once in the batch, once alone.
	scanTimeout = 1500 * time.Millisecond
	// retryTimeout is the same limit for the retry on a fresh connection, and leaves time for a slow database.
	retryTimeout = 3 * time.Second
	// maxScans bounds the attempts of a scan whose connection breaks. A scan without a reply has two.
	maxScans = 5
)

// scanAll starts the scan for overdue messages in every realm in which none runs.
func (s *Service) scanAll(ctx context.Context, group *sync.WaitGroup) {
	for _, realm := range s.realms() {
		s.scanning.start(group, realm, func() { s.scan(ctx, realm) })
	}
}

// scan moves the overdue messages of a realm. It retries on a fresh connection: once without a reply, because a half-open connection
// returns no error of its own, and a few times after connections that broke, because the next scan comes only half a second later.
func (s *Service) scan(ctx context.Context, realm string) {
	var err error
	timeout := scanTimeout
	for attempt := range maxScans {
		err = s.moveOverdue(ctx, realm, timeout)
		if err == nil || ctx.Err() != nil {
			break
		}
		s.cfg.Due.Renew()
		if attempt > 0 && errors.Is(err, context.DeadlineExceeded) {
			break
		}
		timeout = retryTimeout
	}
	s.logOnce(ctx, err, "scan for overdue messages", "realm", realm)
}

// moveOverdue lists the overdue messages of a realm and makes them Unconfirmed. It returns errors of the database only.
func (s *Service) moveOverdue(ctx context.Context, realm string, timeout time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	ids, err := s.cfg.Due.Overdue(limited, realm, s.dueTimes(s.clock.ids(realm), pollPage))
	cancel()
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(ids, store.MaxTogether) {
		err = s.timeOut(ctx, realm, batch, timeout)
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

// timeOut makes a batch of messages Unconfirmed. A message with an error of its own is offered to the clock, which tries it alone. No
// message is tried alone after an error of the database, which timeOut returns.
func (s *Service) timeOut(ctx context.Context, realm string, ids []uuid.UUID, timeout time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ends := make([]func(error), len(ids))
	for i, id := range ids {
		_, ends[i] = s.cfg.Traces.Message(limited, id, "time out")
	}
	decide := func(m payment.Message) (payment.Transition, error) { return m.TimeOut(AnswerWithin, s.cfg.Now()) }
	var databaseErr error
	for i, err := range s.cfg.Due.TransactAll(limited, realm, ids, decide) {
		ends[i](err)
		switch {
		case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknown), errors.Is(err, context.DeadlineExceeded):
			databaseErr = cmp.Or(databaseErr, err)
		case ignoreMoved(err) != nil:
			s.offerMoves(realm, ids[i:i+1], decide)
		}
	}
	return databaseErr
}
