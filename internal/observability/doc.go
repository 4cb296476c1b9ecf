// Package observability holds the metrics in Prometheus format and the OpenTelemetry traces. Every floor reports to it.
package observability
