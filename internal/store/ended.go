package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// MaxEnded limits the listed and counted messages that reached a state in a period.
const MaxEnded = 1000

// Ended is a message that reached a state in a period: it was rejected, it failed, or clearing did not answer in time.
type Ended struct {
	MessageID    uuid.UUID
	GlobalID     string
	At           time.Time // when it came into the state
	By           string    // who moved it there
	Reason       string    // the checker's, of a rejection
	Kind         payment.Kind
	StatusCode   string // clearing's
	StatusText   string
	Amount       money.Amount // zero where it is in no currency: such a message is withheld
	CreditorName string
}

// Ended lists the messages that reached a state in a period, newest first, at most MaxEnded.
func (r *Reader) Ended(ctx context.Context, realm string, state payment.State, p Period) ([]Ended, error) {
	var list []Ended
	rows, err := r.in(realm, Searching).ReportEndedList(ctx, dbsqlc.ReportEndedListParams{
		Realm: realm, State: string(state), Since: p.From, Until: p.Until, Most: MaxEnded,
	})
	for _, row := range rows {
		amount, _ := money.FromMinor(money.Currency(row.Currency), row.Amount)
		list = append(list, Ended{
			MessageID: row.MessageID, GlobalID: row.GlobalID, At: row.At.UTC(), By: row.ActorName, Reason: row.Reason,
			Kind: payment.Kind(row.Kind), StatusCode: row.StatusCode, StatusText: row.StatusText, Amount: amount,
			CreditorName: row.CreditorName,
		})
	}
	return list, reportError(err)
}

// EndedReason counts the messages that reached a state in a period for one reason.
type EndedReason struct {
	Reason     string // the checker's, of a rejection
	StatusCode string // clearing's, of what failed
	Count      int
}

// EndedReasons counts the rejections or failures of Ended by reason, the most frequent first.
func (r *Reader) EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error) {
	q := r.in(realm, Searching)
	var list []EndedReason
	if state == payment.StateFailed {
		rows, err := q.ReportFailedCount(ctx, dbsqlc.ReportFailedCountParams{Realm: realm, Since: p.From, Until: p.Until, Most: MaxEnded})
		for _, row := range rows {
			list = append(list, EndedReason{StatusCode: row.StatusCode, Count: int(row.Messages)})
		}
		return list, reportError(err)
	}
	rows, err := q.ReportRejectedCount(ctx, dbsqlc.ReportRejectedCountParams{Realm: realm, Since: p.From, Until: p.Until, Most: MaxEnded})
	for _, row := range rows {
		list = append(list, EndedReason{Reason: row.Reason, Count: int(row.Messages)})
	}
	return list, reportError(err)
}

// EndedCount counts the messages of Ended.
func (r *Reader) EndedCount(ctx context.Context, realm string, state payment.State, p Period) (int, error) {
	count, err := r.in(realm, Searching).ReportEndedCount(ctx, dbsqlc.ReportEndedCountParams{
		Realm: realm, State: string(state), Since: p.From, Until: p.Until, Most: MaxEnded,
	})
	return int(count), reportError(err)
}

// HabitCounts counts the unusual approvals since a time, among the 1,000 newest of each checker, 5,000 together.
func (r *Reader) HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error) {
	var counts ReportCounts
	row, err := r.in(realm, Searching).ReportHabitCount(ctx, dbsqlc.ReportHabitCountParams{
		Realm: realm, Since: since, Seconds: int32(FastBelow / time.Second), Zone: zone.String(), Opens: OpensAt, Closes: ClosesAt,
	})
	counts = ReportCounts{Fast: int(row.Fast), OutOfHours: int(row.OutOfHours)}
	return counts, reportError(err)
}

// AnswersDue lists received recalls without an answer whose last day is before a time, the earliest first, up to most.
func (r *Reader) AnswersDue(ctx context.Context, realm string, before time.Time, most int32) ([]payment.Message, error) {
	q := r.in(realm, Searching)
	var found []payment.Message
	keys, err := q.AnswerDueList(ctx, realm, before, most)
	if err == nil && len(keys) > 0 {
		found, err = r.messages(ctx, q, realm, Filter{keys: keys, PageSize: most})
	}
	return sorted(keys, found), wrapped(missing(err), "list the answers that are due")
}

// sorted returns the messages in the order of their keys; missing ones are left out.
func sorted(keys []uuid.UUID, found []payment.Message) []payment.Message {
	messages := byKey(found)
	list := make([]payment.Message, 0, len(found))
	for _, key := range keys {
		if m, there := messages[key]; there {
			list = append(list, m)
		}
	}
	return list
}

// byKey maps messages by their keys.
func byKey(list []payment.Message) map[uuid.UUID]payment.Message {
	messages := make(map[uuid.UUID]payment.Message, len(list))
	for _, m := range list {
		messages[m.InternalID] = m
	}
	return messages
}

// QuarantineCount counts the documents in quarantine, up to most.
func (r *Reader) QuarantineCount(ctx context.Context, most int32) (int, error) {
	count, err := r.db.Outside().InboxCountQuarantined(ctx, most)
	return int(count), wrapped(err, "count the quarantine")
}
