package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"countersign/web/request"
)

// PagePolicy is the Content-Security-Policy of all pages. Pages have no inline script and no inline style.
const PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// matched calls the handler that the router found for a request, or that for an unknown address.
func matched(c echo.Context) error { return c.Handler()(c) }

// identify gives each request an id of the server, and notes the caller's own id and where it came from. Echo's own middleware for that
// takes the caller's X-Request-Id for the server's: two callers could then share an id in the log.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		of := request.Names{Reference: s.cfg.NewID().String(), Address: c.RealIP()}
		id, ok := request.CheckID(c.Request().Header.Values(request.IDHeader))
		if ok {
			of.ID = id
		}
		c.SetRequest(c.Request().WithContext(request.With(c.Request().Context(), of)))
		return next(c)
	}
}

// maxAttributes is the largest number of attributes in the log line of a request.
const maxAttributes = 11

// logged writes one line for each request: the route as the table has it, never the address with its values, no header and no body, so
// that no secret, name or account can get into the log.
func (s *Server) logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.cfg.Now()
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		ctx := c.Request().Context()
		level := slog.LevelInfo
		status := outcome(c)
		// 503 is no fault of the program: the store says once that its database is away.
		if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable {
			level = slog.LevelError
		}
		attributes := append(
			make([]slog.Attr, 0, maxAttributes),
			slog.String("method", method(c.Request().Method)), slog.String("route", c.Path()), slog.Int("status", status),
			slog.Int64("bytes", c.Response().Size), slog.Duration("took", s.cfg.Now().Sub(start)),
			slog.String("reference", request.Reference(ctx)), slog.String("address", request.Address(ctx)),
		)
		if by, known := request.Principal(ctx); known {
			attributes = append(
				attributes, slog.String("realm", by.Realm), slog.String("client", by.ClientID), slog.String("user", by.UserID.String()),
			)
		}
		if id := request.ID(ctx); id != "" {
			attributes = append(attributes, slog.String("requestId", id))
		}
		s.cfg.Log.LogAttrs(ctx, level, "request", attributes...)
		s.cfg.Database.Metrics().Request(method(c.Request().Method), c.Path(), status, s.cfg.Now().Sub(start))
		return nil
	}
}

// traced begins the span of a request, where somebody collects them.
func (s *Server) traced(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.cfg.Database.Traces() == nil {
			return next(c)
		}
		ctx, end := s.cfg.Database.Traces().Request(c.Request())
		c.SetRequest(c.Request().WithContext(ctx))
		err := next(c)
		end(c.Path(), outcome(c))
		return err
	}
}

// statusClosed is the status in log, metrics and traces of a request whose client hung up before the answer, as in proxies. It is never
// sent.
const statusClosed = 499

// outcome is the status that log, metrics and traces tell of. An error that nobody waited for is the client's doing, which broke the work
// off: counted as ours, each client that gives up would look like an outage. What Serve cuts off has a cause of its own.
func outcome(c echo.Context) int {
	status := c.Response().Status
	if status >= http.StatusInternalServerError && errors.Is(context.Cause(c.Request().Context()), context.Canceled) {
		return statusClosed
	}
	return status
}

// method is the request's method if it is one of the table's, so that a made-up one stays out of the log.
func method(given string) string {
	switch given {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return given
	}
	return "other"
}

// recovered turns a panic into an error with its stack, which only the log shows. http.ErrAbortHandler goes on up: it ends a connection.
func recovered() echo.MiddlewareFunc {
	return middleware.RecoverWithConfig(middleware.RecoverConfig{
		DisableErrorHandler: true, // the error is written like any other
		LogErrorFunc:        func(_ echo.Context, err error, stack []byte) error { return fmt.Errorf("panic: %w\n%s", err, stack) },
	})
}

type stopKey struct{}

// withStop returns a context for requests that knows when the server stops, and outlives it.
func withStop(requests, server context.Context) context.Context {
	return context.WithValue(requests, stopKey{}, server)
}

// asHead answers HEAD by the handler of GET: the server leaves the body out.
func asHead(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		get := c.Request().WithContext(c.Request().Context()) // a copy: the server still knows what was asked
		get.Method = http.MethodGet
		c.SetRequest(get)
		return next(c)
	}
}

// endStream ends the context of a stream, and of a call that waits, when the server stops. Other requests finish by themselves.
func (s *Server) endStream(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		server, served := ctx.Value(stopKey{}).(context.Context)
		if !served || !s.waits[c.Path()] {
			return next(c)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(server, cancel)()
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// secured sets the security headers of every answer.
func (s *Server) secured(next echo.HandlerFunc) echo.HandlerFunc {
	fixed := http.Header{}
	fixed.Set("Content-Security-Policy", PagePolicy)
	fixed.Set("X-Content-Type-Options", "nosniff")
	fixed.Set("Referrer-Policy", "no-referrer")
	fixed.Set("Cross-Origin-Opener-Policy", "same-origin")
	fixed.Set("Cross-Origin-Resource-Policy", "same-origin")
	fixed.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	if s.cfg.TLS {
		fixed.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
	return func(c echo.Context) error {
		maps.Copy(c.Response().Header(), fixed) // lists of one: adding to one makes a new list
		for _, name := range []string{echo.HeaderAuthorization, echo.HeaderOrigin, "Sec-Fetch-Site"} {
			if given := c.Request().Header.Values(name); len(given) > 1 { // a proxy may have read another one than we would
				c.Request().Header.Set(name, strings.Join(given, ", "))
			}
		}
		if len(c.Request().TransferEncoding) > 0 {
			// A chunked request may have had a Content-Length too, which net/http hides: another request must not follow it.
			c.Response().Header().Set(echo.HeaderConnection, "close")
		}
		return next(c)
	}
}

// private keeps pages out of every cache.
func private(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return next(c)
	}
}
