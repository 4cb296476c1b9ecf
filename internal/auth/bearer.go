package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/store"
)

// A valid bearer token is cached for a second, so that a busy client does not query the database for each call. A revocation through this
// process counts at once, one through another process within this second.
const (
	bearerBelief  = time.Second
	bearerEntries = 10_000
)

// Authenticate finds the user and the client of an access token, with the roles of this moment (at most a second old). The request's
// id and source address are the caller's to fill in; the roles are shared and not to be written to. Error: ErrUnauthorized.
func (s *Service) Authenticate(ctx context.Context, bearer string) (identity.Principal, error) {
	given, ok := s.parseToken(bearer)
	if !ok {
		return identity.Principal{}, ErrUnauthorized
	}
	now := s.now()
	principal, known, turn := s.bearers.get(given.digests[0], now)
	if known {
		return principal, nil
	}
	found, err := s.tokens.Bearer(ctx, store.BearerKey{Realm: given.realm, Hashes: given.hashes(), At: now})
	if errors.Is(err, store.ErrUnknownToken) {
		return identity.Principal{}, ErrUnauthorized
	}
	if err != nil {
		return identity.Principal{}, err
	}
	found.Principal.Channel = identity.ChannelAPI
	s.bearers.put(given.digests[0], bearerEntry{
		principal: found.Principal, family: found.FamilyID, until: earlier(now.Add(bearerBelief), found.ExpiresAt), turn: turn,
	})
	return found.Principal, nil
}

// bearerCache caches valid bearer tokens briefly. Each revocation increments its turn: a database answer read before a revocation is not
// cached after it.
type bearerCache struct {
	mu      sync.Mutex
	entries map[[sha256.Size]byte]bearerEntry
	turn    uint64
}

type bearerEntry struct {
	principal identity.Principal
	family    uuid.UUID
	until     time.Time
	turn      uint64
}

func newBearerCache() *bearerCache {
	return &bearerCache{entries: map[[sha256.Size]byte]bearerEntry{}}
}

// get returns the principal of a cached token, or else the turn for put.
func (c *bearerCache) get(hash [sha256.Size]byte, now time.Time) (identity.Principal, bool, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found := c.entries[hash]
	if !found || !now.Before(entry.until) {
		return identity.Principal{}, false, c.turn
	}
	return entry.principal, true, c.turn
}

// put stores an entry unless a family was dropped since its turn. A full cache is emptied: its entries last a second each.
func (c *bearerCache) put(hash [sha256.Size]byte, entry bearerEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry.turn != c.turn {
		return
	}
	if len(c.entries) >= bearerEntries {
		clear(c.entries)
	}
	c.entries[hash] = entry
}

// drop forgets all tokens of a family.
func (c *bearerCache) drop(family uuid.UUID) {
	c.dropIf(func(e bearerEntry) bool { return e.family == family })
}

// dropUser forgets all tokens of a user.
func (c *bearerCache) dropUser(user uuid.UUID) {
	c.dropIf(func(e bearerEntry) bool { return e.principal.UserID == user })
}

func (c *bearerCache) dropIf(over func(bearerEntry) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	for hash, entry := range c.entries {
		if over(entry) {
			delete(c.entries, hash)
		}
	}
}
