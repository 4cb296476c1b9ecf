package service

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payee"
)

// PayeeBankConfig holds the address and the certificates of the verification service.
type PayeeBankConfig struct {
	// Address is the address before payee.Path, such as https://vop.example.
	Address string
	// TLS has the client certificate and the authorities of the other side; nil shows none.
	TLS   *tls.Config
	Now   func() time.Time
	NewID func() uuid.UUID
	Log   *slog.Logger
}

// Verifier is a payee.Verifier that calls the service of a provider.
type Verifier struct {
	cfg     PayeeBankConfig
	address string
	peer    *peer
}

// NewPayeeBank makes the verifier. It sends nothing yet.
func NewPayeeBank(cfg PayeeBankConfig) *Verifier {
	return &Verifier{
		cfg: cfg, address: strings.TrimRight(cfg.Address, "/") + payee.Path,
		peer: newPeer(peerConfig{
			Name: "payee", TLS: cfg.TLS, Handshake: payee.Limit, Pause: 5 * time.Second,
			Back: func() { cfg.Log.Info("payees are verified again") },
			Lost: func() {
				cfg.Log.Error("payees cannot be verified: payments go on without, and one question is tried every five seconds",
					slog.Bool("alarm", true))
			},
		}),
	}
}

// Verify asks the bank of an account whether a name belongs to the account, and waits for payee.Limit at most.
func (v *Verifier) Verify(ctx context.Context, q payee.Question) (answer payee.Answer, err error) {
	limited, cancel := context.WithTimeout(ctx, payee.Limit)
	defer cancel()
	err = v.peer.do(func() (err error) {
		answer, err = v.ask(limited, q)
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(limited.Err(), context.DeadlineExceeded) {
			err = payee.ErrLate
		}
		if err != nil {
			v.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a payee was not verified", slog.String("bank", q.Bank), slog.String("error", err.Error()))
		}
		return err
	})
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
	content, err := v.peer.send(request, payee.MaxBody)
	if err != nil {
		return payee.Answer{}, err
	}
	return payee.ReadResponse(content)
}

// These are the lifetimes of cached payee verifications, so that the stored result matches the review page. An answer
// lives as long as a form is open, a missing answer only until the next step.
const (
	rememberAnswer  = 10 * time.Minute
	rememberFailure = time.Minute
	// maxRemembered bounds each of the two generations of the cache: a full new generation replaces the old one.
	maxRemembered = 10_000
)

// askedPayee is a question: the name and account, asked for a realm.
type askedPayee struct{ realm, iban, name string }

// rememberedPayees caches the last answers, in memory only: others could write answers into the database.
type rememberedPayees struct {
	mu      sync.Mutex
	recent  map[askedPayee]payee.Verification
	earlier map[askedPayee]payee.Verification
}

// recall returns the cached result, if it is recent.
func (r *rememberedPayees) recall(key askedPayee, now time.Time) (payee.Verification, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, known := r.recent[key]
	if !known {
		found, known = r.earlier[key]
	}
	life := rememberAnswer
	if found.Result == payee.Late || found.Result == payee.NotPossible {
		life = rememberFailure
	}
	return found, known && now.Sub(found.At) < life
}

// keep caches a result.
func (r *rememberedPayees) keep(key askedPayee, found payee.Verification) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.recent == nil || len(r.recent) >= maxRemembered {
		r.recent, r.earlier = make(map[askedPayee]payee.Verification), r.recent
	}
	r.recent[key] = found
}
