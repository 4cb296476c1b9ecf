package observability

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// readWithin limits the reading of gauges at a scrape.
const readWithin = 2 * time.Second

// Gauge is a figure that is read when somebody asks.
type Gauge struct {
	Name, Help string
	Labels     []string
}

// Sample is one value of a gauge.
type Sample struct {
	Gauge  string // its name
	Labels []string
	Value  float64
}

// Read adds gauges whose values one function reads together. Gauges that it does not return are left out of the scrape.
func (m *Metrics) Read(ctx context.Context, gauges []Gauge, read func(context.Context) []Sample) {
	r := &reading{ctx: ctx, read: read, described: make(map[string]*prometheus.Desc, len(gauges))}
	for _, g := range gauges {
		r.described[g.Name] = prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)
	}
	m.registry.MustRegister(r)
}

// reading is a collector of gauges.
type reading struct {
	ctx       context.Context //nolint:containedctx // a collector is given none
	read      func(context.Context) []Sample
	described map[string]*prometheus.Desc
}

// Describe names the gauges.
func (r *reading) Describe(to chan<- *prometheus.Desc) {
	for _, d := range r.described {
		to <- d
	}
}

// Collect reads them.
func (r *reading) Collect(to chan<- prometheus.Metric) {
	limited, cancel := context.WithTimeout(r.ctx, readWithin)
	defer cancel()
	for _, s := range r.read(limited) {
		to <- prometheus.MustNewConstMetric(r.described[s.Gauge], prometheus.GaugeValue, s.Value, s.Labels...)
	}
}
