package portal

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"
)

// sessionFailure is an error of the session library while it loads or stores a session.
type sessionFailure struct{ err error }

type sessionFailureKey struct{}

// noteSessionFailure stores the error for withSession. The library has no other way to report it.
func noteSessionFailure(_ http.ResponseWriter, r *http.Request, err error) {
	failure, _ := r.Context().Value(sessionFailureKey{}).(*sessionFailure)
	if failure != nil {
		failure.err = err
	}
}

// withSession runs a handler within the session library. When loading or storing a session fails, an error page replaces the answer of the
// handler.
func (p *Portal) withSession(c echo.Context, used echo.HandlerFunc) error {
	failure, own := &sessionFailure{}, c.Response()
	c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), sessionFailureKey{}, failure)))
	c.SetResponse(echo.NewResponse(&heldBack{ResponseWriter: own, failure: failure}, c.Echo()))
	err := used(c)
	c.SetResponse(own)
	if failure.err != nil && !own.Committed {
		own.Header().Del(echo.HeaderLocation)
		return p.newRequest(c).fail(failure.err)
	}
	return err
}

// heldBack forwards an answer unless its session failed.
type heldBack struct {
	http.ResponseWriter
	failure *sessionFailure
}

// WriteHeader sends the status.
func (h *heldBack) WriteHeader(status int) {
	if h.failure.err == nil {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write sends a part of the body.
func (h *heldBack) Write(content []byte) (int, error) {
	if h.failure.err != nil {
		return len(content), nil
	}
	return h.ResponseWriter.Write(content)
}

// Unwrap returns the underlying writer for http.ResponseController.
func (h *heldBack) Unwrap() http.ResponseWriter { return h.ResponseWriter }
