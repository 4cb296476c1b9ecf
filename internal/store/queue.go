package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Sort is the order of the list of pending messages.
type Sort string

// The orders. Amounts are compared as numbers, independent of currency; messages that never expire come last.
const (
	SortOldest   Sort = ""
	SortNewest   Sort = "newest"
	SortLargest  Sort = "largest"
	SortSmallest Sort = "smallest"
	SortExpiry   Sort = "expiry"
)

// Place is the start of a page of the list: after this message, which had this amount and expiry.
type Place struct {
	MessageID uuid.UUID
	Minor     int64
	ExpiresAt time.Time // zero for never
}

// Checker selects the pending messages that a person may decide: without those this person made, edited or approved, and made since the
// person became a checker. The zero Checker selects all.
type Checker struct {
	Person uuid.UUID
	Since  time.Time
}

// QueueFilter narrows the list of pending messages; a zero field does not.
type QueueFilter struct {
	Sort          Sort
	After         Place // only what comes later in the order
	CreatedFrom   time.Time
	CreatedBefore time.Time
	ExpiresBefore time.Time
	Amended       bool // changed after its submission
	Begun         bool // with an approval, and in need of more
	// Payees are results of the verification of the payee; nil for any.
	Payees     []payee.Result
	Kind       string
	Scheme     string
	MakerLogin string
	AmountFrom int64 // minor units
	AmountTo   int64 // minor units
	Search     Search
	Checker    Checker   // only what this person may decide
	OnlyPerson uuid.UUID // only what this person made or edited
	PageSize   int32

	keys      []uuid.UUID // only these; nil for all
	makerUser uuid.UUID   // the account behind MakerLogin
	meant     bool        // keys and makerUser are looked up
}

const (
	// oldest is the number of longest waiting messages that a text is compared with.
	oldest = 500
	// common is the number of matches among them from which a text is too common to be searched among the others.
	common = 10
)

// found finds the account of the maker, and the pending messages that match a text. It searches the oldest of the given kind, scheme and
// time; if few match, all messages with the words if the words are rare in the realm, else the newest of the realm.
func (f QueueFilter) found(w where) (QueueFilter, error) {
	if f.meant {
		return f, nil
	}
	f.meant = true
	if f.MakerLogin != "" {
		maker, known, err := w.makerOf(Filter{MakerLogin: f.MakerLogin})
		if err != nil {
			return f, fmt.Errorf("find a maker: %w", err)
		}
		if !known {
			f.keys = []uuid.UUID{} // nobody's
			return f, nil
		}
		f.makerUser = maker
	}
	if !f.Search.set() {
		return f, nil
	}
	keys, err := w.q.QueueOldest(w.ctx, dbsqlc.QueueOldestParams{
		Realm: w.realm, Kind: OrNull(f.Kind), Scheme: OrNull(f.Scheme), CreatedFrom: OrNull(f.CreatedFrom),
		CreatedBefore: OrNull(f.CreatedBefore), Most: oldest,
	})
	if err != nil {
		return f, fmt.Errorf("scan for waiting answers longest: %w", err)
	}
	more := len(keys) == oldest
	f.keys, err = w.fitting(f.Search, append([]uuid.UUID{}, keys...))
	asked := Query(w.realm, cmp.Or(f.Search.Name, f.Search.Text), f.Search.Compact)
	if err != nil || !more || asked == "" || len(f.keys) >= common {
		return f, err
	}
	worded, err := w.worded(asked, last)
	if err != nil {
		return f, fmt.Errorf("look for words: %w", err)
	}
	worded.keys, err = w.fitting(f.Search, worded.keys)
	f.keys = append(f.keys, worded.keys...)
	return f, err
}

// Meant looks up the maker and the text of a filter once, for Queue and QueueKeys. Fields that only these read (orders, places, persons)
// may be changed in the filter afterwards.
func (r *Reader) Meant(ctx context.Context, realm string, f QueueFilter) (QueueFilter, error) {
	if f.MakerLogin == "" && !f.Search.set() {
		return f, nil
	}
	meant := f
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) (err error) {
		meant, err = f.found(where{ctx: ctx, q: q, realm: realm})
		return err
	})
	return meant, err
}

// Queue lists pending messages in the order of the filter, without content and decisions.
func (r *Reader) Queue(ctx context.Context, realm string, f QueueFilter) ([]payment.Message, error) {
	var list []payment.Message
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		f, err := f.found(where{ctx: ctx, q: q, realm: realm})
		if err != nil {
			return err
		}
		rows, err := q.QueueList(ctx, f.params(realm))
		if err != nil {
			return fmt.Errorf("list the queue: %w", err)
		}
		for _, row := range rows {
			list = append(list, ListedMessage(r.db.Seal(), r.db.names(realm), row))
		}
		return nil
	})
	return list, err
}

func (f QueueFilter) params(realm string) dbsqlc.QueueListParams {
	from := f.CreatedFrom
	if f.Checker.Since.After(from) {
		from = f.Checker.Since
	}
	return dbsqlc.QueueListParams{
		Realm: realm, Sort: string(f.Sort), After: OrNull(f.After.MessageID), AfterKey: f.After.Minor,
		AfterEnd:    OrNull(f.After.ExpiresAt),
		CreatedFrom: OrNull(from), CreatedBefore: OrNull(f.CreatedBefore),
		ExpiresBefore: OrNull(f.ExpiresBefore), Amended: f.Amended, Begun: f.Begun, Payees: names(f.Payees),
		Kind: OrNull(f.Kind), Scheme: OrNull(f.Scheme),
		MakerUser: OrNull(f.makerUser), AmountFrom: OrNull(f.AmountFrom), AmountTo: OrNull(f.AmountTo),
		ExcludePerson: OrNull(f.Checker.Person), OnlyPerson: OrNull(f.OnlyPerson), PageSize: f.PageSize, Keys: f.keys,
	}
}

// WaitingMessages is a pending message for counting.
type WaitingMessages struct {
	MessageID uuid.UUID
	Kind      payment.Kind
	CreatedAt time.Time
	Currency  string
	Minor     int64
	Version   int  // of its content
	Approvals int  // of that version
	Own       bool // made or edited by the person who asks
	Decided   bool // approved by the person who asks
}

// QueueKeys lists the keys of all pages of Queue together: the oldest PageSize of them, after the message at which the filter starts, in no
// order. person is the caller.
func (r *Reader) QueueKeys(ctx context.Context, realm string, person uuid.UUID, f QueueFilter) ([]WaitingMessages, error) {
	var list []WaitingMessages
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		f, err := f.found(where{ctx: ctx, q: q, realm: realm})
		if err != nil {
			return err
		}
		p := f.params(realm)
		rows, err := q.QueueKeys(ctx, dbsqlc.QueueKeysParams{
			Realm: p.Realm, Person: person, After: p.After, CreatedFrom: p.CreatedFrom, CreatedBefore: p.CreatedBefore,
			ExpiresBefore: p.ExpiresBefore, Amended: p.Amended, Begun: p.Begun, Payees: p.Payees,
			Kind: p.Kind, Scheme: p.Scheme, MakerUser: p.MakerUser, AmountFrom: p.AmountFrom, AmountTo: p.AmountTo,
			ExcludePerson: p.ExcludePerson, OnlyPerson: p.OnlyPerson, PageSize: p.PageSize, Keys: p.Keys,
		})
		for _, row := range rows {
			profile, _ := rulebook.Scheme(row.Scheme).Profile() // of a scheme nobody knows only the count is told
			list = append(list, WaitingMessages{
				MessageID: row.MessageID, Kind: payment.Kind(row.Kind), CreatedAt: row.CreatedAt.UTC(), Currency: string(profile.Currency),
				Minor: row.Amount, Version: int(row.Version), Approvals: int(row.Approvals), Own: row.Own, Decided: row.Decided,
			})
		}
		return err
	})
	return list, err
}

// PendingTotals counts the pending messages that a checker may decide per currency. It counts the oldest, up to a limit: a count of that
// size means "this many or more".
func (r *Reader) PendingTotals(ctx context.Context, realm string, of Checker, most int32) ([]Total, error) {
	rows, err := r.in(realm, Searching).QueueCount(ctx, dbsqlc.QueueCountParams{
		Realm: realm, ExcludePerson: OrNull(of.Person), Since: OrNull(of.Since), Most: most,
	})
	var totals []Total
	for _, row := range rows {
		// Of a currency nobody knows only the count is told: such a message is withheld.
		amount, _ := money.FromMinor(money.Currency(row.Currency), row.Total)
		totals = append(totals, Total{Amount: amount, Count: row.Waiting, Oldest: row.Oldest.UTC()})
	}
	return totals, wrapped(missing(err), "count the queue")
}

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
	for more := true; more && len(list) < int(size); {
		rows, err := r.in(realm, Reading).DecidedList(ctx, dbsqlc.DecidedListParams{
			Realm: realm, Person: person, Since: since, BehindAt: OrNull(behind.At), BehindID: behind.MessageID, PageSize: size,
		})
		if err != nil {
			return nil, missing(err)
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
	return list[:min(len(list), int(size))], nil
}

// DecidedCount counts the messages a person decided since a time, up to most, within the newest 1,000 decisions.
func (r *Reader) DecidedCount(ctx context.Context, realm string, person uuid.UUID, since time.Time, most int32) (int, error) {
	count, err := r.in(realm, Reading).DecidedCount(ctx, dbsqlc.DecidedCountParams{Realm: realm, Person: person, Since: since, Most: most})
	return int(count), missing(err)
}
