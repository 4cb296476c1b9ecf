package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Due are the messages of one realm that time has something to say about besides those that are overdue, each list bounded, and whether
// the lanes of the schemes have something to do.
type Due struct {
	Expired    []uuid.UUID // pending for longer than their policy lets them
	FallingDue []uuid.UUID // recalls of ours whose answer is late
	ToAnswer   []uuid.UUID // received recalls that were answered, which is not noted yet
	Lanes      map[rulebook.Scheme]Waiting
}

// Waiting is the work of a lane in a realm.
type Waiting struct {
	Undelivered bool // a message released before the given time is not yet with clearing
	ToInquire   bool // one is unconfirmed, and it is time to ask
}

// DueTimes are the times that Due, Overdue, Undelivered and ToInquire compare with.
type DueTimes struct {
	Now            time.Time
	ReleasedBefore time.Time
	AcceptedBefore time.Time // now less the scheme's time
	// AcceptedAfter and InquireAfter are times that nothing was accepted at, or put off to, unless the clock was set back since.
	AcceptedAfter time.Time
	InquireAfter  time.Time
	// Held are messages to leave out: they were tried a moment ago, and must not be in the way of others.
	Held     []uuid.UUID
	PageSize int32
}

// held is never NULL: nothing is different from all elements of that.
func (t DueTimes) held() []uuid.UUID { return append([]uuid.UUID{}, t.Held...) }

// Realms returns the names of all realms.
func (s *Messages) Realms(ctx context.Context) ([]string, error) { return s.db.Realms(ctx) }

// Overdue lists the released messages without an answer after their time, oldest first, in one round trip.
func (s *Messages) Overdue(ctx context.Context, realm string, at DueTimes) ([]uuid.UUID, error) {
	ids, err := s.db.Alone(realm, Reading).MessageListOverdue(ctx, dbsqlc.MessageListOverdueParams{
		Realm: realm, AcceptedBefore: at.AcceptedBefore, AcceptedAfter: at.AcceptedAfter, Held: at.held(), PageSize: at.PageSize,
	})
	if err != nil {
		return nil, fmt.Errorf("list what is overdue: %w", err)
	}
	return ids, nil
}

// Renew replaces the connections of the next statements after one stopped answering.
func (s *Messages) Renew() { s.db.Renew() }

// MaxTogether is the largest batch of TransactAll.
const MaxTogether = 64

// TransactAll is Transact for a timed step of at most MaxTogether messages. It reads them together and writes them by
// one statement without row locks; the guard of the statement refuses messages that changed since. It tries the
// refused ones again by Transact. It returns one error for each message, nil on success.
func (s *Messages) TransactAll(ctx context.Context, realm string, ids []uuid.UUID, decide DecideFunc) []error {
	failed := make([]error, len(ids))
	seen, err := s.readAll(ctx, realm, ids)
	if err != nil {
		return all(failed, err)
	}
	var steps []*step
	var of []int // the place of each step among the messages
	for i, m := range seen {
		failed[i] = ErrAlone
		if m == nil {
			continue
		}
		t, err := decide(*m)
		if err != nil {
			failed[i] = noChange(err)
			continue
		}
		one, err := s.stepOf(t, nil)
		if err == nil {
			steps, of = append(steps, one), append(of, i)
		}
	}
	written, err := s.moveTogether(ctx, realm, steps)
	for at, i := range of {
		switch {
		case err != nil:
			failed[i] = err
		case written[at] != nil:
			failed[i] = nil
			s.stored(steps[at].transition, steps[at].out)
		}
	}
	for i, id := range ids {
		switch {
		case !errors.Is(failed[i], ErrAlone):
		case err != nil: // the connection broke: what is left takes another one, at another time
			failed[i] = err
		default:
			_, failed[i] = s.Transact(ctx, realm, id, decide)
			err = broken(failed[i])
		}
	}
	return failed
}

// broken returns the error if it reports a broken connection, whose result is unknown; else nil.
func broken(err error) error {
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrUnavailable) {
		return err
	}
	return nil
}

// moveTogether writes steps. If the server refuses the statement, no step is confirmed, so each is retried alone and
// gets its own error.
func (s *Messages) moveTogether(ctx context.Context, realm string, steps []*step) ([]*struct{}, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	written := make([]*struct{}, len(steps))
	err := s.db.OneTrip(ctx, realm, Changing, moves(realm, steps, written))
	if err == nil || broken(err) != nil || ctx.Err() != nil {
		return written, err
	}
	return make([]*struct{}, len(steps)), nil
}

// noChange is the error of a decision, if it is one.
func noChange(err error) error {
	if errors.Is(err, ErrNoChange) {
		return nil
	}
	return err
}

func all(failed []error, err error) []error {
	for i := range failed {
		failed[i] = err
	}
	return failed
}

// Due lists the due messages of a realm. On an error it also returns the messages found so far.
func (s *Messages) Due(ctx context.Context, realm string, at DueTimes) (Due, error) {
	due := Due{Lanes: make(map[rulebook.Scheme]Waiting)}
	err := s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		err = due.ofLanes(ctx, q, realm, at)
		if err != nil {
			return err
		}
		due.Expired, err = q.MessageListExpired(ctx, dbsqlc.MessageListExpiredParams{
			Realm: realm, Due: at.Now, Held: at.held(), PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.FallingDue, err = q.MessageListFallingDue(ctx, dbsqlc.MessageListFallingDueParams{
			Realm: realm, Due: at.Now.AddDate(0, 0, -1), Held: at.held(), PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.ToAnswer, err = q.MessageListToAnswer(ctx, realm, at.held(), at.PageSize)
		return err
	})
	if err != nil {
		return due, fmt.Errorf("list what is due: %w", err)
	}
	return due, nil
}

func (d *Due) ofLanes(ctx context.Context, q *dbsqlc.Queries, realm string, at DueTimes) error {
	for _, scheme := range rulebook.Schemes() {
		row, err := q.MessageWaits(ctx, dbsqlc.MessageWaitsParams{
			Realm: realm, Scheme: string(scheme), AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter,
			Due: at.Now, NeverAfter: at.InquireAfter,
		})
		if err != nil {
			return err
		}
		d.Lanes[scheme] = Waiting{Undelivered: row.Undelivered, ToInquire: row.ToInquire}
	}
	return nil
}

// Undelivered lists the messages of a scheme released before a time that clearing does not have, oldest first.
func (s *Messages) Undelivered(ctx context.Context, realm string, scheme rulebook.Scheme, at DueTimes) (ids []uuid.UUID, err error) {
	err = s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		ids, err = q.MessageListUndelivered(ctx, dbsqlc.MessageListUndeliveredParams{
			Realm: realm, Scheme: string(scheme), AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter, Held: at.held(),
			PageSize: at.PageSize,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what clearing does not have: %w", err)
	}
	return ids, nil
}

// ToInquire lists the unconfirmed messages of a scheme that it is time to ask about.
func (s *Messages) ToInquire(ctx context.Context, realm string, scheme rulebook.Scheme, at DueTimes) (ids []uuid.UUID, err error) {
	err = s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		ids, err = q.MessageListToInquire(ctx, dbsqlc.MessageListToInquireParams{
			Realm: realm, Scheme: string(scheme), Due: at.Now, NeverAfter: at.InquireAfter, Held: at.held(), PageSize: at.PageSize,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what to ask about: %w", err)
	}
	return ids, nil
}
