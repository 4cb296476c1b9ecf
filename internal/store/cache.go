package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store/internal/dbsqlc"
)

// within is the time-out of a shared call. The context of a caller does not end it, because others may wait.
const within = 15 * time.Second

// Answers caches and shares results by their question.
type Answers[T any] struct {
	Age time.Duration // how old an answer may be that is given once more; 0 asks anew each time

	mutex sync.Mutex
	of    map[string]*answer[T]
}

type answer[T any] struct {
	asked time.Time
	known chan struct{} // closed once the answer is there
	value T
	err   error
}

// Ask returns a result younger than the maximum age, or calls ask. An error goes to all waiting callers and is not
// cached.
func (a *Answers[T]) Ask(ctx context.Context, question string, now time.Time, ask func(context.Context) (T, error)) (T, error) {
	one := a.join(ctx, question, now, ask)
	select {
	case <-one.known:
		return one.value, one.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (a *Answers[T]) join(ctx context.Context, question string, now time.Time, ask func(context.Context) (T, error)) *answer[T] {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if one := a.of[question]; one != nil && now.Sub(one.asked).Abs() < a.Age {
		return one
	}
	one := &answer[T]{asked: now, known: make(chan struct{})}
	if a.of == nil {
		a.of = map[string]*answer[T]{}
	}
	maps.DeleteFunc(a.of, func(_ string, old *answer[T]) bool { return now.Sub(old.asked).Abs() >= a.Age }) // questions tell of days and hours
	a.of[question] = one
	go func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		defer close(one.known)
		one.value, one.err = ask(late)
		if one.err != nil {
			a.forget(question, one)
		}
	}()
	return one
}

// forget removes the answer of a question, if it is still this one.
func (a *Answers[T]) forget(question string, one *answer[T]) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.of[question] == one {
		delete(a.of, question)
	}
}

// Figures are the numbers of first pages, each computed from thousands of messages of the last day or the last thirty. Reader computes them
// for each call; SharedFigures shares one answer for a while.
type Figures interface {
	VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error)
	Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error)
	EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error)
	HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error)
}

// SharedFigures caches figures for at most their age. Approvals, settlements and rejections within that time may be missing. Callers must
// not change the results.
type SharedFigures struct {
	reader      *Reader
	now         func() time.Time
	volumes     Answers[[]Volume]
	turnarounds Answers[Turnaround]
	reasons     Answers[[]EndedReason]
	habits      Answers[ReportCounts]
}

// NewSharedFigures makes figures that are cached up to age.
func NewSharedFigures(r *Reader, age time.Duration, now func() time.Time) *SharedFigures {
	return &SharedFigures{
		reader: r, now: now,
		volumes: Answers[[]Volume]{Age: age}, turnarounds: Answers[Turnaround]{Age: age},
		reasons: Answers[[]EndedReason]{Age: age}, habits: Answers[ReportCounts]{Age: age},
	}
}

// question returns the cache key of a figure.
func question(realm string, since time.Time, more ...string) string {
	asked := realm + "\n" + since.UTC().Format(time.RFC3339Nano)
	for _, one := range more {
		asked += "\n" + one
	}
	return asked
}

// VolumeByHour is Reader.VolumeByHour, cached.
func (f *SharedFigures) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	return f.volumes.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) ([]Volume, error) {
		return f.reader.VolumeByHour(ctx, realm, since)
	})
}

// Turnaround is Reader.Turnaround, cached.
func (f *SharedFigures) Turnaround(ctx context.Context, realm string, since time.Time) (Turnaround, error) {
	return f.turnarounds.Ask(ctx, question(realm, since), f.now(), func(ctx context.Context) (Turnaround, error) {
		return f.reader.Turnaround(ctx, realm, since)
	})
}

// EndedReasons is Reader.EndedReasons, cached, for a period that ends now.
func (f *SharedFigures) EndedReasons(ctx context.Context, realm string, state payment.State, p Period) ([]EndedReason, error) {
	return f.reasons.Ask(ctx, question(realm, p.From, string(state)), f.now(), func(ctx context.Context) ([]EndedReason, error) {
		return f.reader.EndedReasons(ctx, realm, state, p)
	})
}

// HabitCounts is Reader.HabitCounts, cached.
func (f *SharedFigures) HabitCounts(ctx context.Context, realm string, since time.Time, zone *time.Location) (ReportCounts, error) {
	return f.habits.Ask(ctx, question(realm, since, zone.String()), f.now(), func(ctx context.Context) (ReportCounts, error) {
		return f.reader.HabitCounts(ctx, realm, since, zone)
	})
}

// Rights reports whether rights of a realm may have changed. The answer is cached for a short time, so many open pages cost one query.
type Rights struct {
	reader  *Reader
	decided Answers[int64]
}

// NewRights makes Rights with a maximum age of their answers.
func NewRights(r *Reader, age time.Duration) *Rights {
	return &Rights{reader: r, decided: Answers[int64]{Age: age}}
}

// Decided counts the decided changes of administration of a realm. Each may change rights.
func (r *Rights) Decided(ctx context.Context, realm string, now time.Time) (int64, error) {
	return r.decided.Ask(ctx, realm, now, func(ctx context.Context) (int64, error) {
		decided, err := r.reader.db.In(realm, Reading).ChangesDecided(ctx, realm)
		if err != nil {
			return 0, fmt.Errorf("count the changes that were decided: %w", err)
		}
		return decided, nil
	})
}

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
func (c *Counter) PendingTotals(ctx context.Context, realm string, of Checker, now time.Time) ([]Total, error) {
	look := c.most + c.most/2 // so that there are still enough without those of one person
	shares, err := c.answers.Ask(ctx, realm, now, func(ctx context.Context) ([]dbsqlc.QueueSharesRow, error) {
		return c.reader.queueShares(ctx, realm, look)
	})
	if err != nil {
		return nil, err
	}
	totals, all, counted := totalsWithout(shares, of.Person)
	late := slices.ContainsFunc(totals, func(t Total) bool { return t.Oldest.Before(of.Since) })
	if late || all >= int64(look) && counted < int64(c.most) {
		return c.reader.PendingTotals(ctx, realm, of, c.most) // the shares do not tell what this person may decide
	}
	return totals, nil
}

// queueShares counts the oldest pending messages by scheme and by maker or editor.
func (r *Reader) queueShares(ctx context.Context, realm string, most int32) ([]dbsqlc.QueueSharesRow, error) {
	rows, err := r.in(realm, Searching).QueueShares(ctx, realm, most)
	return rows, wrapped(missing(err), "count the queue")
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

// Volume is the volume of one scheme in one hour.
type Volume struct {
	Scheme rulebook.Scheme
	Hour   time.Time // its beginning, UTC
	// Outcome is settled (booked for received payments), failed or open.
	Outcome string
	Count   int64
	Amount  money.Amount
}

// VolumeByHour lists the payment orders made in each hour since a time, without those closed before their release, by scheme, currency,
// time and outcome. Hours without payments are left out. It reads the 10,000 newest messages.
func (r *Reader) VolumeByHour(ctx context.Context, realm string, since time.Time) ([]Volume, error) {
	var list []Volume
	rows, err := r.in(realm, Searching).VolumeByHour(ctx, realm, since)
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
	return list, wrapped(missing(err), "count by hour")
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
	row, err := r.in(realm, Searching).Turnaround(ctx, realm, since)
	span := func(milliseconds int64) time.Duration { return time.Duration(milliseconds) * time.Millisecond }
	return Turnaround{
		Approved: int(row.Approved), WaitedHalf: span(row.WaitedHalf), WaitedMost: span(row.WaitedMost),
		Settled: int(row.Settled), ClearedHalf: span(row.ClearedHalf), ClearedMost: span(row.ClearedMost),
	}, wrapped(missing(err), "read how long payments took")
}
