package web_test

import (
	"testing"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// BenchmarkStep measures what one create and one approve cost this process, the client's part included: allocations, bytes and CPU time
// (the database's excluded), through the whole server over HTTP, one request after the other. Compare it with the same run of another
// commit; the wall-clock time says more about the disk.
func BenchmarkStep(b *testing.B) {
	cluster := durableCluster(b)
	address := cluster.URL("postgres")
	must(b, store.Migrate(b.Context(), address))
	must(b, demo.Ensure(b.Context(), store.Provisioner{OwnerURL: address, Keys: storetest.Keys(b), At: storetest.Provisioned}))
	s := newShop(b, address)
	b.Run("create", func(b *testing.B) {
		costs(b, func(int) {
			_, err := s.create()
			must(b, err)
		})
	})
	b.Run("approve", func(b *testing.B) {
		waiting := make([]string, b.N)
		for i := range waiting {
			var err error
			waiting[i], err = s.create()
			must(b, err)
		}
		costs(b, func(i int) { must(b, s.approve(waiting[i])) })
	})
}

// costs runs a step b.N times and reports its allocations and CPU time.
func costs(b *testing.B, step func(i int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	used := processorTime(b)
	for i := range b.N {
		step(i)
	}
	b.StopTimer()
	b.ReportMetric((processorTime(b)-used).Seconds()*1000/float64(b.N), "cpu-ms/op")
}
