package store

import "errors"

// Violations of the identity tables. A row of another realm counts as missing.
var (
	ErrUnknownRealm  = errors.New("unknown realm")
	ErrUnknownClient = errors.New("unknown client")
	ErrUnknownUser   = errors.New("unknown user")
)

// ClientKind is the authentication method of a client.
type ClientKind string

// The kinds of clients. The portal is no client of the API: its people sign in on a page.
const (
	ClientConfidential ClientKind = "confidential" // by a secret
	ClientPublic       ClientKind = "public"       // not at all
	ClientPortal       ClientKind = "portal"
)

// UserStatus is the status of a user account.
type UserStatus string

// The statuses of a user account.
const (
	UserActive     UserStatus = "active"
	UserUnverified UserStatus = "unverified"
	UserSuppressed UserStatus = "suppressed"
)
