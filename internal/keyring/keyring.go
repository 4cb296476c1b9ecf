// Package keyring holds secret keys that live outside the database, under ids, several at a time: the first one seals, all of them
// verify, so that a key can be changed without losing what an older one sealed.
//
// A seal is HMAC-SHA-256 over fields, each with its length before it, so that no two lists of fields read alike. Each purpose works with
// a subkey of its own (HKDF-SHA-256, RFC 5869): a seal made for one purpose never verifies for another.
package keyring

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"regexp"
	"strings"
	"sync"
)

// KeyBytes is the shortest key that is taken, in bytes.
const KeyBytes = 32

// MaxKeys limits the keys of a ring: a lookup tries each of them.
const MaxKeys = 8

// ErrForged says that the seal was not made over these fields with the key it names.
var ErrForged = errors.New("the seal does not match")

// ErrUnknownKey says that the ring has no key of the id the seal names. An operator may bring it back, so nothing is known about the seal.
var ErrUnknownKey = errors.New("the key of the seal is not at hand")

// Seal is the MAC of a ring over fields.
type Seal struct {
	KeyID string
	MAC   [sha256.Size]byte
}

// key is one secret under its id.
type key struct {
	id     string
	named  []byte // the id as seals cover it
	secret []byte
	macs   *sync.Pool // of *sealing under this key
}

func newKey(id string, secret []byte) key {
	macs := &sync.Pool{New: func() any { return &sealing{hash: hmac.New(sha256.New, secret)} }}
	return key{id: id, named: []byte(id), secret: secret, macs: macs}
}

// sealing holds the buffers for making one seal. They are reused, because a payment is sealed and checked dozens of times.
type sealing struct {
	hash   hash.Hash
	length [4]byte
	mac    [sha256.Size]byte
}

// write covers a field, with its length before it.
func (s *sealing) write(field []byte) {
	binary.BigEndian.PutUint32(s.length[:], uint32(len(field))) //nolint:gosec // fields are far below 4 GiB
	s.hash.Write(s.length[:])
	s.hash.Write(field)
}

// Ring is a list of keys; the first one seals. The zero Ring has none, seals nothing and verifies nothing.
type Ring struct {
	keys []key
}

// idPattern is the form of a key's id.
var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,31}$`)

// Parse reads a key file: lines "id hex", the first one seals. A line with nothing but hex is the key called bareID, as files with a
// single key always were. Empty lines and lines that begin with # are passed over.
func Parse(file []byte, bareID string) (Ring, error) {
	var r Ring
	for i, line := range strings.Split(string(file), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) == 1 {
			fields = []string{bareID, fields[0]}
		}
		err := r.add(fields)
		if err != nil {
			return Ring{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if len(r.keys) == 0 {
		return Ring{}, fmt.Errorf("the file holds no key: write a line with an id and %d hexadecimal digits", 2*KeyBytes)
	}
	return r, nil
}

// add takes one more key. Its errors never show the key.
func (r *Ring) add(fields []string) error {
	if len(fields) != 2 || !idPattern.MatchString(fields[0]) {
		return errors.New("write an id (a-z, 0-9, dots and dashes, at most 32 characters), a space and the key in hexadecimal digits")
	}
	secret, err := hex.DecodeString(fields[1])
	if err != nil || len(secret) < KeyBytes {
		return fmt.Errorf("the key %s needs at least %d hexadecimal digits", fields[0], 2*KeyBytes)
	}
	for _, k := range r.keys {
		if k.id == fields[0] || bytes.Equal(k.secret, secret) {
			return fmt.Errorf("the key %s stands here twice", fields[0])
		}
	}
	if len(r.keys) == MaxKeys {
		return fmt.Errorf("at most %d keys may be in force: remove one that sealed nothing you still need", MaxKeys)
	}
	r.keys = append(r.keys, newKey(fields[0], secret))
	return nil
}

// Derive returns the ring of subkeys for a purpose, under the same ids.
func (r Ring) Derive(purpose string) (Ring, error) {
	derived := Ring{keys: make([]key, len(r.keys))}
	for i, k := range r.keys {
		secret, err := hkdf.Key(sha256.New, k.secret, nil, "countersign "+purpose, KeyBytes)
		if err != nil {
			return Ring{}, fmt.Errorf("derive the key %s: %w", k.id, err)
		}
		derived.keys[i] = newKey(k.id, secret)
	}
	return derived, nil
}

// Empty reports whether the ring has no key.
func (r Ring) Empty() bool { return len(r.keys) == 0 }

// IDs names the keys; the first one seals.
func (r Ring) IDs() []string {
	ids := make([]string, len(r.keys))
	for i, k := range r.keys {
		ids[i] = k.id
	}
	return ids
}

// Has reports whether the ring has a key of this id.
func (r Ring) Has(id string) bool {
	for _, k := range r.keys {
		if k.id == id {
			return true
		}
	}
	return false
}

// Shares reports whether both rings hold a key of the same bytes.
func (r Ring) Shares(other Ring) bool {
	for _, mine := range r.keys {
		for _, theirs := range other.keys {
			if bytes.Equal(mine.secret, theirs.secret) {
				return true
			}
		}
	}
	return false
}

// Seal makes the seal of the fields with the first key.
func (r Ring) Seal(fields ...[]byte) Seal {
	if len(r.keys) == 0 {
		return Seal{}
	}
	return Seal{KeyID: r.keys[0].id, MAC: r.keys[0].mac(fields)}
}

// Verify compares a seal with the fields. An empty seal is a forged one, because every row is stored with its seal. Errors: ErrUnknownKey,
// ErrForged.
func (r Ring) Verify(s Seal, fields ...[]byte) error {
	if s.KeyID == "" && len(r.keys) > 0 {
		return ErrForged
	}
	for _, k := range r.keys {
		if k.id != s.KeyID {
			continue
		}
		mac := k.mac(fields)
		if !hmac.Equal(mac[:], s.MAC[:]) {
			return ErrForged
		}
		return nil
	}
	return ErrUnknownKey
}

// Digests returns the keyed digests of the fields under every key, the first key first. Store the first one; look up all of them.
func (r Ring) Digests(fields ...[]byte) [][sha256.Size]byte {
	digests := make([][sha256.Size]byte, len(r.keys))
	for i, k := range r.keys {
		digests[i] = k.mac(fields)
	}
	return digests
}

// mac covers the key's id and every field, each with its length before it.
func (k key) mac(fields [][]byte) [sha256.Size]byte {
	s := k.macs.Get().(*sealing)
	defer k.macs.Put(s)
	s.hash.Reset()
	s.write(k.named)
	for _, field := range fields {
		s.write(field)
	}
	s.hash.Sum(s.mac[:0])
	return s.mac
}

// SigningKey is the Ed25519 key of a ring's key for one purpose. Anybody with the public half can verify its signatures.
type SigningKey struct {
	ID  string
	Key ed25519.PrivateKey
}

// SigningKeys returns the keys that sign for a purpose, under the same ids; the first one signs.
func (r Ring) SigningKeys(purpose string) ([]SigningKey, error) {
	keys := make([]SigningKey, len(r.keys))
	for i, k := range r.keys {
		seed, err := hkdf.Key(sha256.New, k.secret, nil, "countersign ed25519 "+purpose, ed25519.SeedSize)
		if err != nil {
			return nil, fmt.Errorf("derive the signing key %s: %w", k.id, err)
		}
		keys[i] = SigningKey{ID: k.id, Key: ed25519.NewKeyFromSeed(seed)}
	}
	return keys, nil
}

// minDistinct is the number of different bytes that a key needs. Of 32 random bytes some 30 differ; fewer than 16 never occur in practice.
const minDistinct = 16

// Weak names the keys that were not made by chance: few different bytes, bytes that count up or down, or only the bytes of a text. It finds
// typed keys, not those of a bad generator.
func (r Ring) Weak() []string {
	var weak []string
	for _, k := range r.keys {
		if repeats(k.secret) || counts(k.secret) || readable(k.secret) {
			weak = append(weak, k.id)
		}
	}
	return weak
}

// repeats reports whether the key has too few different bytes.
func repeats(secret []byte) bool {
	seen := make(map[byte]bool)
	for _, b := range secret {
		seen[b] = true
	}
	return len(seen) < minDistinct
}

// counts reports whether each byte differs from the one before by the same step.
func counts(secret []byte) bool {
	for i := 2; i < len(secret); i++ {
		if secret[i]-secret[i-1] != secret[1]-secret[0] {
			return false
		}
	}
	return true
}

// readable reports whether the key is printable ASCII from end to end: a passphrase, or hexadecimal digits encoded once more. Of 32
// random bytes that is so once in 10^14 keys.
func readable(secret []byte) bool {
	for _, b := range secret {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return true
}
