package measure

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/internal/store/bench"
	"countersign/internal/store/snapshot"
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
	P99Ratio        float64  `json:"p99Ratio"` // of the calls of the last tenth to those of the first
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
}

// steady lets payments begin at a rate for as long as was asked for.
func (b *bed) steady(ctx context.Context, rate float64) (*Steady, error) {
	s := &Steady{Rate: rate, Incoming: rate * incomingShare, Minutes: b.cfg.Steady.Minutes()}
	log, data, err := bench.Written(ctx, b.settled)
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
		t := Tenth{PerSecond: part.perSecond(), MemoryMB: float64(used.Memory) / megabyte, CPUMs: part.each().Postgres + part.each().Program}
		t.P50Ms, t.P99Ms = percentiles(part.calls)
		t.SettledP50Ms, t.SettledP99Ms, err = bench.Settled(ctx, b.settled, part.pairs)
		if err != nil {
			return nil, err
		}
		payments += part.pairs
		s.Tenths = append(s.Tenths, t)
		b.cfg.Say("tenth %d: %.0f a second, calls p50 %.1f p99 %.1f ms, settled p99 %.0f ms, %.0f MB", tenth+1, t.PerSecond, t.P50Ms, t.P99Ms,
			t.SettledP99Ms, t.MemoryMB)
	}
	err = b.untilSettled(ctx)
	if err != nil {
		b.cfg.Say("%s", err)
	}
	s.Unsettled, err = bench.Open(ctx, b.settled)
	if err != nil {
		return nil, err
	}
	logAfter, dataAfter, err := bench.Written(ctx, b.settled)
	s.LogPerPayment, s.BytesPerPayment = float64(logAfter-log)/float64(max(payments, 1)), float64(dataAfter-data)/float64(max(payments, 1))
	s.P99Ratio = s.Tenths[tenths-1].P99Ms / s.Tenths[0].P99Ms
	if err != nil {
		return s, err
	}
	s.Broken, err = broken(ctx, b.settled)
	return s, err
}

// broken are the ids of the invariants that a database breaks.
func broken(ctx context.Context, address string) (ids []string, err error) {
	s, err := snapshot.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	defer s.Close(ctx)
	invariants, err := s.Invariants(ctx, time.Now())
	for _, i := range invariants {
		if len(i.Violations) > 0 {
			ids = append(ids, i.ID)
		}
	}
	return ids, err
}

func (s *Steady) table() string {
	text := fmt.Sprintf("\n%.1f minutes at %.0f payments a second, and %.0f that come in\n\n", s.Minutes, s.Rate, s.Incoming) +
		fmt.Sprintf("%6s  %8s  %13s  %15s  %6s  %6s\n", "tenth", "a second", "p50/p99 ms", "settled p50/p99", "MB", "CPU-ms")
	most := 0.0
	for i, t := range s.Tenths {
		text += fmt.Sprintf("%6d  %8.0f  %5.1f /%6.1f  %6.0f /%7.0f  %6.0f  %6.2f\n", i+1, t.PerSecond, t.P50Ms, t.P99Ms, t.SettledP50Ms,
			t.SettledP99Ms, t.MemoryMB, t.CPUMs)
		most = max(most, t.MemoryMB)
	}
	text += fmt.Sprintf("\np99 of the last tenth / of the first: %.2f; memory at most %.0f MB; ", s.P99Ratio, most)
	text += fmt.Sprintf("%.0f bytes of WAL and %.0f of data for each payment; ", s.LogPerPayment, s.BytesPerPayment)
	return text + fmt.Sprintf("%d not settled at the end; invariants broken: %d %s\n", s.Unsettled, len(s.Broken), strings.Join(s.Broken, " "))
}
