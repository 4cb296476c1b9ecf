package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/sony/gobreaker/v2"
)

// The limits of a peer that are not settings.
const (
	// MaxUnderWay limits the requests to a peer at a time. Further ones fail at once, so that a slow peer holds up no more than these.
	MaxUnderWay = 48
	// enoughToInterrupt is the number of requests within half a minute from which on a share of four fifths failed opens the breaker.
	// Successive failures do not open it, because one slow answer may be many requests.
	enoughToInterrupt = 10
	countedFor        = 30 * time.Second
)

// The errors of a peer.
var (
	// errBusy: MaxUnderWay requests run.
	errBusy = errors.New("too many requests run: not asked")
	// errInterrupted: nearly all requests fail, so that this one was not sent.
	errInterrupted = errors.New("nobody answers at the moment: not asked")
	// errRefused: the other side answers, and refuses this one request.
	errRefused = errors.New("the request was refused")
)

// peer sends requests to one partner over HTTP, with a client certificate, and stops for a while when nearly all of them fail.
type peer struct {
	client  *http.Client
	slots   chan struct{}
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
}

// peerConfig holds the certificates of a peer, and the functions that are called when the breaker opens and closes.
type peerConfig struct {
	Name       string
	TLS        *tls.Config   // nil shows no certificate
	Handshake  time.Duration // time limit
	Pause      time.Duration // while the breaker is open, until one request is tried again
	Lost, Back func()
}

func newPeer(cfg peerConfig) *peer {
	p := &peer{slots: make(chan struct{}, MaxUnderWay)}
	p.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg.TLS, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: MaxUnderWay,
			MaxConnsPerHost: MaxUnderWay, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: cfg.Handshake,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	p.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: cfg.Name, Timeout: cfg.Pause, Interval: countedFor,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			answered := counts.TotalSuccesses + counts.TotalFailures
			return answered >= enoughToInterrupt && counts.TotalFailures*5 >= answered*4
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			switch {
			case to == gobreaker.StateClosed:
				cfg.Back()
			case from == gobreaker.StateClosed:
				cfg.Lost()
			}
		},
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, errRefused) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) }, // the caller went away
	})
	return p
}

// do runs work, which sends one request, unless too many run or the breaker is open. Errors: errBusy, errInterrupted, those of work.
func (p *peer) do(work func() error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		return errBusy
	}
	done, err := p.breaker.Allow()
	if err != nil {
		return errInterrupted
	}
	err = work()
	done(err)
	return err
}

// send sends a request and returns the body of the answer, limited in size. Errors: errRefused for a status of 4xx but 429.
func (p *peer) send(request *http.Request, most int64) ([]byte, error) {
	response, err := p.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case int64(len(content)) > most:
		return nil, fmt.Errorf("the answer has more than %d bytes", most)
	case response.StatusCode == http.StatusOK:
		return content, nil
	case response.StatusCode/100 == 4 && response.StatusCode != http.StatusTooManyRequests:
		return nil, fmt.Errorf("%w: %s", errRefused, response.Status)
	}
	return nil, fmt.Errorf("the answer was %s", response.Status)
}
