package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/internal/store/integrity"
)

// tenths is in how many parts an endurance run is told.
const tenths = 10

// steadyClients are the clients of an endurance run: enough that one is free when a payment is due.
const steadyClients = 64

// incomingShare is how many payments other banks send for each that leaves.
const incomingShare = 0.05

// Steady is how it went for long at a rate below the most.
type Steady struct {
	Rate            float64  `json:"rate"` // payments that began, a second
	Minutes         float64  `json:"minutes"`
	Tenths          []Tenth  `json:"tenths"`
	P99Ratio        float64  `json:"p99Ratio"`      // of the calls of the last tenth to those of the first
	QuickP99Ratio   float64  `json:"quickP99Ratio"` // the same of those in quick seconds; 0 where a tenth has too few
	LogPerPayment   float64  `json:"walBytesPerPayment"`
	BytesPerPayment float64  `json:"bytesPerPayment"`  // what the database grew by
	Unsettled       int      `json:"unsettled"`        // at the end
	Incoming        float64  `json:"incoming"`         // payments of other banks, a second
	Broken          []string `json:"brokenInvariants"` // ids of invariants that the database breaks at the end
}

// Tenth is a tenth of it.
type Tenth struct {
	PerSecond    float64 `json:"perSecond"`
	P50Ms        float64 `json:"p50Ms"` // of one call
	P99Ms        float64 `json:"p99Ms"`
	SettledP50Ms float64 `json:"settledP50Ms"` // approval to Settled
	SettledP99Ms float64 `json:"settledP99Ms"`
	MemoryMB     float64 `json:"memoryMB"` // of the program, at its end
	CPUMs        float64 `json:"cpuMs"`    // PostgreSQL and program, for each payment
	Pace         float64 `json:"pace"`     // of the machine, as a part of its best
	Quick        Quick   `json:"quick"`

	part loaded
	ways []Timed
}

// Quick is what of a tenth fell into seconds in which the machine was about as quick as at its best: see pace.
type Quick struct {
	Share        float64 `json:"share"` // of the calls
	P50Ms        float64 `json:"p50Ms"`
	P99Ms        float64 `json:"p99Ms"`
	SettledP50Ms float64 `json:"settledP50Ms"`
	SettledP99Ms float64 `json:"settledP99Ms"`

	calls int
}

// enough is how many calls say something about the slowest of a hundred.
const enough = 1000

// steady lets payments begin at a rate for as long as was asked for.
func (b *bed) steady(ctx context.Context, rate float64) (*Steady, error) {
	s := &Steady{Rate: rate, Incoming: rate * incomingShare, Minutes: b.cfg.Steady.Minutes()}
	log, data, err := Written(ctx, b.settled)
	if err != nil {
		return nil, err
	}
	payments := 0
	for tenth := range tenths {
		part, err := b.load(ctx, b.working, loadOptions{clients: steadyClients, length: b.cfg.Steady / tenths, rate: rate, incoming: s.Incoming})
		if err != nil {
			return nil, fmt.Errorf("tenth %d of the endurance run: %w", tenth+1, err)
		}
		used, err := b.working.used()
		if err != nil {
			return nil, err
		}
		each := part.each()
		t := Tenth{part: part, PerSecond: part.perSecond(), MemoryMB: float64(used.Memory) / megabyte, CPUMs: each.Postgres + each.Program}
		t.ways, err = Settled(ctx, b.settled, part.pairs)
		if err != nil {
			return nil, err
		}
		t.P50Ms, t.P99Ms = percentiles(part.calls)
		t.SettledP50Ms, t.SettledP99Ms = percentiles(t.ways)
		payments += part.pairs
		s.Tenths = append(s.Tenths, t)
		b.cfg.Say("tenth %d: %.0f a second, calls p50 %.1f p99 %.1f ms, settled p99 %.0f ms, %.0f MB", tenth+1, t.PerSecond, t.P50Ms, t.P99Ms,
			t.SettledP99Ms, t.MemoryMB)
	}
	err = b.untilSettled(ctx)
	if err != nil {
		b.cfg.Say("%s", err)
	}
	s.Unsettled, err = Open(ctx, b.settled)
	if err != nil {
		return nil, err
	}
	logAfter, dataAfter, err := Written(ctx, b.settled)
	s.LogPerPayment, s.BytesPerPayment = float64(logAfter-log)/float64(max(payments, 1)), float64(dataAfter-data)/float64(max(payments, 1))
	s.P99Ratio = s.Tenths[tenths-1].P99Ms / s.Tenths[0].P99Ms
	if err != nil {
		return s, err
	}
	s.Broken, err = broken(ctx, b.settled)
	return s, err
}

// tellPace adds how quick the machine was, and what holds of the quick seconds.
func (s *Steady) tellPace(p *pace) {
	quick := p.quickSeconds()
	for i := range s.Tenths {
		t := &s.Tenths[i]
		t.Pace = p.during(t.part.began, t.part.began.Add(t.part.took))
		t.Quick = quickOf(t, quick)
	}
	first, last := s.Tenths[0].Quick, s.Tenths[len(s.Tenths)-1].Quick
	if min(first.calls, last.calls) >= enough {
		s.QuickP99Ratio = last.P99Ms / first.P99Ms
	}
}

// quickOf is what of a tenth fell into seconds.
func quickOf(t *Tenth, seconds map[int64]bool) Quick {
	calls := quickOnes(t.part.calls, seconds)
	q := Quick{calls: len(calls), Share: float64(len(calls)) / float64(max(len(t.part.calls), 1))}
	q.P50Ms, q.P99Ms = percentiles(calls)
	q.SettledP50Ms, q.SettledP99Ms = percentiles(quickOnes(t.ways, seconds))
	return q
}

// broken are the ids of the invariants that a database breaks.
func broken(ctx context.Context, address string) (ids []string, err error) {
	report, err := integrity.Check(ctx, integrity.Config{DatabaseURL: address, Now: time.Now()})
	ids = []string{} // in JSON a list of none
	for _, i := range report.Invariants {
		if len(i.Violations) > 0 {
			ids = append(ids, i.ID)
		}
	}
	return ids, err
}

func (s *Steady) table() string {
	text := fmt.Sprintf("\n%.1f minutes at %.0f payments a second, and %.0f that come in\n\n", s.Minutes, s.Rate, s.Incoming) +
		fmt.Sprintf("%6s  %8s  %13s  %15s  %6s  %6s  %4s  ", "tenth", "a second", "p50/p99 ms", "settled p50/p99", "MB", "CPU-ms", "pace") +
		fmt.Sprintf("%5s  %13s  %15s\n", "quick", "p50/p99 ms", "settled p50/p99")
	most := 0.0
	for i, t := range s.Tenths {
		q := t.Quick
		text += fmt.Sprintf("%6d  %8.0f  %5.1f /%6.1f  ", i+1, t.PerSecond, t.P50Ms, t.P99Ms) +
			fmt.Sprintf("%6.0f /%7.0f  %6.0f  %6.2f  %4.2f  ", t.SettledP50Ms, t.SettledP99Ms, t.MemoryMB, t.CPUMs, t.Pace) +
			fmt.Sprintf("%5.2f  %5.1f /%6.1f  %6.0f /%7.0f\n", q.Share, q.P50Ms, q.P99Ms, q.SettledP50Ms, q.SettledP99Ms)
		most = max(most, t.MemoryMB)
	}
	text += fmt.Sprintf("\np99 of the last tenth / of the first: %.2f, in quick seconds %.2f; ", s.P99Ratio, s.QuickP99Ratio)
	text += fmt.Sprintf("memory at most %.0f MB; ", most)
	text += fmt.Sprintf("%.0f bytes of WAL and %.0f of data for each payment; ", s.LogPerPayment, s.BytesPerPayment)
	return text + fmt.Sprintf("%d not settled at the end; invariants broken: %d %s\n", s.Unsettled, len(s.Broken), strings.Join(s.Broken, " "))
}
