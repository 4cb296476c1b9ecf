package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// write is an item of the write batch: a new message, or a step of a message.
type write struct {
	created *dbsqlc.MessageInsertParams // of one message
	step    *step
	// after runs after the commit, even if the caller gave up: otherwise a release would wait seconds for the next poll.
	after func()
}

// writeBatch writes new messages and steps in one transaction over the connections of db, by one statement each; a second step of a
// message, such as the answer to a delivery, takes a further statement. It reports for each item whether it was written; none is when the
// server refuses the batch, so one bad item never fails another. The callers of unwritten items try again in a transaction of their own,
// which locks the message and returns the exact error.
func (s *Messages) writeBatch(ctx context.Context, db *Database, mode Mode, realm string, items []write) ([]bool, error) {
	var created []*dbsqlc.MessageInsertParams
	var steps []*step
	for _, item := range items {
		if item.created != nil {
			created = append(created, item.created)
		} else {
			steps = append(steps, item.step)
		}
	}
	var stored []uuid.UUID
	moved := make(map[*step]bool, len(steps))
	err := db.InRealm(ctx, realm, mode, func(q *dbsqlc.Queries) error {
		var err error
		if len(created) > 0 {
			stored, err = q.MessageInsert(ctx, merge(created))
		}
		for first, later := eachOnce(steps); err == nil && len(first) > 0; first, later = eachOnce(later) {
			var events []uuid.UUID
			events, err = q.MessageMove(ctx, moves(first))
			for _, one := range first {
				moved[one] = slices.Contains(events, one.id())
			}
		}
		return err
	})
	written := make([]bool, len(items))
	if err != nil {
		return written, broken(ctx, err)
	}
	for i, item := range items {
		written[i] = moved[item.step] || item.created != nil && slices.Contains(stored, item.created.MessageIds[0])
		if written[i] {
			item.after()
		}
	}
	return written, nil
}

// broken returns the error if the connection broke or the time is over; nil if the server refused the statement.
func broken(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrUnavailable):
		return err
	case err != nil && ctx.Err() != nil:
		return errors.Join(ErrUnavailable, err)
	}
	return nil
}

// step is a transition with its columns and documents, prepared before it is queued, so that others do not wait for them.
type step struct {
	transition payment.Transition
	values     dbsqlc.MessageMoveParams // of one step
	out        *Outgoing                // what it releases; nil for nothing
}

func (s *step) id() uuid.UUID { return s.values.EventIds[0] }

func (s *step) message() []byte { return s.values.MessageIds[0][:] }

// batchable reports whether a write batch can hold a transition: neither a new version nor one that uses limits.
func batchable(t payment.Transition) bool {
	return t.Valid() && t.Version() == nil && len(t.LimitUses()) == 0
}

// stepOf makes the step of a batchable transition, with the document that caused it; nil for none.
func (s *Messages) stepOf(t payment.Transition, brought *Document) (*step, error) {
	one := &step{transition: t, values: s.moveParams(t), out: released(t)}
	if one.out != nil {
		s.carry(one)
	}
	if brought != nil {
		addDocument(&one.values, s.received(*brought))
	}
	if out, ends := t.Report(); ends {
		content, err := codec.EncodeXML(out.Document())
		if err != nil {
			return nil, err
		}
		addDocument(&one.values, s.documents.row(outboundDocument(out, content, t.At())))
	}
	return one, nil
}

// move writes a transition, and the document that caused it, in a batch. It calls queued once a later move of the message is written after
// this one. It reports false for a transition that must be decided again under the lock. Errors: as Batcher.Do.
func (s *Messages) move(ctx context.Context, t payment.Transition, brought *Document, queued func()) (bool, error) {
	if !batchable(t) {
		return false, nil
	}
	one, err := s.stepOf(t, brought)
	if err != nil {
		return false, nil //nolint:nilerr // the locked path returns the error
	}
	return s.writing.Do(ctx, t.Message().Realm, write{step: one, after: func() { s.stored(t, one.out) }}, queued)
}

// TransactFrom is Transact for a message whose state this process just stored or read. It decides without a lock and
// does not read the message. Steps of many messages are batched, and the guard of the UPDATE refuses a message that
// changed since. Transact decides the refused ones. Before it waits for the batch it calls queued with the message as
// the step leaves it: a step from there is written after this one. Errors: as Transact.
func (s *Messages) TransactFrom(ctx context.Context, seen payment.Message, decide DecideFunc, queued func(payment.Message)) error {
	t, err := decide(seen)
	if err == nil {
		written, err := s.move(ctx, t, nil, func() { queued(t.After()) })
		if err != nil || written {
			return err
		}
	}
	_, err = s.Transact(ctx, seen.Realm, seen.InternalID, decide)
	return err
}

// MaxTogether is the largest batch of TransactAll.
const MaxTogether = MaxBatch

// TransactAll is Transact for a timed step of at most MaxTogether messages. It reads them together and writes them by
// one statement without row locks; the guard of the statement refuses messages that changed since. It tries the
// refused ones again by Transact. It returns one error for each message, nil on success.
func (s *Messages) TransactAll(ctx context.Context, realm string, ids []uuid.UUID, decide DecideFunc) []error {
	failed := make([]error, len(ids))
	seen, err := s.readBatch(ctx, s.db, Keyed, realm, ids)
	if err != nil {
		return slices.Repeat([]error{err}, len(ids))
	}
	var items []write
	var of []int // the index of the message of each item
	locked := make([]bool, len(ids))
	for i, m := range seen {
		locked[i] = true
		if m == nil {
			continue
		}
		t, err := decide(*m)
		if err != nil {
			locked[i], failed[i] = false, noChange(err)
			continue
		}
		if !batchable(t) {
			continue
		}
		one, err := s.stepOf(t, nil)
		if err == nil {
			items, of = append(items, write{step: one, after: func() { s.stored(t, one.out) }}), append(of, i)
		}
	}
	if len(items) > 0 {
		var written []bool
		written, err = s.writeBatch(ctx, s.db, Keyed, realm, items)
		for at, i := range of {
			locked[i], failed[i] = !written[at] && err == nil, err
		}
	}
	for i, id := range ids {
		switch {
		case !locked[i]:
		case err != nil: // the connection broke: the rest is tried at another time
			failed[i] = err
		default:
			_, failed[i] = s.Transact(ctx, realm, id, decide)
			err = broken(ctx, failed[i])
		}
	}
	return failed
}

// noChange drops ErrNoChange, which is no failure of a decision.
func noChange(err error) error {
	if errors.Is(err, ErrNoChange) {
		return nil
	}
	return err
}

// eachOnce returns the first step of each message, and the later ones.
func eachOnce(steps []*step) (first, later []*step) {
	seen := make(map[uuid.UUID]bool, len(steps))
	for _, one := range steps {
		if id := one.values.MessageIds[0]; !seen[id] {
			seen[id] = true
			first = append(first, one)
		} else {
			later = append(later, one)
		}
	}
	return first, later
}

// moves returns the values of the statement that writes steps of different messages. They are ordered by message, so
// transactions that lock the same messages do not deadlock.
func moves(steps []*step) dbsqlc.MessageMoveParams {
	slices.SortFunc(steps, func(a, b *step) int { return bytes.Compare(a.message(), b.message()) })
	values := make([]*dbsqlc.MessageMoveParams, len(steps))
	for i, one := range steps {
		values[i] = &one.values
	}
	return merge(values)
}
