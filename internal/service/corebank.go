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

	"countersign/internal/payment"
)

// corePath is the path of the port to core banking below its address; docs/core-banking.md describes the calls.
const corePath = "/corebank/v1/"

const (
	// maxCoreAnswer is the longest answer of core banking, in bytes.
	maxCoreAnswer = 16 << 10
	// The pause between two attempts of one question, doubled each time.
	coreFirstPause, coreLongestPause = 25 * time.Millisecond, 400 * time.Millisecond
	// corePause is short, because a payment waits for the restart of core banking within its time-out.
	corePause = 250 * time.Millisecond
	// coreBookWithin limits one attempt to tell how a payment ended.
	coreBookWithin = 5 * time.Second
)

// CoreBankConfig holds the address and the certificates of core banking.
type CoreBankConfig struct {
	Address string        // before /corebank/v1/, such as https://core.example
	TLS     *tls.Config   // nil shows no certificate
	Within  time.Duration // for the answer to a question
	Log     *slog.Logger
}

// CoreBank is the client of core banking; it is a clearing.Core.
type CoreBank struct {
	cfg     CoreBankConfig
	address string
	peer    *peer
}

// NewCoreBank makes the client. It sends nothing yet.
func NewCoreBank(cfg CoreBankConfig) *CoreBank {
	return &CoreBank{
		cfg: cfg, address: strings.TrimRight(cfg.Address, "/") + corePath,
		peer: newPeer(peerConfig{
			Name: "core banking", TLS: cfg.TLS, Handshake: coreBookWithin, Pause: corePause,
			Back: func() { cfg.Log.Info("core banking answers again") },
			Lost: func() {
				cfg.Log.Error("core banking does not answer: the policies decide about payments, and one request at a time is tried",
					slog.Bool("alarm", true))
			},
		}),
	}
}

// corePayment is a payment in a request to core banking.
type corePayment struct {
	PaymentID         string     `json:"paymentId"`
	GlobalID          string     `json:"globalId"`
	Realm             string     `json:"realm"`
	Kind              string     `json:"kind"`      // instruction, return or payment
	Direction         string     `json:"direction"` // out debits the account, in credits it
	Scheme            string     `json:"scheme"`
	Account           string     `json:"account"` // IBAN, with us
	Amount            coreAmount `json:"amount"`
	Counterparty      coreParty  `json:"counterparty"`
	EndToEndID        string     `json:"endToEndId,omitempty"`
	TransactionID     string     `json:"transactionId,omitempty"`
	Remittance        string     `json:"remittance,omitempty"`
	OriginalPaymentID string     `json:"originalPaymentId,omitempty"` // of a return
}

type coreAmount struct {
	Currency string `json:"Ccy"`
	Value    string `json:"value"`
}

type coreParty struct {
	Name    string `json:"name,omitempty"`
	Account string `json:"account,omitempty"`
	Agent   string `json:"agent,omitempty"`
}

// coreBooking is a payment with its end.
type coreBooking struct {
	corePayment
	Result    string `json:"result"`   // settled or failed
	Sequence  int    `json:"sequence"` // grows with each change of the payment
	At        string `json:"at"`       // of the end
	SettledAt string `json:"settledAt,omitempty"`
}

// coreReply is the answer to a question.
type coreReply struct {
	Result string `json:"result"` // accepted or refused
	Code   string `json:"code"`
	Text   string `json:"text"`
}

func corePaymentOf(m payment.Message) corePayment {
	p := corePayment{
		PaymentID: m.InternalID.String(), GlobalID: string(m.GlobalID), Realm: m.Realm, Kind: string(m.Kind), Direction: string(m.Direction),
		Scheme: string(m.Scheme), Account: m.OwnAccount(),
		Amount:     coreAmount{Currency: string(m.Summary.Amount.Currency()), Value: m.Summary.Amount.String()},
		EndToEndID: m.Summary.EndToEndID, TransactionID: m.Summary.TransactionID, Remittance: m.Summary.Remittance,
	}
	debtor := coreParty{Name: m.Summary.DebtorName, Account: m.Summary.DebtorAccount, Agent: m.Summary.DebtorAgent}
	creditor := coreParty{Name: m.Summary.CreditorName, Account: m.Summary.CreditorAccount, Agent: m.Summary.CreditorAgent}
	p.Counterparty = debtor
	if p.Account == debtor.Account {
		p.Counterparty = creditor
	}
	if m.Kind == payment.KindReturn {
		p.OriginalPaymentID = m.OriginalID.String()
	}
	return p
}

// Reserve requests the reservation of the amount of a payment of ours, repeatedly within the time-out. Error: payment.ErrCoreUnreached.
func (c *CoreBank) Reserve(ctx context.Context, m payment.Message) (payment.CoreAnswer, error) {
	return c.ask(ctx, http.MethodPut, "payments/"+m.InternalID.String()+"/reservation", corePaymentOf(m))
}

// MayCredit asks whether the account of an incoming payment may be credited. Error: payment.ErrCoreUnreached.
func (c *CoreBank) MayCredit(ctx context.Context, m payment.Message) (payment.CoreAnswer, error) {
	return c.ask(ctx, http.MethodPost, "credit-checks", corePaymentOf(m))
}

// Book reports the end of a payment. Error: payment.ErrCoreUnreached, unless core banking refuses the report.
func (c *CoreBank) Book(ctx context.Context, m payment.Message, result payment.CoreResult) error {
	booking := coreBooking{
		corePayment: corePaymentOf(m), Result: string(result), Sequence: m.Sequence, At: m.StateSince.UTC().Format(time.RFC3339Nano),
	}
	if !m.SettledAt.IsZero() {
		booking.SettledAt = m.SettledAt.UTC().Format(time.RFC3339Nano)
	}
	limited, cancel := context.WithTimeout(ctx, coreBookWithin)
	defer cancel()
	_, err := c.once(limited, http.MethodPut, "payments/"+m.InternalID.String()+"/booking", booking)
	switch {
	case errors.Is(err, errRefused):
		return fmt.Errorf("core banking refuses the end of a payment: %w", err)
	case err != nil:
		return fmt.Errorf("%w: %w", payment.ErrCoreUnreached, err)
	}
	return nil
}

// ask sends a request until core banking answers or the time is over.
func (c *CoreBank) ask(ctx context.Context, method, path string, body corePayment) (payment.CoreAnswer, error) {
	limited, cancel := context.WithTimeout(ctx, c.cfg.Within)
	defer cancel()
	for pause := coreFirstPause; ; pause = min(2*pause, coreLongestPause) {
		answer, err := c.answer(limited, method, path, body)
		if err == nil {
			return answer, nil
		}
		wait := pause
		if errors.Is(err, errRefused) {
			wait = c.cfg.Within // the same request is refused again
		}
		if deadline, _ := limited.Deadline(); time.Until(deadline) > wait {
			select {
			case <-limited.Done():
			case <-time.After(wait):
				continue
			}
		}
		c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "core banking was not reached about a payment", slog.String("paymentId", body.PaymentID),
			slog.String("error", err.Error()))
		return payment.CoreAnswer{}, fmt.Errorf("%w: %w", payment.ErrCoreUnreached, err)
	}
}

// answer sends a request once and reads the answer.
func (c *CoreBank) answer(ctx context.Context, method, path string, body any) (payment.CoreAnswer, error) {
	content, err := c.once(ctx, method, path, body)
	if err != nil {
		return payment.CoreAnswer{}, err
	}
	var reply coreReply
	err = json.Unmarshal(content, &reply)
	switch {
	case err != nil:
		return payment.CoreAnswer{}, fmt.Errorf("read the answer: %w", err)
	case reply.Result == "accepted":
		return payment.CoreAnswer{Outcome: payment.CoreAccepted}, nil
	case reply.Result == "refused":
		return payment.CoreRefusal(reply.Code, reply.Text), nil
	}
	return payment.CoreAnswer{}, errors.New(`the answer has another result than "accepted" and "refused"`)
}

// once sends one request.
func (c *CoreBank) once(ctx context.Context, method, path string, body any) (content []byte, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	err = c.peer.do(func() error {
		request, err := http.NewRequestWithContext(ctx, method, c.address+path, bytes.NewReader(text))
		if err != nil {
			return fmt.Errorf("prepare the request: %w", err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
		content, err = c.peer.send(request, maxCoreAnswer)
		return err
	})
	return content, err
}
