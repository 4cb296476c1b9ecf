// Package auth is the service of sign-in, for both doors: the tokens of the API and the sign-in page of the portal.
//
// A token is opaque: the realm's name, a full stop and 43 characters of base64url. The realm stands in it so that the database can be asked
// inside that realm; nothing else can be read from it. Only its digest under a key outside the database is stored, so that a row written
// into a table signs nobody in. All tokens that follow from one sign-in are a family: it ends after a fixed time, dies at once by logout,
// and dies when a refresh token is used a second time.
//
// Passwords are argon2id. Tries are counted per realm and name before the password is checked, whether or not the name exists, and
// both kinds of names take the same way through the code.
package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"countersign/internal/auth/oidc"
	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/store"
)

// Config holds the dependencies and limits of a Service.
type Config struct {
	Database *store.Database
	Now      func() time.Time // UTC in microseconds, as the database keeps times
	// Keys are the token keys: digests of tokens and names are made with the first, tokens are looked up under all of them. All
	// processes of one installation share them. A token whose key is gone is no token any more.
	Keys keyring.Ring
	Log  *slog.Logger
	// HashWorkers limits the concurrent password checks, 19 MiB of memory each; 0 means one for each core.
	HashWorkers int
	// HashQueue limits the sign-ins that wait for a worker; 0 means 32 for each worker. Further ones fail with a BusyError.
	HashQueue int
	// AddressTries limits the sign-in tries of one address at once; one more is allowed each half second. 0 means 60.
	AddressTries int
	// ClientTries limits the tries of a confidential client at once; one more is allowed every 50 ms. 0 means 300.
	ClientTries int
}

// Service signs people in and knows them again.
type Service struct {
	database  *store.Database
	people    *store.People
	logins    *store.Logins
	tokens    *store.Tokens
	now       func() time.Time
	keys      keys
	log       *slog.Logger
	passwords *passwordChecker
	bearers   *bearerCache
	addresses *limits
	clients   *limits
	openID    *oidc.Client
	providers *places      // of those who wait for an identity provider
	verified  atomic.Int64 // argon2id computations, those for unknown names included
}

// New makes the service.
func New(cfg Config) (*Service, error) {
	if cfg.Database == nil || cfg.Now == nil || cfg.Log == nil {
		return nil, errors.New("auth: database, clock and log are needed")
	}
	derived, err := deriveKeys(cfg.Keys)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	workers := cmp.Or(cfg.HashWorkers, runtime.GOMAXPROCS(0))
	tokens, err := store.NewTokens(cfg.Database, cfg.Keys)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return &Service{
		database: cfg.Database, people: store.NewPeople(cfg.Database), logins: store.NewLogins(cfg.Database), tokens: tokens,
		now: cfg.Now, keys: derived, log: cfg.Log,
		passwords: newPasswordChecker(workers, cmp.Or(cfg.HashQueue, 32*workers)), bearers: newBearerCache(),
		openID: oidc.NewClient(cfg.Now), providers: newPlaces(maxAtProvider),
		addresses: newLimits(addressEvery, cmp.Or(cfg.AddressTries, addressBurst)),
		clients:   newLimits(clientEvery, cmp.Or(cfg.ClientTries, clientBurst)),
	}, nil
}

// CleanUp deletes ended families and access tokens, and names whose failures no longer count, in every realm; it returns the number of
// deleted rows. Called every few minutes it limits the token tables: families last 12 hours, and each new name in the throttle costs a
// password check, of which few run at a time.
func (s *Service) CleanUp(ctx context.Context) (int64, error) {
	now := s.now()
	return s.tokens.Clean(ctx, store.CleanupLimits{Ended: now, Forgotten: now.Add(-failuresForgotten)})
}

// Errors without details of their own. The web floor maps each to one answer.
var (
	// ErrUnauthorized: the bearer token, or the session's user, is not or no longer good for anything.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrUnknownRealm: there is no such realm.
	ErrUnknownRealm = store.ErrUnknownRealm
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

// keys are the subkeys of the token keys, one ring for each purpose.
type keys struct {
	lookups    keyring.Ring // digests under which tokens are stored
	successors keyring.Ring // makes the successor of a refresh token
	names      keyring.Ring // digests of the names people try
	devices    keyring.Ring // digests that make a browser known
	factors    keyring.Ring // hides the keys of authenticator apps
	recovery   keyring.Ring // digests of recovery codes
	challenges keyring.Ring // what passkeys sign
	flows      keyring.Ring // hides what a browser keeps while its owner is at a provider
	providers  identity.ProviderKeys
	setUps     identity.SetUpKeys
}

func deriveKeys(ring keyring.Ring) (keys, error) {
	if ring.Empty() {
		return keys{}, errors.New("a token key is needed")
	}
	var k keys
	for purpose, derived := range map[string]*keyring.Ring{
		"token lookup": &k.lookups, "token successor": &k.successors, "sign-in name": &k.names, "device": &k.devices,
		"second factor": &k.factors, "recovery code": &k.recovery, "passkey challenge": &k.challenges,
		"provider sign-in": &k.flows,
	} {
		var err error
		*derived, err = ring.Derive(purpose)
		if err != nil {
			return keys{}, err
		}
	}
	var err error
	k.providers, err = identity.NewProviderKeys(ring)
	if err != nil {
		return keys{}, err
	}
	k.setUps, err = identity.NewSetUpKeys(ring)
	return k, err
}

// CheckKeys fails when the token keys differ from those that sealed people, clients and policies: nobody could sign in.
func (s *Service) CheckKeys(ctx context.Context) error { return s.people.CheckKeys(ctx) }
