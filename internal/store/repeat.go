package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Earlier replaces the message in the RepeatError of a step by its state after that step. It returns any other error, and a repeat without
// a step in the history, unchanged.
func (s *Messages) Earlier(ctx context.Context, err error) error {
	var repeat *payment.RepeatError
	if !errors.As(err, &repeat) {
		return err
	}
	m := repeat.Message
	steps, failed := s.db.In(m.Realm, Reading).HistoryList(ctx, m.Realm, []uuid.UUID{m.InternalID})
	if failed != nil {
		return failed
	}
	for _, step := range steps {
		if isTaken(step, repeat.Taken) {
			repeat.Message = m.AsOf(payment.State(step.ToState), int(step.Sequence), step.At.UTC())
			return repeat
		}
	}
	return repeat.Unwrap()
}

// isTaken reports whether the step is the one named.
func isTaken(step dbsqlc.HistoryListRow, taken payment.Taken) bool {
	at := taken.At.IsZero() || step.At.Equal(taken.At)
	return at && payment.Action(step.Action) == taken.Action && int(step.Version) == taken.Version &&
		OrZero(step.ActorPerson) == taken.PersonID && Text(step.Reason) == taken.Reason
}
