package service

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/sony/gobreaker/v2"

	"countersign/internal/payee"
)

// The limits that are not settings.
const (
	// MaxUnderWay is the questions that are asked at a time. Further ones are answered at once that nothing could be verified, so that a
	// bank that is late holds up no more than these, and leaves room for calls that ask nobody.
	MaxUnderWay = 48
	// enoughToInterrupt is the number of questions within half a minute from which on a share of four fifths failed opens the breaker.
	// Successive failures do not open it, because one late bank fails many questions at a time.
	enoughToInterrupt = 10
	countedFor        = 30 * time.Second
	// interruption is the pause until one question is tried again.
	interruption = 5 * time.Second
)

// PayeeBankConfig holds the address and the certificates of the verification service.
type PayeeBankConfig struct {
	// Address is the address before payee.Path, such as https://vop.example.
	Address string
	// Certificate is the client certificate; nil sends none.
	Certificate *tls.Certificate
	// Roots are those who may have signed the certificate of the other side; nil means those of the system.
	Roots *x509.CertPool
	Now   func() time.Time
	NewID func() uuid.UUID
	Log   *slog.Logger
}

// Verifier asks; it is a payee.Verifier.
type Verifier struct {
	cfg     PayeeBankConfig
	address string
	client  *http.Client
	slots   chan struct{}
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
}

// NewPayeeBank makes the verifier. It sends nothing yet.
func NewPayeeBank(cfg PayeeBankConfig) *Verifier {
	settings := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots}
	if cfg.Certificate != nil {
		settings.Certificates = []tls.Certificate{*cfg.Certificate}
	}
	v := &Verifier{cfg: cfg, address: strings.TrimRight(cfg.Address, "/") + payee.Path, slots: make(chan struct{}, MaxUnderWay)}
	v.client = &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: settings, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: MaxUnderWay,
			MaxConnsPerHost: MaxUnderWay, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: payee.Limit,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	v.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "payee", Timeout: interruption, Interval: countedFor,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			answered := counts.TotalSuccesses + counts.TotalFailures
			return answered >= enoughToInterrupt && counts.TotalFailures*5 >= answered*4
		},
		OnStateChange: v.changed,
		IsSuccessful:  func(err error) bool { return err == nil || errors.Is(err, errRefused) },
		IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) }, // whoever waited went away
	})
	return v
}

var (
	// errBusy: as many questions as may be under way are.
	errBusy = errors.New("too many payees are being verified: not asked")
	// errInterrupted: nearly all questions fail, so that this one was not asked.
	errInterrupted = errors.New("nobody verifies payees at the moment: not asked")
	// errRefused: the other side is there, and refuses this one question.
	errRefused = errors.New("the question was refused")
)

// changed tells an operator once that nobody answers, and once that somebody does again.
func (v *Verifier) changed(_ string, from, to gobreaker.State) {
	switch {
	case to == gobreaker.StateClosed:
		v.cfg.Log.Info("payees are verified again")
	case from == gobreaker.StateClosed:
		v.cfg.Log.Error("payees cannot be verified: payments go on without, and one question is tried every five seconds",
			slog.Bool("alarm", true))
	}
}

// Verify asks the bank that keeps an account whether a name is that of the account, and waits for payee.Limit at most.
func (v *Verifier) Verify(ctx context.Context, q payee.Question) (payee.Answer, error) {
	select {
	case v.slots <- struct{}{}:
		defer func() { <-v.slots }()
	default:
		return payee.Answer{}, errBusy
	}
	done, err := v.breaker.Allow()
	if err != nil {
		return payee.Answer{}, errInterrupted
	}
	limited, cancel := context.WithTimeout(ctx, payee.Limit)
	defer cancel()
	answer, err := v.ask(limited, q)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = payee.ErrLate
	}
	done(err)
	if err != nil {
		v.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a payee was not verified", slog.String("bank", q.Bank), slog.String("error", err.Error()))
	}
	return answer, err
}

func (v *Verifier) ask(ctx context.Context, q payee.Question) (payee.Answer, error) {
	body, err := json.Marshal(payee.NewRequest(q))
	if err != nil {
		return payee.Answer{}, fmt.Errorf("write the question: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, v.address, bytes.NewReader(body))
	if err != nil {
		return payee.Answer{}, fmt.Errorf("prepare the question: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set(payee.RequestID, v.cfg.NewID().String())
	request.Header.Set(payee.RequestTimestamp, payee.Timestamp(v.cfg.Now()))
	response, err := v.client.Do(request)
	if err != nil {
		return payee.Answer{}, fmt.Errorf("ask the payee's bank: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, payee.MaxBody+1))
	switch {
	case err != nil:
		return payee.Answer{}, fmt.Errorf("read the answer: %w", err)
	case len(content) > payee.MaxBody:
		return payee.Answer{}, fmt.Errorf("the answer has more than %d bytes", payee.MaxBody)
	case response.StatusCode == http.StatusOK:
		return payee.ReadResponse(content)
	case response.StatusCode/100 == 4 && response.StatusCode != http.StatusTooManyRequests:
		return payee.Answer{}, fmt.Errorf("%w: %s", errRefused, response.Status)
	}
	return payee.Answer{}, fmt.Errorf("the payee's bank answered %s", response.Status)
}
