package lookup

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
)

// Decided is a message a person decided: their last decision of it.
type Decided struct {
	MessageID uuid.UUID
	Action    payment.Action
	At        time.Time
	Reason    string
}

// MaxDecided is up to how many messages are counted that a person decided.
const MaxDecided = 200

// DecidedBy lists what a person decided since a time, each message once, newest first: the first so many that come behind one, or from the
// newest on, behind the zero Decided.
func (r *Reader) DecidedBy(
	ctx context.Context, realm string, person uuid.UUID, since time.Time, behind Decided, size int32,
) ([]Decided, error) {
	var list []Decided
	err := r.read(ctx, realm, store.Reading, func(q *dbsqlc.Queries) error {
		rows, err := q.DecidedList(ctx, dbsqlc.DecidedListParams{
			Realm: realm, Person: person, Since: since, BehindAt: column.OrNull(behind.At), BehindID: behind.MessageID, PageSize: size,
		})
		for _, row := range rows {
			list = append(list, Decided{
				MessageID: row.MessageID, Action: payment.Action(row.Action), At: row.DecidedAt.UTC(), Reason: column.Text(row.Reason),
			})
		}
		return err
	})
	return list, err
}
