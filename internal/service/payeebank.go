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
