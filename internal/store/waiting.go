package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Counter counts pending messages of a realm and caches the count for a short time: every page of the portal shows it.
type Counter struct {
	reader  *Reader
	most    int32
	answers Answers[[]dbsqlc.QueueSharesRow]
}

// NewCounter makes a Counter with a maximum age of its answers and a maximum count.
func NewCounter(r *Reader, age time.Duration, most int32) *Counter {
	return &Counter{reader: r, most: most, answers: Answers[[]dbsqlc.QueueSharesRow]{Age: age}}
}

// PendingTotals returns the Reader's PendingTotals, at most as old as the counter's age: the latest decisions may be missing.
func (c *Counter) PendingTotals(ctx context.Context, realm string, exclude uuid.UUID, now time.Time) ([]Total, error) {
	look := c.most + c.most/2 // so that there are still enough without those of one person
	shares, err := c.answers.Ask(ctx, realm, now, func(ctx context.Context) ([]dbsqlc.QueueSharesRow, error) {
		return c.reader.queueShares(ctx, realm, look)
	})
	if err != nil {
		return nil, err
	}
	totals, all, counted := totalsWithout(shares, exclude)
	if all >= int64(look) && counted < int64(c.most) {
		return c.reader.PendingTotals(ctx, realm, exclude, c.most) // more of this person's wait than were looked at for all
	}
	return totals, nil
}

// queueShares counts the oldest pending messages by scheme and by maker or editor.
func (r *Reader) queueShares(ctx context.Context, realm string, most int32) ([]dbsqlc.QueueSharesRow, error) {
	var rows []dbsqlc.QueueSharesRow
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		var err error
		rows, err = q.QueueShares(ctx, realm, most)
		if err != nil {
			return fmt.Errorf("count the queue: %w", err)
		}
		return nil
	})
	return rows, err
}

// totalsWithout adds up the shares of other people, by currency. all counts the messages of the shares, counted those of the totals. An
// overflowing sum can only come from tampering, and is left out.
func totalsWithout(shares []dbsqlc.QueueSharesRow, person uuid.UUID) (totals []Total, all, counted int64) {
	for _, s := range shares {
		all += s.Waiting
		if person != uuid.Nil && slices.Contains(s.People, person) {
			continue
		}
		counted += s.Waiting
		profile, _ := rulebook.Scheme(s.Scheme).Profile()
		amount, _ := money.FromMinor(profile.Currency, s.Total) // of a scheme nobody knows only the count is told
		total := Total{Amount: amount, Count: s.Waiting, Oldest: s.Oldest.UTC()}
		i := slices.IndexFunc(totals, func(t Total) bool { return t.Amount.Currency() == amount.Currency() })
		if i < 0 {
			totals = append(totals, total)
			continue
		}
		sum, err := totals[i].Amount.Add(amount)
		if err == nil {
			totals[i].Amount = sum
		}
		totals[i].Count += total.Count
		if total.Oldest.Before(totals[i].Oldest) {
			totals[i].Oldest = total.Oldest
		}
	}
	slices.SortFunc(totals, func(a, b Total) int { return cmp.Compare(a.Amount.Currency(), b.Amount.Currency()) })
	return totals, all, counted
}
