package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
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
