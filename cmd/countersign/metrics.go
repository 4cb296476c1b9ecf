package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"countersign/internal/observability"
)

// metricSettings are the address of /metrics and that of the trace collector.
type metricSettings struct {
	MetricsListen  string `help:"Listening address of /metrics, for Prometheus. Restrict it to operators. Default: none." env:"COUNTERSIGN_METRICS_LISTEN"`
	TracesEndpoint string `help:"Address of an OpenTelemetry collector for traces (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces. Default: none." env:"COUNTERSIGN_TRACES_ENDPOINT"`
}

// apply opens the address, if there is one, and has the gateway counted.
func (s *metricSettings) apply(g *gateway) error {
	if s.TracesEndpoint != "" {
		at, err := url.Parse(s.TracesEndpoint)
		if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
			return errors.New("COUNTERSIGN_TRACES_ENDPOINT: give an address such as http://127.0.0.1:4318/v1/traces")
		}
		g.TracesEndpoint = s.TracesEndpoint
	}
	if s.MetricsListen == "" {
		return nil
	}
	listener, err := net.Listen("tcp", s.MetricsListen)
	if err != nil {
		return fmt.Errorf("listen for the metrics (COUNTERSIGN_METRICS_LISTEN moves it): %w", err)
	}
	g.MetricsListener, g.Metrics = listener, observability.New()
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
