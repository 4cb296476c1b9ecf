package auth

import (
	"errors"
	"time"
)

// Errors without details of their own. The web floor maps each to one answer.
var (
	// ErrUnauthorized: the bearer token, or the session's user, is not or no longer good for anything.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrUnknownRealm: there is no such realm.
	ErrUnknownRealm = errors.New("unknown realm")
	// ErrInvalidClient: the client is unknown, its secret is wrong, or it may not use the API.
	ErrInvalidClient = errors.New("invalid client")
	// ErrUnauthorizedClient: the client has no roles of its own.
	ErrUnauthorizedClient = errors.New("unauthorized client")
	// ErrInvalidGrant: the refresh token is unknown, expired, spent, revoked, or of another client.
	ErrInvalidGrant = errors.New("invalid grant")
	// ErrInvalidScope: the scope is malformed, or wider than that of the sign-in.
	ErrInvalidScope = errors.New("invalid scope")
	// ErrInvalidPreference: a value that the portal does not offer.
	ErrInvalidPreference = errors.New("invalid preference")
)

// AccountProblem is why a user cannot sign in.
type AccountProblem string

// The problems, in the words of the interface. The last two are reported only after the right password.
const (
	ProblemIncorrect   AccountProblem = "Username_Or_Password_Incorrect"
	ProblemLocked      AccountProblem = "Account_Locked"
	ProblemNotVerified AccountProblem = "Account_Not_Verified"
	ProblemSuppressed  AccountProblem = "Account_Suppressed"

	problemNoRoles AccountProblem = "Unauthorized_Client" // of a client by itself
)

// AccountError reports that the user cannot sign in.
type AccountError struct {
	Problem AccountProblem
	// RetryAfter is the remaining time of the lock; 0 for other problems.
	RetryAfter time.Duration
}

// Error names the problem, never the user.
func (e *AccountError) Error() string { return string(e.Problem) }

// BusyError reports that too many sign-ins are waiting.
type BusyError struct {
	RetryAfter time.Duration
}

// Error returns the text of the error.
func (e *BusyError) Error() string { return "too many sign-ins at once" }
