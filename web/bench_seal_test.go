package web_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/demo"
	"countersign/internal/service"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

const (
	sealRounds  = 5
	sealRound   = 4 * time.Second
	sealClients = 8
)

// BenchmarkSealing measures pairs, a payment created by one and approved by another, over HTTP, with the audit trail sealed beside them and
// without, in turns in one run, and how long rows waited for their seal, as a rule and at most.
func BenchmarkSealing(b *testing.B) {
	cluster := durableCluster(b)
	address := cluster.URL("postgres")
	must(b, store.Migrate(b.Context(), address))
	must(b, demo.Ensure(b.Context(), store.Provisioner{OwnerURL: address, Keys: storetest.Keys(b), At: storetest.Provisioned}))
	by := sealer(b, address)
	s := newShop(b, address)
	var ratios, on, off, behind []float64
	for b.Loop() {
		_ = pairsFor(b, s, sealRound) // what is new is slow
		for range sealRounds {
			by.Sweep(b.Context())
			without := pairsFor(b, s, sealRound)
			by.Sweep(b.Context())
			with, delays := sealedPairs(b, s, by)
			on, off, ratios, behind = append(on, with), append(off, without), append(ratios, with/without), append(behind, delays...)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ratios), "sealed/unsealed")
	b.ReportMetric(median(on), "sealed-pairs/s")
	b.ReportMetric(median(off), "unsealed-pairs/s")
	b.ReportMetric(median(behind), "median-behind-ms")
	b.ReportMetric(slices.Max(behind), "most-behind-ms")
}

// sealer is a second gateway that does nothing but seal, as one that shares the work.
func sealer(b *testing.B, address string) *integrity.Service {
	b.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	database, err := store.Open(b.Context(), store.Config{
		URL: address, Log: log, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b),
	})
	must(b, err)
	b.Cleanup(database.Close)
	began := time.Now()
	parts, err := service.New(service.Config{
		Database: database, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b), AuditKeys: storetest.AuditKeys(b), Log: log,
		Now: func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) },
	})
	must(b, err)
	return parts.Notary
}

// sealedPairs measures while somebody seals, and how far that was behind, in milliseconds, each time it is looked at.
func sealedPairs(b *testing.B, s *shop, by *integrity.Service) (perSecond float64, behind []float64) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	before := by.Standing().Newest // what was sealed then had waited while nothing was to be sealed
	var group errgroup.Group
	group.Go(func() error { by.Watch(ctx); return nil })
	group.Go(func() error {
		for ctx.Err() == nil {
			if standing := by.Standing(); standing.Newest.After(before) {
				behind = append(behind, standing.Behind.Seconds()*1000)
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	perSecond = pairsFor(b, s, sealRound)
	stop()
	must(b, group.Wait())
	return perSecond, behind
}

// pairsFor lets the clients work for a while, and returns how many pairs they made in a second.
func pairsFor(b *testing.B, s *shop, round time.Duration) float64 {
	b.Helper()
	var pairs atomic.Int64
	var group errgroup.Group
	began := time.Now()
	for range sealClients {
		group.Go(func() error {
			for time.Since(began) < round {
				err := s.pair()
				if err != nil {
					return err
				}
				pairs.Add(1)
			}
			return nil
		})
	}
	must(b, group.Wait())
	return float64(pairs.Load()) / time.Since(began).Seconds()
}
