package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"countersign/internal/keyring"
)

// keyBytes is the length of the secret keys: of releases and of tokens.
const keyBytes = 32

// readKey reads a secret key from a file: 64 hexadecimal digits on one line.
func readKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) < keyBytes {
		return nil, fmt.Errorf("the key file %s must hold at least %d hexadecimal digits (make one: openssl rand -hex %d)", path, 2*keyBytes, keyBytes)
	}
	return key, nil
}

// readOrMakeKey reads a key, or makes one if the file does not exist: for the demo, whose keys are its own affair.
func readOrMakeKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key = make([]byte, keyBytes)
	_, err = rand.Read(key)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	err = os.WriteFile(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the key: %w", err)
	}
	return key, nil
}

// bareTokenKey is the id of the key in a token key file that holds nothing but its digits.
const bareTokenKey = "token-1"

// readRing reads a file of secret keys: lines "id hex", of which the first seals and all verify, or one line of nothing but 64
// hexadecimal digits, which is the key called bareID.
func readRing(path, bareID string) (keyring.Ring, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return keyring.Ring{}, fmt.Errorf("read the keys: %w", err)
	}
	ring, err := keyring.Parse(text, bareID)
	if err != nil {
		return keyring.Ring{}, fmt.Errorf("read the keys of %s (make one: openssl rand -hex %d): %w", path, keyBytes, err)
	}
	return ring, nil
}

// readOrMakeRing reads a file of keys, or makes one with a new key if it does not exist: for the demo, whose keys are its own affair.
func readOrMakeRing(path, bareID string) (keyring.Ring, error) {
	ring, err := readRing(path, bareID)
	if !errors.Is(err, fs.ErrNotExist) {
		return ring, err
	}
	_, err = readOrMakeKey(path)
	if err != nil {
		return keyring.Ring{}, err
	}
	return readRing(path, bareID)
}
