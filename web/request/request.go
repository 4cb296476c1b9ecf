// Package request holds the parts that every door of the server shares: the principal, address and id of a request in its context, limits
// of bodies and time, routes, problem responses (RFC 9457) and CSV that spreadsheets open safely.
package request

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
)

// Route is one line of the route table. The packages of the API, the portal and clearing return their lines; only package web registers
// them.
type Route struct {
	Method string
	Path   string // as echo writes it, for example /payments/:id
	Handle echo.HandlerFunc
	Stream bool // the answer goes on until somebody ends it
	Waits  bool // the answer may wait for an event; it comes at once when the server stops
}

// Alias returns the same route for each of the paths. All aliases of a call are made here, from one line, so that none can have a
// handler of its own.
func Alias(method string, handle echo.HandlerFunc, paths ...string) []Route {
	routes := make([]Route, 0, len(paths))
	for _, path := range paths {
		routes = append(routes, Route{Method: method, Path: path, Handle: handle})
	}
	return routes
}

type key int

const (
	keyPrincipal key = iota
	keyNames
)

// Names holds the ids and the address of a request.
type Names struct {
	// Reference is the id the server gave it: a UUID that stands in the log, in the header of an API answer and on the page of an unexpected
	// error.
	Reference string
	// ID is the caller's own (X-Request-Id, 1 to MaxID printable characters); "" when there is none (in the portal, or before it was checked).
	ID string
	// Address is the source address: that of the connection, or as a trusted proxy reports it, never from another header.
	Address string
}

// With returns a context that knows the names of its request.
func With(ctx context.Context, of Names) context.Context {
	return context.WithValue(ctx, keyNames, &of)
}

// names are those of the request, none outside one.
func names(ctx context.Context) Names {
	of, known := ctx.Value(keyNames).(*Names)
	if !known {
		return Names{}
	}
	return *of
}

// WithPrincipal returns a context that holds the caller.
func WithPrincipal(ctx context.Context, principal identity.Principal) context.Context {
	return context.WithValue(ctx, keyPrincipal, principal)
}

// Principal returns who asks; ok is false before authentication.
func Principal(ctx context.Context) (principal identity.Principal, ok bool) {
	principal, ok = ctx.Value(keyPrincipal).(identity.Principal)
	return principal, ok
}

// ID returns the caller's own request id, "" when there is none.
func ID(ctx context.Context) string { return names(ctx).ID }

// IDHeader carries the caller's own id of a request, MaxID is its longest form in characters.
const (
	IDHeader = "X-Request-Id"
	MaxID    = 140
)

// CheckID reads the values of IDHeader; ok is false unless there is exactly one, of 1 to MaxID printable characters.
func CheckID(values []string) (id string, ok bool) {
	if len(values) != 1 || values[0] == "" || !utf8.ValidString(values[0]) || utf8.RuneCountInString(values[0]) > MaxID {
		return "", false
	}
	unprintable := strings.ContainsFunc(values[0], func(r rune) bool { return !unicode.IsPrint(r) })
	return values[0], !unprintable
}

// Reference returns the id the server gave this request.
func Reference(ctx context.Context) string { return names(ctx).Reference }

// Address returns the address the request came from.
func Address(ctx context.Context) string { return names(ctx).Address }
