// Package client calls the API of a gateway. Its types and calls are generated from the OpenAPI document. By hand are the sign-in, the
// repeat of calls whose outcome is unknown, the reader of events, and the check of webhooks. It is a package of its own because programs
// of other organisations import it without the gateway.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Config names the gateway and the person or program that calls it.
type Config struct {
	URL      string // of the gateway, without path
	Realm    string
	ClientID string
	// ClientSecret is needed by confidential clients.
	ClientSecret string
	// Without Username the program acts by itself, with the roles of its client: it only reads.
	Username, Password string
	// HTTP sends the requests; http.DefaultClient by default. Its time-out must exceed 30 s, the longest wait for events.
	HTTP *http.Client
	// Patience is the time for which a call is repeated while its outcome is unknown; a minute by default.
	Patience time.Duration
}

// Gateway makes the calls of one person or program. It is safe for concurrent use.
type Gateway struct{ *ClientWithResponses }

// defaultPatience outlives a restart of the gateway.
const defaultPatience = time.Minute

// New makes a gateway. It sends nothing before the first call.
func New(config Config) (*Gateway, error) {
	config.URL = strings.TrimRight(config.URL, "/")
	if config.HTTP == nil {
		config.HTTP = http.DefaultClient
	}
	if config.Patience == 0 {
		config.Patience = defaultPatience
	}
	calls, err := NewClientWithResponses(config.URL, WithHTTPClient(&sender{config: config, tokens: tokens{config: config}}))
	if err != nil {
		return nil, fmt.Errorf("make the client: %w", err)
	}
	return &Gateway{calls}, nil
}

// InstructionOf wraps an order for CreateInstruction.
func InstructionOf(order InstructionOrder) (InstructionRequest, error) {
	var request InstructionRequest
	return request, request.FromInstructionOrder(order)
}

// Error is an answer that reports a failure.
type Error struct {
	Status  int    // HTTP
	Code    string // such as 403_FOUR_EYES; empty for the variants of creation and approval
	Message string
	Fields  []Field // the places that are wrong
}

func (e *Error) Error() string {
	parts := []string{strconv.Itoa(e.Status)}
	for _, part := range []string{e.Code, e.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	for _, field := range e.Fields {
		parts = append(parts, fmt.Sprintf("%s: %s (%s)", field.FieldMap, field.ReasonText, field.ReasonCode))
	}
	return strings.Join(parts, ": ")
}

// problem holds the members of all variants of failures.
type problem struct {
	ErrorCode string          `json:"errorCode"`
	Message   json.RawMessage `json:"message"` // a sentence, or the status report of a refusal
	Fields    []Field         `json:"fields"`
	Errors    []Field         `json:"errors"`
	Failure   *Failure        `json:"error"`
}

// Check returns nil for a success, else an *Error. Give it StatusCode() and Body of an answer.
func Check(status int, body []byte) error {
	if status < http.StatusBadRequest {
		return nil
	}
	var read problem
	_ = json.Unmarshal(body, &read) // an answer of a proxy has no members
	failed := &Error{Status: status, Code: read.ErrorCode, Fields: append(read.Fields, read.Errors...)}
	_ = json.Unmarshal(read.Message, &failed.Message)
	if read.Failure != nil {
		failed.Message = read.Failure.Message
	}
	return failed
}

// sender signs requests and repeats them while their outcome is unknown. A repeat does nothing twice: each POST has an Idempotency-Key, and
// creations have their externalId too.
type sender struct {
	config Config
	tokens tokens
}

// firstWait is the wait before the first repeat; it doubles up to longestWait. Retry-After takes its place.
const (
	firstWait   = 200 * time.Millisecond
	longestWait = 5 * time.Second
)

// Do sends a request until its outcome is known, the patience ends or the context ends.
func (s *sender) Do(request *http.Request) (*http.Response, error) {
	if request.Header.Get("X-Request-Id") == "" {
		request.Header.Set("X-Request-Id", uuid.NewString())
	}
	if request.Method == http.MethodPost && request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", uuid.NewString())
	}
	ctx := request.Context()
	end := time.Now().Add(s.config.Patience)
	renewed := false
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		answer, err := s.once(request)
		if err == nil && answer.StatusCode == http.StatusUnauthorized && !renewed {
			renewed = true
			s.tokens.forget(request.Header.Get("Authorization"))
			_ = answer.Body.Close()
			continue
		}
		pause, unknown := outcomeUnknown(answer, err)
		pause = max(pause, wait)
		if ctx.Err() != nil || !unknown || time.Now().Add(pause).After(end) {
			return answer, err
		}
		if answer != nil {
			_ = answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// once sends a request with a token.
func (s *sender) once(request *http.Request) (*http.Response, error) {
	authorization, err := s.tokens.authorization(request.Context())
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", authorization)
	if request.GetBody != nil {
		request.Body, err = request.GetBody()
		if err != nil {
			return nil, err
		}
	}
	return s.config.HTTP.Do(request)
}

// outcomeUnknown reports whether a request should be repeated, and how long to wait before: it did not arrive, its answer is lost or late,
// or the gateway asks to wait.
func outcomeUnknown(answer *http.Response, err error) (wait time.Duration, unknown bool) {
	if refused, is := err.(*Error); is { //nolint:errorlint // as the sign-in returns it
		return 0, refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError
	}
	if err != nil {
		return 0, true
	}
	switch answer.StatusCode {
	case http.StatusConflict, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, true
	case http.StatusBadRequest:
		return 0, timedOut(answer)
	}
	return 0, false
}

// timedOut reports whether a 400 is the variant for an unknown outcome. It leaves the body as it was.
func timedOut(answer *http.Response) bool {
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var read problem
	return err == nil && json.Unmarshal(body, &read) == nil && read.Failure != nil && read.Errors == nil
}

// Cursor stores how far the events were read.
type Cursor interface {
	// Load returns the stored place; empty before the first Store.
	Load(ctx context.Context) (string, error)
	// Store replaces the place.
	Store(ctx context.Context, place string) error
}

// longestEventWait is the longest time in seconds that a call waits for an event.
const longestEventWait = 30

// Follow reads the events after the cursor, one after the other, and gives each to handle, until the context ends, a call fails for good or
// handle fails. The cursor is stored after each event that was handled, so that a program that stops in between gets that event again. An
// empty cursor begins with the oldest event. After and Wait of the filter are ignored.
func (g *Gateway) Follow(ctx context.Context, cursor Cursor, filter ListEventsParams, handle func(context.Context, Event) error) error {
	place, err := cursor.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the cursor: %w", err)
	}
	wait := longestEventWait
	filter.Wait = &wait
	for {
		filter.After = nil
		if place != "" {
			filter.After = &place
		}
		answer, err := g.ListEventsWithResponse(ctx, &filter)
		if err == nil {
			err = Check(answer.StatusCode(), answer.Body)
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		for _, event := range answer.JSON200.Events {
			err = handle(ctx, event)
			if err != nil {
				return err
			}
			err = cursor.Store(ctx, event.ID.String())
			if err != nil {
				return fmt.Errorf("store the cursor: %w", err)
			}
		}
		next := answer.JSON200.Next
		if next != uuid.Nil && next.String() != place { // events that the filter left out
			place = next.String()
			err = cursor.Store(ctx, place)
			if err != nil {
				return fmt.Errorf("store the cursor: %w", err)
			}
		}
	}
}
