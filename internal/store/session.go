package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"countersign/internal/keyring"
)

// Session holds the sealed fields of a session's row. The expiry column may end a session earlier, never later.
type Session struct {
	Token  [sha256.Size]byte // the digest of the token
	Expiry time.Time
	Data   []byte
}

// SessionKeys derives the names of session rows and seals their content. The row holds the token's digest. With the
// keys, an auditor can check a row; the row alone does not reveal the token.
type SessionKeys struct {
	lookups, seals keyring.Ring
}

// NewSessionKeys derives the keys of sessions from those of tokens.
func NewSessionKeys(tokens keyring.Ring) (SessionKeys, error) {
	lookups, err := tokens.Derive("session lookup")
	if err != nil {
		return SessionKeys{}, err
	}
	seals, err := tokens.Derive("session data")
	if err != nil {
		return SessionKeys{}, err
	}
	return SessionKeys{lookups: lookups, seals: seals}, nil
}

// Names returns the possible row names of a token: one per key, the first key's first.
func (s SessionKeys) Names(token [sha256.Size]byte) []string {
	digests := s.lookups.Digests(token[:])
	names := make([]string, len(digests))
	for i, digest := range digests {
		names[i] = base64.RawURLEncoding.EncodeToString(digest[:])
	}
	return names
}

// Close writes a session with its seal: the key's id with its length, the MAC, the expiry in microseconds, the digest of the token, the
// data.
func (s SessionKeys) Close(c Session) []byte {
	expiry := binary.BigEndian.AppendUint64(nil, uint64(c.Expiry.UnixMicro()))
	seal := s.seals.Seal(c.Token[:], expiry, c.Data)
	sealed := append([]byte{byte(len(seal.KeyID))}, seal.KeyID...) //nolint:gosec // an id has at most 32 characters
	return slices.Concat(sealed, seal.MAC[:], expiry, c.Token[:], c.Data)
}

// Open reads the output of Close. Errors: keyring.ErrForged for a forged row, keyring.ErrUnknownKey for a missing
// key.
func (s SessionKeys) Open(sealed []byte) (Session, error) {
	var seal keyring.Seal
	var c Session
	if len(sealed) == 0 {
		return c, keyring.ErrForged
	}
	name := int(sealed[0])
	head := 1 + name + len(seal.MAC)
	if len(sealed) < head+8+len(c.Token) {
		return c, keyring.ErrForged
	}
	seal.KeyID = string(sealed[1 : 1+name])
	copy(seal.MAC[:], sealed[1+name:])
	expiry, rest := sealed[head:head+8], sealed[head+8:]
	copy(c.Token[:], rest)
	c.Data = rest[len(c.Token):]
	err := s.seals.Verify(seal, c.Token[:], expiry, c.Data)
	if err != nil {
		return Session{}, fmt.Errorf("open a session: %w", err)
	}
	c.Expiry = time.UnixMicro(int64(binary.BigEndian.Uint64(expiry))) //nolint:gosec // as it was written
	return c, nil
}
