package observability

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are all metrics of one gateway.
type Metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.HistogramVec
	moves      *prometheus.CounterVec
	legs       *prometheus.HistogramVec
	deliveries *prometheus.HistogramVec
	alarms     prometheus.Counter
	unknown    prometheus.Counter
}

// The buckets of durations in seconds: of a call, and of a payment up to and beyond the time limit of its scheme.
var (
	callBounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	legBounds  = []float64{.05, .1, .25, .5, 1, 2, 4, 6, 8, 10, 11, 12, 15, 30, 60, 300}
)

// New makes the metrics, with those of the Go runtime and the process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "countersign_request_duration_seconds", Help: "Requests answered, by route as the table has it.", Buckets: callBounds,
		}, []string{"method", "route", "status"}),
		moves: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "countersign_message_moves_total", Help: "Steps of messages: decisions, deliveries, answers, what the clock did.",
		}, []string{"kind", "scheme", "action"}),
		legs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "countersign_message_leg_seconds", Help: "Time from the release of a message to a step.", Buckets: legBounds,
		}, []string{"scheme", "action"}),
		deliveries: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "countersign_delivery_duration_seconds", Help: "Attempts to hand a document to clearing.", Buckets: callBounds,
		}, []string{"scheme", "outcome"}),
		alarms: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_alarms_total",
			Help: "Log lines with alarm=true: seals that do not fit, keys that are missing, clearing that is away.",
		}),
		unknown: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "countersign_unknown_outcomes_total", Help: "Calls that were answered with not knowing whether they were done.",
		}),
	}
	m.registry.MustRegister(m.requests, m.moves, m.legs, m.deliveries, m.alarms, m.unknown,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers with all metrics.
func (m *Metrics) Handler() http.Handler {
	const atATime = 2
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: atATime, Timeout: readWithin + time.Second})
}

// Request notes a request that was answered.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if m != nil {
		m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
	}
}

// UnknownOutcome counts a call with an unknown outcome.
func (m *Metrics) UnknownOutcome() {
	if m != nil {
		m.unknown.Inc()
	}
}

// Move is a step of a message that was stored.
type Move struct {
	Kind, Scheme, Action string
	// Since is the time since the message was released; negative for one that is not, or whose clock was set back.
	Since time.Duration
}

// Moved notes a step.
func (m *Metrics) Moved(move Move) {
	if m == nil {
		return
	}
	m.moves.WithLabelValues(move.Kind, move.Scheme, move.Action).Inc()
	if move.Since >= 0 {
		m.legs.WithLabelValues(move.Scheme, move.Action).Observe(move.Since.Seconds())
	}
}

// Delivered notes an attempt to hand a document to clearing: taken, not taken, failed or interrupted.
func (m *Metrics) Delivered(scheme, outcome string, took time.Duration) {
	if m != nil {
		m.deliveries.WithLabelValues(scheme, outcome).Observe(took.Seconds())
	}
}

// CountAlarms is a log handler that counts the lines with alarm=true and hands all on.
func (m *Metrics) CountAlarms(to slog.Handler) slog.Handler {
	if m == nil {
		return to
	}
	return alarmCounter{Handler: to, count: m.alarms}
}

type alarmCounter struct {
	slog.Handler
	count prometheus.Counter
}

// Handle counts a line that is an alarm.
func (c alarmCounter) Handle(ctx context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "alarm" && a.Value.Kind() == slog.KindBool && a.Value.Bool() {
			c.count.Inc()
		}
		return true
	})
	return c.Handler.Handle(ctx, record)
}

// WithAttrs keeps counting.
func (c alarmCounter) WithAttrs(attributes []slog.Attr) slog.Handler {
	return alarmCounter{Handler: c.Handler.WithAttrs(attributes), count: c.count}
}

// WithGroup keeps counting.
func (c alarmCounter) WithGroup(name string) slog.Handler {
	return alarmCounter{Handler: c.Handler.WithGroup(name), count: c.count}
}

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
