package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// secretBytes is the randomness of a token.
const secretBytes = 32

// TokenSet holds the tokens of a sign-in or a refresh. Only the client stores them; the database stores digests.
type TokenSet struct {
	AccessToken      string
	RefreshToken     string
	ExpiresIn        time.Duration // of the access token, from now
	RefreshExpiresIn time.Duration
	Scope            string // "" when none was asked for
}

// token is a token's text with its realm and its digests, one for each key; it is stored under the first.
type token struct {
	realm   string
	text    string
	digests [][sha256.Size]byte
}

// hash is the digest that a new token is stored under.
func (t token) hash() []byte { return t.digests[0][:] }

// hashes are the digests that a token may be stored under.
func (t token) hashes() [][]byte {
	hashes := make([][]byte, len(t.digests))
	for i := range t.digests {
		hashes[i] = t.digests[i][:]
	}
	return hashes
}

func (s *Service) tokenOf(realm, text string) token {
	return token{realm: realm, text: text, digests: s.keys.lookups.Digests([]byte(text))}
}

func (s *Service) makeToken(realm string, secret []byte) token {
	return s.tokenOf(realm, realm+"."+base64.RawURLEncoding.EncodeToString(secret))
}

// parseToken reads a token of a client. Anything but the exact form is none, found without asking the database.
func (s *Service) parseToken(text string) (token, bool) {
	realm, secret, _ := strings.Cut(text, ".")
	if realm == "" || len(realm) > 32 || len(secret) != base64.RawURLEncoding.EncodedLen(secretBytes) {
		return token{}, false
	}
	_, err := base64.RawURLEncoding.Strict().DecodeString(secret)
	if err != nil {
		return token{}, false
	}
	return s.tokenOf(realm, text), true
}

// parseTokenOf parses a token and compares its realm with that of the call.
func (s *Service) parseTokenOf(realm, text string) (token, bool) {
	t, ok := s.parseToken(text)
	return t, ok && t.realm == realm
}

// newToken makes a token of fresh randomness.
func (s *Service) newToken(realm string) (token, error) {
	secret := make([]byte, secretBytes)
	_, err := io.ReadFull(rand.Reader, secret)
	if err != nil {
		return token{}, fmt.Errorf("read randomness: %w", err)
	}
	return s.makeToken(realm, secret), nil
}

// successor is the pair of tokens that a refresh token is spent for.
type successor struct {
	refresh, access token
}

// successors derives the tokens that follow a refresh token, under each key, the first key's first. The same token and key always give the
// same successor, so a client that lost the answer can get it again, and nothing is stored in clear. Without the key it looks random.
func (s *Service) successors(of token) []successor {
	refresh := s.keys.successors.Digests([]byte("refresh token"), []byte(of.text))
	access := s.keys.successors.Digests([]byte("access token"), []byte(of.text))
	pairs := make([]successor, len(refresh))
	for i := range pairs {
		pairs[i] = successor{refresh: s.makeToken(of.realm, refresh[i][:]), access: s.makeToken(of.realm, access[i][:])}
	}
	return pairs
}

type familyStart struct {
	realm  string
	client store.Client
	userID uuid.UUID
	asOf   time.Time // of the account whose password was checked
	scope  string
}

func (s *Service) startFamily(ctx context.Context, start familyStart) (TokenSet, error) {
	family, err := uuid.NewRandom()
	if err != nil {
		return TokenSet{}, fmt.Errorf("name a token family: %w", err)
	}
	refresh, err := s.newToken(start.realm)
	if err != nil {
		return TokenSet{}, err
	}
	access, err := s.newToken(start.realm)
	if err != nil {
		return TokenSet{}, err
	}
	now, life := s.now(), start.client.Life
	end := now.Add(life.Absolute)
	refreshEnd, accessEnd := earlier(now.Add(life.Refresh), end), earlier(now.Add(life.Access), end)
	err = s.tokens.Start(ctx, store.NewFamily{
		Realm: start.realm, FamilyID: family, UserID: start.userID, ClientID: start.client.ClientID, Scope: start.scope, At: now, EndsAt: end,
		AsOf:    start.asOf,
		Refresh: store.IssuedToken{Hash: refresh.hash(), ExpiresAt: refreshEnd},
		Access:  store.IssuedToken{Hash: access.hash(), ExpiresAt: accessEnd},
	})
	if err != nil {
		return TokenSet{}, err
	}
	return TokenSet{
		AccessToken: access.text, RefreshToken: refresh.text, ExpiresIn: accessEnd.Sub(now), RefreshExpiresIn: refreshEnd.Sub(now),
		Scope: start.scope,
	}, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
