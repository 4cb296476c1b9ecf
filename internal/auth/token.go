package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
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
func (t token) hashes() [][]byte { return hashesOf(t.digests) }

func hashesOf(digests [][sha256.Size]byte) [][]byte {
	hashes := make([][]byte, len(digests))
	for i := range digests {
		hashes[i] = digests[i][:]
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
func (s *Service) newToken(realm string) token { return s.makeToken(realm, random(secretBytes)) }

// random returns that many random bytes.
func random(size int) []byte {
	bits := make([]byte, size)
	_, _ = rand.Read(bits) // never fails, by its documentation
	return bits
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

// startFamily starts a family with its first tokens. That of a client by itself, without a user, has no refresh token.
func (s *Service) startFamily(ctx context.Context, f store.NewFamily, life store.TokenLife) (TokenSet, error) {
	access, now := s.newToken(f.Realm), s.now()
	f.FamilyID, f.At, f.EndsAt = uuid.New(), now, now.Add(life.Absolute)
	if f.UserID == uuid.Nil {
		f.EndsAt = now.Add(life.Access)
	}
	f.Access = store.IssuedToken{Hash: access.hash(), ExpiresAt: earlier(now.Add(life.Access), f.EndsAt)}
	set := TokenSet{AccessToken: access.text, ExpiresIn: f.Access.ExpiresAt.Sub(now), Scope: f.Scope}
	if f.UserID != uuid.Nil {
		refresh := s.newToken(f.Realm)
		f.Refresh = store.IssuedToken{Hash: refresh.hash(), ExpiresAt: earlier(now.Add(life.Refresh), f.EndsAt)}
		set.RefreshToken, set.RefreshExpiresIn = refresh.text, f.Refresh.ExpiresAt.Sub(now)
	}
	err := s.tokens.Start(ctx, f)
	if err != nil {
		return TokenSet{}, err
	}
	return set, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
