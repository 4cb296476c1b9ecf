package keyring

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

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
