// Package http carries documents to the clearing of the schemes by HTTPS. It stands above the clearing station, whose seam
// (clearing.Network) it fills, so that the station knows no transport; what clearing sends comes in by web/inbound.
package http

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
)

// Transport makes one POST for each document to the scheme's address, any 2xx is delivery.
type Transport struct {
	client    *http.Client
	addresses map[rulebook.Scheme]string
}

// New makes the transport. addresses holds the URL for each scheme.
func New(addresses map[rulebook.Scheme]string) *Transport {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConns: 128, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 128,
		IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: clearing.DeliverWithin,
	}
	return &Transport{
		addresses: addresses,
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Deliver posts the document. The same reference goes with every attempt, as X-Message-Id.
func (h *Transport) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	address, known := h.addresses[scheme]
	if !known {
		return fmt.Errorf("no clearing address for %s", scheme)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("prepare the delivery: %w", err)
	}
	request.Header.Set("Content-Type", "application/xml")
	request.Header.Set("X-Message-Id", reference)
	response, err := h.client.Do(request)
	if err != nil {
		return fmt.Errorf("hand over to clearing: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	const readAtMost = 4 << 10 // enough to reuse the connection
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, readAtMost))
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("clearing answered %s", response.Status)
	}
	return nil
}
