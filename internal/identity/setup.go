package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"time"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// SetUpLife limits the age of a set-up, and SetUpTries the tries of its code: the schema counts the tries (user_setup_try), and a test
// holds it to this number.
const (
	SetUpLife  = 24 * time.Hour
	SetUpTries = 5
)

// SetUpSecret allows one person to set the password of an account, once. Link and code go to two different people, so that neither can take
// over the account alone.
type SetUpSecret struct {
	Link string // 43 characters of base64url
	Code string // six digits
}

// codes is the number of possible codes.
const codes = 1_000_000

// NewSetUpSecret makes a link and a code.
func NewSetUpSecret(random io.Reader) (SetUpSecret, error) {
	link, err := NewSetUpLink(random)
	if err != nil {
		return SetUpSecret{}, err
	}
	code, err := NewSetUpCode(random)
	return SetUpSecret{Link: link, Code: code}, err
}

// NewSetUpLink makes the secret part of a link.
func NewSetUpLink(random io.Reader) (string, error) {
	var bits [32]byte
	_, err := io.ReadFull(random, bits[:])
	if err != nil {
		return "", fmt.Errorf("make a set-up link: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(bits[:]), nil
}

// NewSetUpCode makes a code of six digits.
func NewSetUpCode(random io.Reader) (string, error) {
	n, err := rand.Int(random, big.NewInt(codes))
	if err != nil {
		return "", fmt.Errorf("make a set-up code: %w", err)
	}
	return fmt.Sprintf("%06d", n), nil
}

// SetUpPath is the page of a link, below the portal's address.
func SetUpPath(realm, link string) string { return "/set-up/" + realm + "/" + link }

// SetUpKeys make the digests under which links and codes are stored. A code has so few digits that a digest without a key would hide
// nothing.
type SetUpKeys struct{ ring keyring.Ring }

// NewSetUpKeys derives the keys from those of tokens.
func NewSetUpKeys(tokens keyring.Ring) (SetUpKeys, error) {
	ring, err := tokens.Derive("set-up")
	return SetUpKeys{ring: ring}, err
}

// Link digests a link under all keys, the first key's first.
func (k SetUpKeys) Link(realm, link string) [][sha256.Size]byte {
	return k.ring.Digests([]byte("link"), []byte(realm), []byte(link))
}

// Code digests the code of one set-up under all keys, the first key's first.
func (k SetUpKeys) Code(realm string, setUp uuid.UUID, code string) [][sha256.Size]byte {
	return k.ring.Digests([]byte("code"), []byte(realm), setUp[:], []byte(code))
}

// NewClientSecret makes the secret of a client: 26 characters of base32, 130 bits.
func NewClientSecret() string { return rand.Text() }

// ClientSecretDigest returns the stored digest of a secret. Secrets are long and random, so a plain digest is enough.
func ClientSecretDigest(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}
