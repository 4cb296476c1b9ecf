package request

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
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
			timed := c.Request().WithContext(ctx)
			arriving := arrive(ctx, c, timed)
			c.SetRequest(timed)
			defer func() {
				arriving.end()
				cancel()
				c.SetRequest(c.Request().WithContext(outlasting{Context: outer, values: c.Request().Context()}))
			}()
			return next(c)
		}
	}
}

// arriving is the body of a request while it is on its way. From its end on nothing touches the connection any more: the server itself
// then waits there for the client to go, and took a deadline for that, which ended the context of every later request on the connection.
type arriving struct {
	io.ReadCloser
	response *echo.Response
	keep     func() bool   // calls the cut off; false if it was begun
	cut      chan struct{} // closed when it is made
	ended    bool
}

// arrive has the body of a request cut off when a context ends. A request without one is left alone.
func arrive(ctx context.Context, c echo.Context, r *http.Request) *arriving {
	a := &arriving{ReadCloser: r.Body, response: c.Response(), cut: make(chan struct{}), ended: r.Body == nil || r.Body == http.NoBody}
	if a.ended {
		return a
	}
	r.Body = a
	controller := http.NewResponseController(c.Response())
	a.keep = context.AfterFunc(ctx, func() {
		defer close(a.cut)
		_ = controller.SetReadDeadline(longAgo) // not every server has one
	})
	return a
}

// Read reads of the body.
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil {
		a.end()
	}
	return n, err
}

// end is when nothing more is expected of the body. The connection of one that was cut off ends with the answer, which says so.
func (a *arriving) end() {
	if a.ended {
		return
	}
	a.ended = true
	if !a.keep() {
		<-a.cut
		a.response.Header().Set(echo.HeaderConnection, "close")
	}
}

// outlasting is a context without the expired deadline of its request. The error answer and the log line are still written with its values,
// such as the caller.
type outlasting struct {
	context.Context
	values context.Context
}

// Value returns what became known within the time.
func (o outlasting) Value(key any) any { return o.values.Value(key) }
