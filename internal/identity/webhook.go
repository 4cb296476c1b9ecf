package identity

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/google/uuid"

	"countersign/internal/keyring"
)

// webhookSecretPrefix marks a secret as one of Standard Webhooks; base64 of its bytes follows.
const webhookSecretPrefix = "whsec_"

// WebhookKeys encrypt the secrets of webhooks. The keys are not in the database.
type WebhookKeys struct{ ring keyring.Ring }

// NewWebhookKeys derives the keys from those of tokens.
func NewWebhookKeys(tokens keyring.Ring) (WebhookKeys, error) {
	ring, err := tokens.Derive("webhook")
	return WebhookKeys{ring: ring}, err
}

// New makes the secret of a webhook: as its receiver needs it, and encrypted for the database.
func (k WebhookKeys) New(realm string, webhook uuid.UUID) (shown string, hidden []byte, err error) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	hidden, err = k.ring.Encrypt(rand.Reader, secret[:], []byte(realm), webhook[:])
	return webhookSecretPrefix + base64.StdEncoding.EncodeToString(secret[:]), hidden, err
}

// Show decrypts a secret. Errors: keyring.ErrForged, keyring.ErrUnknownKey.
func (k WebhookKeys) Show(realm string, webhook uuid.UUID, hidden []byte) ([]byte, error) {
	return k.ring.Decrypt(hidden, []byte(realm), webhook[:])
}
