package identity

import (
	"encoding/base64"
	"fmt"
	"io"

	"countersign/internal/keyring"
)

// ProviderSecret is the secret of this portal at an identity provider, with its binding: copied into another row it cannot be read.
type ProviderSecret struct {
	Realm, Issuer, ClientID string
	Secret                  string
}

func (s ProviderSecret) bound() [][]byte {
	return [][]byte{[]byte(s.Realm), []byte(s.Issuer), []byte(s.ClientID)}
}

// ProviderKeys hide such secrets. The keys are not in the database.
type ProviderKeys struct{ ring keyring.Ring }

// NewProviderKeys derives the keys from those of tokens.
func NewProviderKeys(tokens keyring.Ring) (ProviderKeys, error) {
	ring, err := tokens.Derive("identity provider")
	return ProviderKeys{ring: ring}, err
}

// Hide makes the text of a secret that may be stored and be read by people: nothing of the secret is in it.
func (k ProviderKeys) Hide(random io.Reader, s ProviderSecret) (string, error) {
	hidden, err := k.ring.Encrypt(random, []byte(s.Secret), s.bound()...)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(hidden), nil
}

// HiddenProviderSecret is the text of Hide as the column of a provider has it.
func HiddenProviderSecret(text string) ([]byte, error) {
	hidden, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("read a hidden secret: %w", err)
	}
	return hidden, nil
}

// Show decrypts a hidden secret; s holds its binding. Errors: keyring.ErrForged, keyring.ErrUnknownKey.
func (k ProviderKeys) Show(hidden []byte, s ProviderSecret) (string, error) {
	secret, err := k.ring.Decrypt(hidden, s.bound()...)
	return string(secret), err
}
