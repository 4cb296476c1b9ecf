// Package vop is the door for other banks that ask about payees: whether a name is that of an account kept here. It speaks the
// inter-bank API of the EPC (internal/payee) and knows no users: each bank that may ask has a token of its own. It stands apart from
// the door of clearing, which takes documents and keeps them; this one reads and forgets.
package vop

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"countersign/internal/account"
	"countersign/internal/payee"
	"countersign/internal/service"
	"countersign/web/request"
)

// AnyBank replaces the BIC of a requester that asks for many banks.
const AnyBank = "*"

// clockSkew limits the difference between the time of a question and this clock.
const clockSkew = 5 * time.Minute

// Requester is a bank that may ask, or a service that asks for banks.
type Requester struct {
	BIC       string            // of the bank; AnyBank for a service
	TokenHash [sha256.Size]byte // of its bearer token
}

// NewRequester makes the requester of a token. The token itself is not kept.
func NewRequester(bic, token string) Requester {
	return Requester{BIC: bic, TokenHash: sha256.Sum256([]byte(token))}
}

// DefaultPerSecond is the questions a second that one requester may ask.
const DefaultPerSecond = 100

// Config holds the dependencies and limits of a Door.
type Config struct {
	Station    *service.PayeeLookup
	Requesters []Requester
	PerSecond  int // questions of one requester; 0 means DefaultPerSecond
	Now        func() time.Time
	Log        *slog.Logger
}

// Door answers questions.
type Door struct {
	cfg    Config
	limits []*rate.Limiter // of each requester
}

// New makes the door. Without requesters it answers nobody.
func New(cfg Config) (*Door, error) {
	if cfg.Station == nil || cfg.Now == nil || cfg.Log == nil {
		return nil, errors.New("respond: station, clock and log are needed")
	}
	if cfg.PerSecond <= 0 {
		cfg.PerSecond = DefaultPerSecond
	}
	d := &Door{cfg: cfg}
	for range cfg.Requesters {
		d.limits = append(d.limits, rate.NewLimiter(rate.Limit(cfg.PerSecond), cfg.PerSecond))
	}
	return d, nil
}

// Routes lists the one call.
func (d *Door) Routes() []request.Route {
	return []request.Route{{Method: http.MethodPost, Path: payee.Path, Handle: d.answer}}
}

// answer answers one question.
func (d *Door) answer(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	c.Response().Header().Set(payee.ResponseTimestamp, payee.Timestamp(d.cfg.Now()))
	by, known := d.requester(c.Request())
	if !known {
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="countersign"`)
		return refuse(c, http.StatusUnauthorized, payee.CodeClient, "Send the bearer token that was agreed on.")
	}
	taken := d.limits[by].ReserveN(d.cfg.Now(), 1)
	if wait := taken.DelayFrom(d.cfg.Now()); wait > 0 {
		taken.CancelAt(d.cfg.Now())
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return refuse(c, http.StatusTooManyRequests, payee.CodeClient, "Ask less often: more than was agreed on are asked in a second.")
	}
	q, fault, err := d.question(c)
	if err != nil {
		return err
	}
	if fault == nil && d.cfg.Requesters[by].BIC != AnyBank && !account.SameBank(d.cfg.Requesters[by].BIC, q.Asker) {
		fault = &faulty{payee.CodeInconsistent, "requestingAgent is another bank than the one whose token this is."}
	}
	if fault != nil {
		return refuse(c, http.StatusBadRequest, fault.code, fault.text)
	}
	answer, err := d.cfg.Station.Answer(c.Request().Context(), q)
	if err != nil {
		return err
	}
	d.cfg.Log.LogAttrs(c.Request().Context(), slog.LevelInfo, "a bank asked about a payee", slog.String("bank", q.Asker),
		slog.String("result", string(answer.Result)), slog.String("question", c.Request().Header.Get(payee.RequestID)))
	return c.JSON(http.StatusOK, payee.NewResponse(answer, q.Name != ""))
}

// requester finds who asks by the bearer token. Every requester is compared, each in constant time.
func (d *Door) requester(r *http.Request) (at int, known bool) {
	kind, token, _ := strings.Cut(r.Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(kind, "bearer") || token == "" {
		return 0, false
	}
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	for i, requester := range d.cfg.Requesters {
		if subtle.ConstantTimeCompare(given[:], requester.TokenHash[:]) == 1 {
			at, known = i, true
		}
	}
	return at, known
}

// faulty describes the mistake in a question.
type faulty struct{ code, text string }

// question reads a question to its end. Mistakes in the headers are reported before those in the body.
func (d *Door) question(c echo.Context) (payee.Question, *faulty, error) {
	r := c.Request()
	id, err := uuid.Parse(r.Header.Get(payee.RequestID))
	if err != nil || len(r.Header.Get(payee.RequestID)) != len(id.String()) {
		return payee.Question{}, &faulty{payee.CodeFormat, payee.RequestID + ": give a UUID in its 36 characters."}, nil
	}
	c.Response().Header().Set(payee.RequestID, r.Header.Get(payee.RequestID))
	at, err := time.Parse(time.RFC3339, r.Header.Get(payee.RequestTimestamp))
	if off := d.cfg.Now().Sub(at); err != nil || off.Abs() > clockSkew {
		text := payee.RequestTimestamp + ": give the present time, such as 2026-11-20T09:30:00.000Z."
		return payee.Question{}, &faulty{payee.CodeTimestamp, text}, nil
	}
	body, err := request.ReadTyped(c, echo.MIMEApplicationJSON, payee.MaxBody)
	var mediaType *request.MediaTypeError
	if errors.As(err, &mediaType) {
		return payee.Question{}, &faulty{payee.CodeFormat, "Content-Type: send application/json."}, nil
	}
	if err != nil {
		return payee.Question{}, nil, err
	}
	q, err := payee.ReadRequest(body)
	if err != nil {
		return q, &faulty{payee.CodeFormat, err.Error()}, nil
	}
	iban, err := account.Parse(q.IBAN)
	if err != nil {
		return q, &faulty{payee.CodeFormat, "partyAccount.iban: give a valid IBAN without spaces."}, nil
	}
	q.IBAN = iban.String()
	return q, nil, nil
}

// refuse answers with a problem in the form of the API (RFC 9457).
func refuse(c echo.Context, status int, code, text string) error {
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	return c.JSON(status, payee.Problem{Type: "about:blank", Code: code, Title: http.StatusText(status), Status: status, Detail: text})
}
