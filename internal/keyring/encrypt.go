package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
)

// Encrypt hides a text under the first key (AES-256-GCM with a random nonce of 96 bits): what has to be read again, as the secret of an
// authenticator app has, cannot be kept as a digest. The fields are bound to it: it opens beside the same ones only. The result begins
// with the length and the id of the key. A ring that encrypts should be a derived one, whose keys have 32 bytes.
func (r Ring) Encrypt(random io.Reader, plain []byte, bound ...[]byte) ([]byte, error) {
	if r.Empty() {
		return nil, errors.New("encrypt: there is no key")
	}
	k := r.keys[0]
	block, err := k.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, block.NonceSize())
	_, err = io.ReadFull(random, nonce)
	if err != nil {
		return nil, fmt.Errorf("read randomness: %w", err)
	}
	hidden := append([]byte{byte(len(k.id))}, k.id...) //nolint:gosec // an id has at most 32 characters
	hidden = append(hidden, nonce...)
	return block.Seal(hidden, nonce, plain, k.binding(bound)), nil
}

// Decrypt reads what Encrypt made, under any key of the ring. Errors: ErrUnknownKey, ErrForged, also when it is bound to other fields.
func (r Ring) Decrypt(hidden []byte, bound ...[]byte) ([]byte, error) {
	if len(hidden) == 0 || len(hidden) < 1+int(hidden[0]) {
		return nil, ErrForged
	}
	id, rest := string(hidden[1:1+int(hidden[0])]), hidden[1+int(hidden[0]):]
	for _, k := range r.keys {
		if k.id != id {
			continue
		}
		block, err := k.cipher()
		if err != nil {
			return nil, err
		}
		if len(rest) < block.NonceSize() {
			return nil, ErrForged
		}
		plain, err := block.Open(nil, rest[:block.NonceSize()], rest[block.NonceSize():], k.binding(bound))
		if err != nil {
			return nil, ErrForged
		}
		return plain, nil
	}
	return nil, ErrUnknownKey
}

func (k key) cipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.secret[:KeyBytes])
	if err != nil {
		return nil, fmt.Errorf("prepare the key %s: %w", k.id, err)
	}
	return cipher.NewGCM(block)
}

// binding returns the context to which a hidden text is bound, each field with its length before it.
func (k key) binding(bound [][]byte) []byte {
	var f Fields
	f.Text("countersign hidden 1", k.id)
	for _, field := range bound {
		f.Bytes(field)
	}
	return f
}
