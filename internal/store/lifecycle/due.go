package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Due are the messages that time has something to say about, of one realm, each list oldest first and bounded.
type Due struct {
	Undelivered []uuid.UUID // released before the given time, not yet with clearing
	Overdue     []uuid.UUID // with clearing for longer than its time
	ToInquire   []uuid.UUID // unconfirmed, and it is time to ask
	Expired     []uuid.UUID // pending for longer than their policy lets them
	FallingDue  []uuid.UUID // recalls of ours whose answer is late
	ToAnswer    []uuid.UUID // received recalls that were answered, which is not noted yet
}

// DueTimes are the times Due compares with.
type DueTimes struct {
	Now            time.Time
	ReleasedBefore time.Time
	AcceptedBefore time.Time // now less the scheme's time
	// AcceptedAfter and InquireAfter are times that nothing was accepted at, or put off to, unless the clock was set back since.
	AcceptedAfter time.Time
	InquireAfter  time.Time
	PageSize      int32
}

// Realms returns the names of all realms.
func (s *Messages) Realms(ctx context.Context) ([]string, error) { return s.db.Realms(ctx) }

// Due lists what is due in a realm.
func (s *Messages) Due(ctx context.Context, realm string, at DueTimes) (Due, error) {
	var due Due
	err := s.db.InRealm(ctx, realm, store.Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		var err error
		due.Undelivered, err = q.MessageListUndelivered(ctx, dbsqlc.MessageListUndeliveredParams{
			Realm: realm, AcceptedBefore: at.ReleasedBefore, AcceptedAfter: at.AcceptedAfter, PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.Overdue, err = q.MessageListOverdue(ctx, dbsqlc.MessageListOverdueParams{
			Realm: realm, AcceptedBefore: at.AcceptedBefore, AcceptedAfter: at.AcceptedAfter, PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.ToInquire, err = q.MessageListToInquire(ctx, dbsqlc.MessageListToInquireParams{
			Realm: realm, Due: at.Now, NeverAfter: at.InquireAfter, PageSize: at.PageSize,
		})
		if err != nil {
			return err
		}
		due.Expired, err = q.MessageListExpired(ctx, realm, at.Now, at.PageSize)
		if err != nil {
			return err
		}
		due.FallingDue, err = q.MessageListFallingDue(ctx, realm, at.Now.AddDate(0, 0, -1), at.PageSize)
		if err != nil {
			return err
		}
		due.ToAnswer, err = q.MessageListToAnswer(ctx, realm, at.PageSize)
		return err
	})
	if err != nil {
		return Due{}, fmt.Errorf("list what is due: %w", err)
	}
	return due, nil
}
