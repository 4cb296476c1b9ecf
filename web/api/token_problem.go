package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

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

func unsupportedGrant(allowed []string) *tokenProblem {
	return &tokenProblem{
		status: http.StatusBadRequest, oauth: "unsupported_grant_type", code: "UNSUPPORTED_GRANT_TYPE",
		text: "This path needs grant_type=" + strings.Join(allowed, " or ") + ".",
	}
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
