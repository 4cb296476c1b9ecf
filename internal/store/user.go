package store

import "errors"

// What the identity tables may not hold. Another realm's row counts as none.
var (
	ErrUnknownRealm  = errors.New("unknown realm")
	ErrUnknownClient = errors.New("unknown client")
	ErrUnknownUser   = errors.New("unknown user")
)

// ClientKind tells how a client proves itself.
type ClientKind string

// The kinds of clients. The portal is no client of the API: its people sign in on a page.
const (
	ClientConfidential ClientKind = "confidential" // by a secret
	ClientPublic       ClientKind = "public"       // not at all
	ClientPortal       ClientKind = "portal"
)

// UserStatus tells whether a user account may be used.
type UserStatus string

// The statuses of a user account.
const (
	UserActive     UserStatus = "active"
	UserUnverified UserStatus = "unverified"
	UserSuppressed UserStatus = "suppressed"
)
