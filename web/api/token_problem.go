package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/store"
	"countersign/web/request"
)

// tokenProblemAnswer is the body of a refused token call, in the words of OAuth (RFC 6749 section 5.2) and in those of the interface.
type tokenProblemAnswer struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
	ErrorCode        string `json:"errorCode"`
	Message          string `json:"message"`
	// Header comes back to callers that sent an X-Request-Id.
	Header *Header `json:"header,omitempty"`
}

// tokenProblem is a refused token call.
type tokenProblem struct {
	status     int
	oauth      string // RFC 6749 section 5.2
	code       string // of the interface
	text       string // ASCII without quotes, as error_description must be
	retryAfter time.Duration
}

func (p *tokenProblem) Error() string { return p.text }

// retrySeconds is the wait in whole seconds, rounded up.
func (p *tokenProblem) retrySeconds() int {
	return int((p.retryAfter + time.Second - 1) / time.Second)
}

var (
	problemNotForm = &tokenProblem{
		status: http.StatusUnsupportedMediaType, oauth: "invalid_request", code: "415_UNSUPPORTED_MEDIA_TYPE",
		text: "Send a form: Content-Type application/x-www-form-urlencoded.",
	}
	problemTooLarge = &tokenProblem{
		status: http.StatusRequestEntityTooLarge, oauth: "invalid_request", code: "413_TOO_LARGE",
		text: "The body is too large. A token call has at most 16 KiB.",
	}
)

func invalidRequest(text string) *tokenProblem {
	return &tokenProblem{status: http.StatusBadRequest, oauth: "invalid_request", code: "INVALID_REQUEST", text: text}
}

// tokenProblemOf maps an error of the service to the answer for the caller. An unknown error reveals nothing.
func tokenProblemOf(err error) *tokenProblem {
	var known *tokenProblem
	var account *auth.AccountError
	var busy *auth.BusyError
	var ofServer *request.Problem
	var limited *auth.LimitError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &ofServer):
		return &tokenProblem{
			status: ofServer.Status, oauth: oauthOf(ofServer), code: ofServer.Code, text: ofServer.Text.String(), retryAfter: ofServer.RetryAfter,
		}
	case errors.As(err, &account):
		return accountProblem(account)
	case factorProblem(err) != nil:
		return factorProblem(err)
	case errors.As(err, &limited):
		return &tokenProblem{
			status: http.StatusTooManyRequests, oauth: "temporarily_unavailable", code: "429_TOO_MANY_REQUESTS",
			text: "Too many tries from this address or client. Try again after the time of Retry-After.", retryAfter: limited.RetryAfter,
		}
	case errors.As(err, &busy):
		return &tokenProblem{
			status: http.StatusTooManyRequests, oauth: "temporarily_unavailable", code: "429_TOO_MANY_REQUESTS",
			text: "Too many sign-ins at once. Try again in a moment.", retryAfter: busy.RetryAfter,
		}
	case errors.Is(err, auth.ErrUnknownRealm):
		return &tokenProblem{status: http.StatusNotFound, oauth: "invalid_request", code: "404_NOT_FOUND", text: "There is no such realm."}
	case errors.Is(err, auth.ErrInvalidClient):
		return &tokenProblem{
			status: http.StatusUnauthorized, oauth: "invalid_client", code: "INVALID_CLIENT",
			text: "The client is not known or its secret is not right.",
		}
	case errors.Is(err, auth.ErrUnauthorizedClient):
		return &tokenProblem{
			status: http.StatusBadRequest, oauth: "unauthorized_client", code: "UNAUTHORIZED_CLIENT",
			text: "This client has no roles of its own. Sign a user in, or ask two administrators to give it a role.",
		}
	case errors.Is(err, auth.ErrInvalidGrant):
		return &tokenProblem{
			status: http.StatusBadRequest, oauth: "invalid_grant", code: "INVALID_GRANT",
			text: "The refresh token is no longer valid. Sign in again.",
		}
	case errors.Is(err, auth.ErrInvalidScope):
		return &tokenProblem{
			status: http.StatusBadRequest, oauth: "invalid_scope", code: "INVALID_SCOPE",
			text: "The scope is malformed or wider than that of the sign-in.",
		}
	case errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrUnavailable),
		errors.Is(err, store.ErrUnknown):
		return &tokenProblem{
			status: http.StatusServiceUnavailable, oauth: "temporarily_unavailable", code: "503_UNAVAILABLE",
			text: "The gateway cannot answer now. Try again in a moment.", retryAfter: time.Second,
		}
	}
	return &tokenProblem{
		status: http.StatusInternalServerError, oauth: "server_error", code: "500_INTERNAL_ERROR",
		text: "Something went wrong in the gateway. Try again, and report it if it stays.",
	}
}

// oauthOf returns the OAuth error code for a problem of the server: no such address, or temporarily unavailable.
func oauthOf(p *request.Problem) string {
	if p.Status == http.StatusNotFound || p.Status == http.StatusMethodNotAllowed {
		return "invalid_request"
	}
	return "temporarily_unavailable"
}

// factorProblem is a sign-in whose password was right and whose second factor is missing or does not count; nil for anything else.
func factorProblem(err error) *tokenProblem {
	p := &tokenProblem{status: http.StatusBadRequest, oauth: "invalid_grant", code: "Second_Factor_Required"}
	var needed *auth.FactorNeededError
	switch {
	case errors.As(err, &needed) && needed.Enrol:
		p.text = "A role of this user needs a second factor, and the user has none. Take one up in the portal, on the profile."
	case errors.As(err, &needed):
		p.text = "This user has a second factor. Send a code of its authenticator app, or a recovery code, in the field totp."
	case errors.Is(err, auth.ErrFactor):
		p.code, p.text = "Second_Factor_Incorrect", "The code is not right, or it was used before. Wait for the next one."
	case errors.Is(err, auth.ErrFactorsForged):
		p.code = "Second_Factor_Incorrect"
		p.text = "The second factors of this user are not as they were stored. Tell the operator of the gateway."
	default:
		return nil
	}
	return p
}

// accountProblem is a sign-in that fails because of the user's account.
func accountProblem(err *auth.AccountError) *tokenProblem {
	p := &tokenProblem{status: http.StatusBadRequest, oauth: "invalid_grant", code: string(err.Problem)}
	switch err.Problem {
	case auth.ProblemIncorrect:
		p.text = "The user name or the password is not right."
	case auth.ProblemLocked:
		p.retryAfter = err.RetryAfter
		p.text = fmt.Sprintf("Too many failed tries for this user name. Try again in %s.", waitText(err.RetryAfter))
	case auth.ProblemNotVerified:
		p.text = "This account is not verified yet. Ask an administrator of your institution."
	case auth.ProblemSuppressed:
		p.text = "This account is suppressed. Ask an administrator of your institution."
	}
	return p
}

// waitText is a wait in words, rounded up to whole minutes.
func waitText(wait time.Duration) string {
	minutes := int((wait + time.Minute - 1) / time.Minute)
	if minutes <= 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", minutes)
}

// maxTokenForm is the largest body of a token call, in bytes.
const maxTokenForm = 16 << 10

// tokenForm is the body of a token call: each field once, empty ones left out, and the client as the form or the header names it.
type tokenForm struct {
	fields map[string]string
	client auth.ClientCredentials
}

// openTokenForm reads the body of a token call, and forbids caching of the answer. Unknown fields are ignored, a repeated field is refused
// (RFC 6749 section 3.2); the query string is not read, because it ends in logs.
func openTokenForm(c echo.Context) (tokenForm, error) {
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set("Pragma", "no-cache")
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	if err != nil || kind != echo.MIMEApplicationForm {
		return tokenForm{}, problemNotForm
	}
	body, err := request.ReadBody(c, maxTokenForm)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return tokenForm{}, problemTooLarge
	}
	if errors.Is(err, request.ErrSlowBody) {
		return tokenForm{}, request.ProblemOf(err)
	}
	if err != nil {
		return tokenForm{}, invalidRequest("The body could not be read to its end.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return tokenForm{}, invalidRequest("The body is not a valid form.")
	}
	f := tokenForm{fields: map[string]string{}}
	for name, list := range values {
		if len(list) > 1 {
			return tokenForm{}, invalidRequest("A field came more than once. Send each field once.")
		}
		if list[0] != "" {
			f.fields[name] = list[0]
		}
	}
	f.client, err = clientOf(c.Request(), f.fields)
	return f, err
}

// clientOf reads the client's credentials from the form or from HTTP Basic, never from both (RFC 6749 section 2.3).
func clientOf(r *http.Request, fields map[string]string) (auth.ClientCredentials, error) {
	given := auth.ClientCredentials{ClientID: fields["client_id"], ClientSecret: fields["client_secret"]}
	if !usesBasic(r) {
		if given.ClientID == "" {
			return given, invalidRequest("The field client_id is missing.")
		}
		return given, nil
	}
	name, secret, ok := r.BasicAuth()
	if !ok {
		return given, auth.ErrInvalidClient
	}
	id, errID := url.QueryUnescape(name)
	secret, errSecret := url.QueryUnescape(secret)
	if errID != nil || errSecret != nil || id == "" {
		return given, auth.ErrInvalidClient
	}
	if given.ClientSecret != "" || (given.ClientID != "" && given.ClientID != id) {
		return given, invalidRequest("Send the client's credentials either in the Authorization header or in the form.")
	}
	return auth.ClientCredentials{ClientID: id, ClientSecret: secret}, nil
}

// usesBasic reports whether the request authenticates its client by HTTP Basic.
func usesBasic(request *http.Request) bool {
	scheme, _, _ := strings.Cut(request.Header.Get(echo.HeaderAuthorization), " ")
	return strings.EqualFold(scheme, "basic")
}

// require refuses the form when one of the fields is missing or empty.
func (f tokenForm) require(names ...string) error {
	for _, name := range names {
		if f.fields[name] == "" {
			return invalidRequest(fmt.Sprintf("The field %s is missing.", name))
		}
	}
	return nil
}

// requireGrant refuses a form whose grant this path does not accept.
func (f tokenForm) requireGrant(allowed []string) error {
	err := f.require("grant_type")
	if err != nil {
		return err
	}
	if !slices.Contains(allowed, f.fields["grant_type"]) {
		return &tokenProblem{
			status: http.StatusBadRequest, oauth: "unsupported_grant_type", code: "UNSUPPORTED_GRANT_TYPE",
			text: "This path needs grant_type=" + strings.Join(allowed, " or ") + ".",
		}
	}
	return nil
}
