package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"countersign/internal/metric"
)

// metricSettings say where Prometheus reads.
type metricSettings struct {
	MetricsListen string `help:"Address of /metrics, for Prometheus: one that only operators reach. None by default." env:"COUNTERSIGN_METRICS_LISTEN"`
}

// apply opens the address, if there is one, and has the gateway counted.
func (s *metricSettings) apply(g *gateway) error {
	if s.MetricsListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.MetricsListen)
	if err != nil {
		return fmt.Errorf("listen for the metrics (COUNTERSIGN_METRICS_LISTEN moves it): %w", err)
	}
	g.MetricsListener, g.Metrics = listener, metric.New()
	g.Log = slog.New(g.Metrics.CountAlarms(g.Log.Handler()))
	return nil
}

// serveMetrics answers Prometheus until ctx ends.
func (g gateway) serveMetrics(ctx context.Context) error {
	const within = 5 * time.Second
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", g.Metrics.Handler())
	server := &http.Server{
		Handler: mux, ReadTimeout: within, WriteTimeout: within, ErrorLog: slog.NewLogLogger(g.Log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(g.MetricsListener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve the metrics: %w", err)
}
