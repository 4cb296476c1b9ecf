package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Decided is a message that a person decided, with the person's last decision of it.
type Decided struct {
	MessageID uuid.UUID
	Action    payment.Action
	At        time.Time
	Reason    string
}

// DecidedBy lists the messages a person decided since a time, each once, newest first: at most size of them after behind, or from the
// newest on for the zero Decided.
func (r *Reader) DecidedBy(
	ctx context.Context, realm string, person uuid.UUID, since time.Time, behind Decided, size int32,
) ([]Decided, error) {
	var list []Decided
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		for more := true; more && len(list) < int(size); {
			rows, err := q.DecidedList(ctx, dbsqlc.DecidedListParams{
				Realm: realm, Person: person, Since: since, BehindAt: OrNull(behind.At), BehindID: behind.MessageID, PageSize: size,
			})
			if err != nil {
				return err
			}
			for _, row := range rows {
				behind = Decided{
					MessageID: row.MessageID, Action: payment.Action(row.Action), At: row.DecidedAt.UTC(), Reason: Text(row.Reason),
				}
				if row.Last {
					list = append(list, behind)
				}
			}
			more = len(rows) == int(size)
		}
		return nil
	})
	return list[:min(len(list), int(size))], err
}

// DecidedCount counts the messages a person decided since a time, up to most, within the newest 1,000 decisions.
func (r *Reader) DecidedCount(ctx context.Context, realm string, person uuid.UUID, since time.Time, most int32) (int, error) {
	var count int64
	err := r.read(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		var err error
		count, err = q.DecidedCount(ctx, dbsqlc.DecidedCountParams{Realm: realm, Person: person, Since: since, Most: most})
		return err
	})
	return int(count), err
}
