package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// Volume is the volume of one scheme in one hour.
type Volume struct {
	Scheme rulebook.Scheme
	Hour   time.Time // its beginning, UTC
	// Outcome is settled (booked for received payments), failed or open.
	Outcome string
	Count   int64
	Amount  money.Amount
}

// VolumeByHour lists the payments made in each hour since a time, without those closed before their release, by scheme, currency, time and
// outcome. Hours without payments are left out. It reads the 10,000 newest messages.
func (r *Reader) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	var list []Volume
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.VolumeByHour(ctx, realm, since)
		if err != nil {
			return fmt.Errorf("count by hour: %w", err)
		}
		for _, row := range rows {
			outcome := outcomeOf(payment.State(row.State))
			profile, known := rulebook.Scheme(row.Scheme).Profile()
			amount, err := money.FromMinor(profile.Currency, row.Total)
			if !known || err != nil || outcome == "" {
				continue // what is in no currency is withheld, and no volume
			}
			v := Volume{
				Scheme: rulebook.Scheme(row.Scheme), Hour: row.Hour.UTC(), Outcome: outcome, Count: row.Payments, Amount: amount,
			}
			i := slices.IndexFunc(list, func(o Volume) bool {
				return o.Scheme == v.Scheme && o.Hour.Equal(v.Hour) && o.Outcome == v.Outcome
			})
			if i < 0 {
				list = append(list, v)
				continue
			}
			list[i].Count += v.Count
			if sum, err := list[i].Amount.Add(v.Amount); err == nil {
				list[i].Amount = sum
			}
		}
		return nil
	})
	return list, err
}

// outcomeOf returns the outcome of a payment, "" for one that was closed before its release.
func outcomeOf(state payment.State) string {
	switch state {
	case payment.StateRejected, payment.StateWithdrawn, payment.StateExpired:
		return ""
	case payment.StateSettled, payment.StateBooked:
		return "settled"
	case payment.StateFailed:
		return "failed"
	default:
		return "open"
	}
}

// Turnaround holds the processing times of payments that needed an approval.
type Turnaround struct {
	Approved    int           // how many were approved
	WaitedHalf  time.Duration // from making to the last approval: as long as half of them at most
	WaitedMost  time.Duration // 95 of 100 at most
	Settled     int           // how many of them clearing settled
	ClearedHalf time.Duration // from the last approval to clearing's yes
	ClearedMost time.Duration
}

// Turnaround returns the processing times of the payments made since a time, among the 10,000 newest messages.
func (r *Reader) Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error) {
	var t Turnaround
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		row, err := q.Turnaround(ctx, realm, since)
		if err != nil {
			return fmt.Errorf("read how long payments took: %w", err)
		}
		span := func(milliseconds int64) time.Duration { return time.Duration(milliseconds) * time.Millisecond }
		t = Turnaround{
			Approved: int(row.Approved), WaitedHalf: span(row.WaitedHalf), WaitedMost: span(row.WaitedMost),
			Settled: int(row.Settled), ClearedHalf: span(row.ClearedHalf), ClearedMost: span(row.ClearedMost),
		}
		return nil
	})
	return t, err
}
