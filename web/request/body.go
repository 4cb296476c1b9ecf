package request

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

var (
	// ErrSlowBody: the body had not arrived when the time of the request was over.
	ErrSlowBody = errors.New("the body did not arrive in time")
	// ErrBrokenBody: the body broke off.
	ErrBrokenBody = errors.New("the body broke off")
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// Within limits how long a request may take: its context ends then, and a body that is still on its way is cut off, so that a slow
// sender holds nothing for longer.
func Within(limit time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			outer := c.Request().Context()
			ctx, cancel := context.WithTimeout(outer, limit)
			controller := http.NewResponseController(c.Response())
			stop := context.AfterFunc(ctx, func() { _ = controller.SetReadDeadline(longAgo) }) // not every server has one
			defer func() {
				stop()
				cancel()
				c.SetRequest(c.Request().WithContext(outlasting{Context: outer, values: c.Request().Context()}))
			}()
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	}
}

// outlasting is the context of a request whose time is over: the answer to its error is still to be written, and its line of the log,
// both with what became known on the way, such as who asked.
type outlasting struct {
	context.Context
	values context.Context
}

// Value returns what became known within the time.
func (o outlasting) Value(key any) any { return o.values.Value(key) }

// maxAnnounced is how much room a body gets, in bytes, by the length its sender says it has.
const maxAnnounced = 16 << 10

// MediaTypeError says that a body is of another type than its address takes, compressed, or in another alphabet than UTF-8.
type MediaTypeError struct {
	Wanted string // such as application/json
}

// Error says what to send.
func (e *MediaTypeError) Error() string {
	return "send the body as " + e.Wanted + " in UTF-8, without a content encoding"
}

// ReadTyped is ReadBody for a body of one media type. Errors: *MediaTypeError, and those of ReadBody.
func ReadTyped(c echo.Context, wanted string, most int64) ([]byte, error) {
	header := c.Request().Header
	kind, parameters, err := mime.ParseMediaType(header.Get(echo.HeaderContentType))
	foreign := parameters["charset"] != "" && !strings.EqualFold(parameters["charset"], "utf-8")
	if err != nil || kind != wanted || foreign || header.Get(echo.HeaderContentEncoding) != "" {
		return nil, &MediaTypeError{Wanted: wanted}
	}
	return ReadBody(c, most)
}

// ReadBody reads a body of at most so many bytes to its end. Errors: *http.MaxBytesError, ErrSlowBody, ErrBrokenBody. After a slow one
// the connection is closed.
func ReadBody(c echo.Context, most int64) ([]byte, error) {
	announced := min(max(c.Request().ContentLength, 0), most, maxAnnounced)
	content := bytes.NewBuffer(make([]byte, 0, announced+bytes.MinRead))
	_, err := content.ReadFrom(http.MaxBytesReader(c.Response(), c.Request().Body, most))
	if err == nil {
		return content.Bytes(), nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return content.Bytes(), err
	}
	if TooSlow(c, err) {
		return nil, ErrSlowBody
	}
	return nil, ErrBrokenBody
}

// TooSlow says whether a body could not be read because it did not arrive in time, and if so lets the connection end.
func TooSlow(c echo.Context, err error) bool {
	slow := errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrSlowBody)
	if slow {
		c.Response().Header().Set(echo.HeaderConnection, "close")
	}
	return slow
}
