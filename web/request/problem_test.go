package request_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/web/request"
)

// TestEachErrorHasOneAnswer is the table of the interface contract, sections 1, 4 and 5.
func TestEachErrorHasOneAnswer(t *testing.T) {
	t.Parallel()
	message := payment.Message{State: payment.StateApproved}
	findings := []payment.Finding{{Pointer: "/a", Code: "CH21", Text: "Enter a."}}
	for _, test := range []struct {
		name    string
		err     error
		read    string // status, code and variant of a page or a read
		command string // of a creation or an approval; "" when the same
	}{
		{"malformed", &payment.FieldError{Findings: findings}, "400 400_BAD_REQUEST 1", ""},
		{"refused", &payment.RefusalError{Findings: findings}, "400 400_REFUSED 2", ""},
		{"wrong state", &payment.StateError{Message: message, Wanted: payment.StateApprovalPending}, "400 400_STATE 2", ""},
		{"content changed", &payment.ContentError{Message: message}, "400 400_CONTENT_CHANGED 1", ""},
		{"wrong path", &payment.MismatchError{Message: message}, "400 400_WRONG_PATH 2", ""},
		{"four-eyes", &payment.FourEyesError{Text: "Another person must decide."}, "403 403_FOUR_EYES 0", ""},
		{"role", &payment.ForbiddenError{Text: "This needs the role maker."}, "403 403_FORBIDDEN 0", ""},
		{"no policy", store.ErrNoPolicy, "403 403_FORBIDDEN 0", ""},
		{"unknown", payment.ErrNotFound, "404 404_NOT_FOUND 0", "400 400_UNKNOWN_ID 2"},
		{"archived", &payment.ArchivedError{Month: "2026-03"}, "404 404_ARCHIVED 0", "400 400_UNKNOWN_ID 2"},
		{"no token", auth.ErrUnauthorized, "401 401_UNAUTHORIZED 0", ""},
		{"too slow", context.DeadlineExceeded, "503 503_UNAVAILABLE 0", "400 400_TIMEOUT 3"},
		{"busy", store.ErrBusy, "503 503_UNAVAILABLE 0", ""},
		{"busy in time", errors.Join(store.ErrBusy, context.DeadlineExceeded), "503 503_UNAVAILABLE 0", ""},
		{"no database", store.ErrUnavailable, "503 503_UNAVAILABLE 0", ""},
		{"no database in time", errors.Join(store.ErrUnavailable, context.DeadlineExceeded), "503 503_UNAVAILABLE 0", ""},
		{"broken off while storing", errors.Join(store.ErrUnknown, store.ErrUnavailable), "503 503_UNAVAILABLE 0", "400 400_TIMEOUT 3"},
		{"gone away", context.Canceled, "503 503_UNAVAILABLE 0", ""},
		{"too large", &http.MaxBytesError{Limit: 1}, "413 413_TOO_LARGE 0", ""},
		{"no route", echo.ErrNotFound, "404 404_NOT_FOUND 0", ""},
		{"no method", echo.ErrMethodNotAllowed, "405 405_METHOD_NOT_ALLOWED 0", ""},
		{"anything else", errors.New("pq: password leaked"), "500 500_INTERNAL_ERROR 0", ""},
		{"a move that cannot be", payment.ErrIllegalMove, "500 500_INTERNAL_ERROR 0", ""},
	} {
		wrapped := fmt.Errorf("do something: %w", test.err)
		if got := short(request.ProblemOf(wrapped)); got != test.read {
			t.Errorf("%s: %s, want %s", test.name, got, test.read)
		}
		want := test.command
		if want == "" {
			want = test.read
		}
		if got := short(request.ProblemOfCommand(wrapped)); got != want {
			t.Errorf("%s as a command: %s, want %s", test.name, got, want)
		}
	}
}

func short(p *request.Problem) string {
	return fmt.Sprintf("%d %s %d", p.Status, p.Code, p.Variant)
}

func TestTheLimitOfABodyIsTheOneItBroke(t *testing.T) {
	t.Parallel()
	if text := request.ProblemOf(&http.MaxBytesError{Limit: 16 << 10}).Text.String(); text != "The request body is too large. Send at most "+
		"16 KiB." {
		t.Errorf("got %q", text)
	}
}

func TestAnUnknownErrorShowsNothing(t *testing.T) {
	t.Parallel()
	p := request.ProblemOf(errors.New("pq: password leaked"))
	if !p.Unexpected || strings.Contains(p.Text.String(), "leaked") || len(p.Findings) != 0 || p.Message != nil {
		t.Errorf("%+v", p)
	}
	for _, known := range []error{payment.ErrNotFound, context.DeadlineExceeded, auth.ErrUnauthorized} {
		if request.ProblemOf(known).Unexpected {
			t.Errorf("%v is unexpected", known)
		}
	}
}

func TestAProblemStaysWhatItIs(t *testing.T) {
	t.Parallel()
	own := request.UnsupportedMediaType("application/json")
	if got := request.ProblemOf(fmt.Errorf("read: %w", own)); got != own {
		t.Errorf("%+v", got)
	}
	if got := request.ProblemOfCommand(own); got != own {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsTemporarySaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	if request.ProblemOf(context.DeadlineExceeded).RetryAfter <= 0 || request.ProblemOf(payment.ErrNotFound).RetryAfter != 0 {
		t.Error("RetryAfter stands where it does not belong, or is missing")
	}
}
