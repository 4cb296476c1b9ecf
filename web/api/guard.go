package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/payee"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/web/request"
)

// Guard is the middleware around every route of Routes and EventRoutes: a time limit, an access token, a request id (which the server has
// read). The limit is longer by payee.Limit where the payee's bank is asked, by the longest wait for an event, for many decisions, and for
// a batch. It ignores cookies.
func (a *API) Guard(next echo.HandlerFunc) echo.HandlerFunc {
	admitted := func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		err := a.admit(c)
		if err != nil {
			return a.Fail(c, request.ProblemOf(err), err)
		}
		return next(c)
	}
	short, asking := request.Within(a.cfg.Timeout)(admitted), request.Within(a.cfg.Timeout+payee.Limit)(admitted)
	waiting, bulk := request.Within(a.cfg.Timeout+maxEventWait)(admitted), request.Within(max(a.cfg.Timeout, bulkTimeout))(admitted)
	return func(c echo.Context) error {
		switch c.Path() {
		case eventPath:
			return waiting(c)
		case bulkPath, batchPaths[0], batchPaths[1]:
			return bulk(c)
		}
		if asksPayee[c.Path()] && a.cfg.Submission.Verifies(rulebook.SchemeSCT) {
			return asking(c)
		}
		return short(c)
	}
}

// asksPayee are the calls that may wait for the payee's bank.
var asksPayee = map[string]bool{
	"/api/sct-inst/v1/instruction/create": true, "/api/sct-inst/v1/instruction/update": true, "/api/sct-inst/v1/instruction/validate": true,
}

// admit adds the principal to the context. Errors: auth.ErrUnauthorized, payment.FieldError for the request id.
func (a *API) admit(c echo.Context) error {
	ctx := c.Request().Context()
	scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return auth.ErrUnauthorized
	}
	principal, err := a.cfg.Auth.Authenticate(ctx, strings.TrimSpace(token))
	if err != nil {
		return err
	}
	principal.RequestID, principal.SourceAddress = request.ID(ctx), request.Address(ctx)
	if principal.RequestID == "" {
		return &payment.FieldError{Findings: []payment.Finding{idFinding(c.Request().Header.Get(request.IDHeader))}}
	}
	c.SetRequest(c.Request().WithContext(request.WithPrincipal(ctx, principal)))
	return nil
}

// challenge requests an access token (RFC 6750 section 3). error tells a client that its token is invalid and needs replacement; a request
// without a token gets no error.
func challenge(r *http.Request) string {
	const asks = `Bearer realm="countersign"`
	scheme, token, _ := strings.Cut(r.Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return asks
	}
	return asks + `, error="invalid_token", error_description="The access token is unknown, expired or withdrawn"`
}

// idFinding returns the finding for a missing or malformed request id.
func idFinding(given string) payment.Finding {
	if given == "" {
		return payment.Finding{Pointer: request.IDHeader, Code: "CH21", Text: "Send your own id of this request in the header X-Request-Id."}
	}
	return payment.Finding{Pointer: request.IDHeader, Code: "FF01", Text: "Send one X-Request-Id of 1 to 140 printable characters."}
}

// principal returns the caller, which Guard stored in the context.
func principal(c echo.Context) identity.Principal {
	by, _ := request.Principal(c.Request().Context())
	return by
}
