package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Backlog counts the waiting work of each scheme.
type Backlog struct {
	Scheme      rulebook.Scheme
	Pending     int64     // for approval
	InFlight    int64     // released and without an answer of clearing
	First       time.Time // when the oldest one in flight was released; zero for none
	Unconfirmed int64     // without one in time
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
	err := r.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		row, err := q.BacklogOf(ctx, realm, string(b.Scheme), maxCounted)
		if err != nil {
			return err
		}
		b.Pending += row.Pending
		b.InFlight += row.InFlight
		b.Unconfirmed += row.Unconfirmed
		b.Undelivered += row.Undelivered
		b.Oldest, b.First = earlier(b.Oldest, row.Oldest), earlier(b.First, row.First)
		return nil
	})
	if err != nil {
		return fmt.Errorf("count the waiting messages of %s: %w", realm, err)
	}
	return nil
}

// earlier returns the earlier of two times. No time is zero for the first and the epoch for the second.
func earlier(known, read time.Time) time.Time {
	if read.Unix() != 0 && (known.IsZero() || read.Before(known)) {
		return read.UTC()
	}
	return known
}
