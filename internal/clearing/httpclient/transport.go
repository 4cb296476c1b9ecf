// Package httpclient carries documents to the clearing of the schemes by HTTPS. It stands above the clearing service, whose seam
// (clearing.Network) it fills, so that the service knows no transport; what clearing sends comes in by web/clearing.
package httpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/observability"
	"countersign/internal/rulebook"
)

// readWithin limits the reading of the body of clearing's answer, which is ignored.
const readWithin = 100 * time.Millisecond

// Transport makes one POST for each document to the scheme's address; any 2xx is delivery.
type Transport struct {
	ways    map[rulebook.Scheme]way
	secured *tls.Config
}

// way is the address of a scheme's clearing, with connections of its own: both schemes may have one host, and one of them may not answer.
type way struct {
	address string
	client  *http.Client
	ends    *atomic.Pointer[time.Time] // of clearing's certificate; nil before the first answer, and without TLS
	token   func() (string, error)     // nil for none
}

// New makes the transport. addresses holds the URL for each scheme, secured the TLS of its connections; nil for that of the system.
func New(addresses map[rulebook.Scheme]string, secured *tls.Config) *Transport {
	ways := make(map[rulebook.Scheme]way, len(addresses))
	for scheme, address := range addresses {
		transport := &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConns: 128, MaxIdleConnsPerHost: 64, MaxConnsPerHost: 128,
			IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: clearing.DeliverWithin, TLSClientConfig: secured.Clone(),
		}
		ways[scheme] = way{address: address, ends: &atomic.Pointer[time.Time]{}, client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}
	}
	return &Transport{ways: ways, secured: secured}
}

// Certificates returns the ends of the certificates of each scheme's connection.
func (h *Transport) Certificates() map[rulebook.Scheme]clearing.Certificates {
	all := map[rulebook.Scheme]clearing.Certificates{}
	for scheme, to := range h.ways {
		ends := clearing.Certificates{Ours: clearing.OwnCertificateEnd(h.secured)}
		if at := to.ends.Load(); at != nil {
			ends.Theirs = *at
		}
		all[scheme] = ends
	}
	return all
}

// Show has the deliveries of a scheme show a bearer token. read is called for each, so that a new token counts at once.
func (h *Transport) Show(scheme rulebook.Scheme, read func() (string, error)) {
	to := h.ways[scheme]
	to.token = read
	h.ways[scheme] = to
}

// Deliver posts the document. The same reference goes with every attempt, as X-Message-Id.
func (h *Transport) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	to, known := h.ways[scheme]
	if !known {
		return fmt.Errorf("no clearing address for %s", scheme)
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	request, err := http.NewRequestWithContext(reading, http.MethodPost, to.address, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("prepare the delivery: %w", err)
	}
	request.Header.Set("Content-Type", "application/xml")
	request.Header.Set("X-Message-Id", reference)
	if to.token != nil {
		token, err := to.token()
		if err != nil {
			return fmt.Errorf("read the token for clearing: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	observability.Tell(ctx, request.Header)
	response, err := to.client.Do(request)
	if err != nil {
		return fmt.Errorf("hand over to clearing: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.TLS != nil && len(response.TLS.PeerCertificates) > 0 {
		to.ends.Store(&response.TLS.PeerCertificates[0].NotAfter)
	}
	const readAtMost = 4 << 10 // enough to reuse the connection
	defer time.AfterFunc(readWithin, stop).Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, readAtMost))
	if response.StatusCode/100 == 2 {
		return nil
	}
	switch response.StatusCode { // these refuse this one document, all others any document
	case http.StatusConflict:
		return clearing.ErrOtherDocument
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: it answered %s", clearing.ErrNotAccepted, response.Status)
	}
	return fmt.Errorf("clearing answered %s", response.Status)
}
