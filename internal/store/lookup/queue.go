package lookup

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/internal/column"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/store/internal/load"
)

// QueueFilter narrows the list of pending messages; a zero field does not.
type QueueFilter struct {
	After         uuid.UUID // only younger ones: the last key of the page before
	Kind          string
	Scheme        string
	MakerLogin    string
	AmountFrom    int64     // minor units
	AmountTo      int64     // minor units
	Search        string    // part of a creditor's name or account, an end-to-end id or a Global ID
	ExcludePerson uuid.UUID // without what this person made, edited or approved
	OnlyPerson    uuid.UUID // only what this person made or edited
	PageSize      int32
}

// Queue lists pending messages, oldest first, without content and decisions.
func (r *Reader) Queue(ctx context.Context, realm string, f QueueFilter) ([]payment.Message, error) {
	var list []payment.Message
	err := r.read(ctx, realm, store.Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.QueueList(ctx, dbsqlc.QueueListParams{
			Realm: realm, After: column.OrNull(f.After), Kind: column.OrNull(f.Kind), Scheme: column.OrNull(f.Scheme), MakerLogin: column.OrNull(f.MakerLogin),
			AmountFrom: column.OrNull(f.AmountFrom), AmountTo: column.OrNull(f.AmountTo), Search: column.OrNull(f.Search), ExcludePerson: column.OrNull(f.ExcludePerson), OnlyPerson: column.OrNull(f.OnlyPerson),
			PageSize: f.PageSize,
		})
		if err != nil {
			return fmt.Errorf("list the queue: %w", err)
		}
		for _, row := range rows {
			list = append(list, load.Listed(r.db.Seal(), row))
		}
		return nil
	})
	return list, err
}

// PendingTotals counts the pending messages per currency, without those the person made, edited or approved; a zero person excludes none.
// It counts the oldest, at most so many: a count of that size means "this many or more".
func (r *Reader) PendingTotals(ctx context.Context, realm string, exclude uuid.UUID, most int32) ([]Total, error) {
	var totals []Total
	err := r.read(ctx, realm, store.Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.QueueCount(ctx, realm, column.OrNull(exclude), most)
		if err != nil {
			return fmt.Errorf("count the queue: %w", err)
		}
		for _, row := range rows {
			// Of a currency nobody knows only the count is told: such a message is withheld.
			amount, _ := money.FromMinor(money.Currency(row.Currency), row.Total)
			totals = append(totals, Total{Amount: amount, Count: row.Waiting, Oldest: row.Oldest.UTC()})
		}
		return nil
	})
	return totals, err
}

// Decided is a decision a person made.
type Decided struct {
	MessageID uuid.UUID
	Action    payment.Action
	At        time.Time
	Reason    string
}

// DecidedBy lists what a person decided since a time, newest first.
func (r *Reader) DecidedBy(ctx context.Context, realm string, person uuid.UUID, since time.Time) ([]Decided, error) {
	var list []Decided
	err := r.read(ctx, realm, store.Reading, func(q *dbsqlc.Queries) error {
		rows, err := q.DecidedList(ctx, dbsqlc.DecidedListParams{Realm: realm, Person: person, Since: since, PageSize: 200})
		for _, row := range rows {
			list = append(list, Decided{
				MessageID: row.MessageID, Action: payment.Action(row.Action), At: row.DecidedAt.UTC(), Reason: column.Text(row.Reason),
			})
		}
		return err
	})
	return list, err
}

// EnteredSince counts the messages that entered a state since a time.
func (r *Reader) EnteredSince(ctx context.Context, realm string, since time.Time, states ...payment.State) (map[payment.State]int64, error) {
	counts := make(map[payment.State]int64, len(states))
	err := r.read(ctx, realm, store.Searching, func(q *dbsqlc.Queries) error {
		names := make([]string, len(states))
		for i, s := range states {
			names[i] = string(s)
		}
		rows, err := q.DayCount(ctx, realm, since, names)
		for _, row := range rows {
			counts[payment.State(row.ToState)] = row.Entered
		}
		return err
	})
	return counts, err
}
