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
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"countersign/internal/auth/oidc"
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
	providers *places // of those who wait for an identity provider
	verified  atomic.Int64
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
	if cfg.HashWorkers == 0 {
		cfg.HashWorkers = runtime.GOMAXPROCS(0)
	}
	if cfg.HashQueue == 0 {
		cfg.HashQueue = 32 * cfg.HashWorkers
	}
	if cfg.AddressTries == 0 {
		cfg.AddressTries = addressBurst
	}
	if cfg.ClientTries == 0 {
		cfg.ClientTries = clientBurst
	}
	tokens, err := store.NewTokens(cfg.Database, cfg.Keys)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return &Service{
		database: cfg.Database, people: store.NewPeople(cfg.Database), logins: store.NewLogins(cfg.Database), tokens: tokens,
		now: cfg.Now, keys: derived, log: cfg.Log,
		passwords: newPasswordChecker(cfg.HashWorkers, cfg.HashQueue), bearers: newBearerCache(),
		openID: oidc.NewClient(cfg.Now), providers: newPlaces(maxAtProvider),
		addresses: newLimits(addressEvery, cfg.AddressTries), clients: newLimits(clientEvery, cfg.ClientTries),
	}, nil
}

// Stats are counts since the start.
type Stats struct {
	PasswordsChecked int64 // argon2id computations, those for unknown names included
}

// Stats returns the counts of this moment.
func (s *Service) Stats() Stats {
	return Stats{PasswordsChecked: s.verified.Load()}
}

// CleanUp deletes ended families and access tokens, and names whose failures no longer count, in every realm; it returns the number of
// deleted rows. Called every few minutes it limits the token tables: families last 12 hours, and each new name in the throttle costs a
// password check, of which few run at a time.
func (s *Service) CleanUp(ctx context.Context) (int64, error) {
	now := s.now()
	return s.tokens.Clean(ctx, store.CleanupLimits{Ended: now, Forgotten: now.Add(-failuresForgotten)})
}
