package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Due lists the messages of one realm whose time has come, except overdue ones, each list limited, and the schemes with work.
type Due struct {
	Expired    []uuid.UUID // pending for longer than their policy lets them
	FallingDue []uuid.UUID // recalls of ours whose answer is late
	ToAnswer   []uuid.UUID // returns and resolutions that answered a received recall, which is not noted yet
	ToConfirm  []Unsettled // accepted incoming payments whose settlement is not confirmed in time
	Schemes    map[rulebook.Scheme]Waiting
}

// Unsettled is an accepted incoming payment whose settlement clearing has not confirmed.
type Unsettled struct {
	ID       uuid.UUID
	GlobalID payment.ID
}

// Waiting is the work of a scheme in a realm.
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
	// ConfirmedBefore is when an accepted incoming payment must have come in to count as one whose confirmation stays out.
	ConfirmedBefore time.Time
	// Held are messages to leave out: they were tried a moment ago, and must not be in the way of others.
	Held     []uuid.UUID
	PageSize int32
}

// held returns the list of Held, never NULL: a comparison with NULL excludes every row.
func (t DueTimes) held() []uuid.UUID { return append([]uuid.UUID{}, t.Held...) }

// Realms returns the names of all realms.
func (s *Messages) Realms(ctx context.Context) ([]string, error) { return s.db.Realms(ctx) }

// Overdue lists the released messages whose time passed without an answer, oldest first.
func (s *Messages) Overdue(ctx context.Context, realm string, at DueTimes) ([]uuid.UUID, error) {
	ids, err := s.db.In(realm, Reading).MessageListOverdue(ctx, dbsqlc.MessageListOverdueParams{
		Realm: realm, AcceptedBefore: at.AcceptedBefore, AcceptedAfter: at.AcceptedAfter, Held: at.held(), PageSize: at.PageSize,
	})
	return ids, wrapped(err, "list the overdue messages")
}

// Scheduled lists the payments whose execution day has come; today is given as midnight UTC.
func (s *Messages) Scheduled(ctx context.Context, realm string, today time.Time, held []uuid.UUID, most int32) ([]uuid.UUID, error) {
	ids, err := s.db.In(realm, Reading).MessageListScheduled(ctx, dbsqlc.MessageListScheduledParams{
		Realm: realm, Today: today, Held: append([]uuid.UUID{}, held...), PageSize: most,
	})
	return ids, wrapped(err, "list what is scheduled")
}

// Renew replaces the connections of the next statements after one stopped answering.
func (s *Messages) Renew() { s.db.Renew() }

// Due lists the due messages of a realm. On an error it also returns the messages found so far.
func (s *Messages) Due(ctx context.Context, realm string, at DueTimes) (Due, error) {
	due := Due{Schemes: make(map[rulebook.Scheme]Waiting)}
	err := s.db.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		var err error
		err = due.ofSchemes(ctx, q, realm, at)
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
		if err != nil {
			return err
		}
		return due.unsettled(ctx, q, realm, at)
	})
	return due, wrapped(err, "list the due messages")
}

func (d *Due) unsettled(ctx context.Context, q *dbsqlc.Queries, realm string, at DueTimes) error {
	rows, err := q.MessageListToConfirm(ctx, realm, at.ConfirmedBefore, at.PageSize)
	for _, row := range rows {
		d.ToConfirm = append(d.ToConfirm, Unsettled{ID: row.MessageID, GlobalID: payment.ID(row.GlobalID)})
	}
	return err
}

func (d *Due) ofSchemes(ctx context.Context, q *dbsqlc.Queries, realm string, at DueTimes) error {
	for _, scheme := range rulebook.Schemes() {
		row, err := q.MessageWaits(ctx, dbsqlc.MessageWaitsParams{
			Realm: realm, Scheme: string(scheme), AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter,
			Due: at.Now, NeverAfter: at.InquireAfter,
		})
		if err != nil {
			return err
		}
		d.Schemes[scheme] = Waiting{Undelivered: row.Undelivered, ToInquire: row.ToInquire}
	}
	return nil
}

// Undelivered lists the messages of a scheme released before a time that clearing does not have, oldest first.
func (s *Messages) Undelivered(ctx context.Context, realm string, scheme rulebook.Scheme, at DueTimes) (ids []uuid.UUID, err error) {
	ids, err = s.db.In(realm, Reading).MessageListUndelivered(ctx, dbsqlc.MessageListUndeliveredParams{
		Realm: realm, Scheme: string(scheme), AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter, Held: at.held(),
		PageSize: at.PageSize,
	})
	return ids, wrapped(err, "list the undelivered messages")
}

// ToInquire lists the unconfirmed messages of a scheme whose next status request is due.
func (s *Messages) ToInquire(ctx context.Context, realm string, scheme rulebook.Scheme, at DueTimes) (ids []uuid.UUID, err error) {
	ids, err = s.db.In(realm, Reading).MessageListToInquire(ctx, dbsqlc.MessageListToInquireParams{
		Realm: realm, Scheme: string(scheme), Due: at.Now, NeverAfter: at.InquireAfter, Held: at.held(), PageSize: at.PageSize,
	})
	return ids, wrapped(err, "list the messages to ask about")
}

// Backlog counts the waiting work of each scheme.
type Backlog struct {
	Scheme      rulebook.Scheme
	Pending     int64     // for approval
	InFlight    int64     // released and without an answer of clearing
	First       time.Time // when the oldest one in flight was released; zero for none
	Unconfirmed int64     // without one in time
	Unanswered  time.Time // when the oldest unconfirmed one was released; zero for none
	Undelivered int64     // released and not with clearing
	Oldest      time.Time // when the oldest undelivered one was released; zero for none
	Answers     int64     // to clearing that it does not have
}

// maxCounted limits each count in each realm.
const maxCounted = 10_000

// Backlog counts the waiting work of each scheme.
func (r *Reader) Backlog(ctx context.Context) ([]Backlog, error) {
	realms, err := r.db.Realms(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Backlog, 0, len(rulebook.Schemes()))
	for _, scheme := range rulebook.Schemes() {
		b := Backlog{Scheme: scheme}
		b.Answers, err = r.db.Outside().BacklogOfAnswers(ctx, string(scheme), maxCounted)
		if err != nil {
			return nil, fmt.Errorf("count the answers that wait: %w", err)
		}
		for _, realm := range realms {
			err = r.addBacklog(ctx, realm, &b)
			if err != nil {
				return nil, err
			}
		}
		all = append(all, b)
	}
	return all, nil
}

func (r *Reader) addBacklog(ctx context.Context, realm string, b *Backlog) error {
	row, err := r.db.In(realm, Reading).BacklogOf(ctx, realm, string(b.Scheme), maxCounted)
	if err != nil {
		return fmt.Errorf("count the waiting messages of %s: %w", realm, err)
	}
	b.Pending += row.Pending
	b.InFlight += row.InFlight
	b.Unconfirmed += row.Unconfirmed
	b.Undelivered += row.Undelivered
	b.Oldest, b.First = earlier(b.Oldest, row.Oldest), earlier(b.First, row.First)
	b.Unanswered = earlier(b.Unanswered, row.Unanswered)
	return nil
}

// earlier returns the earlier of two times. No time is zero for the first and the epoch for the second.
func earlier(known, read time.Time) time.Time {
	if read.Unix() != 0 && (known.IsZero() || read.Before(known)) {
		return read.UTC()
	}
	return known
}
