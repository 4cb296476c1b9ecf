package keyring_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"countersign/internal/keyring"
)

func TestWhatIsHiddenOpensUnderItsKeyAndItsFieldsOnly(t *testing.T) {
	t.Parallel()
	ring := func(lines ...string) keyring.Ring {
		t.Helper()
		made, err := keyring.Parse([]byte(strings.Join(lines, "\n")), "")
		if err != nil {
			t.Fatal(err)
		}
		derived, err := made.Derive("test")
		if err != nil {
			t.Fatal(err)
		}
		return derived
	}
	first, second := "one "+strings.Repeat("1f", 32), "two "+strings.Repeat("2e", 32)
	hidden, err := ring(first).Encrypt(rand.Reader, []byte("a secret"), []byte("realm"), []byte("id"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ring(first).Encrypt(rand.Reader, []byte("a secret"), []byte("realm"), []byte("id"))
	if err != nil || bytes.Equal(hidden, again) || bytes.Contains(hidden, []byte("a secret")) {
		t.Errorf("hidden twice: %x and %x, %v", hidden, again, err)
	}
	plain, err := ring(second, first).Decrypt(hidden, []byte("realm"), []byte("id"))
	if err != nil || string(plain) != "a secret" {
		t.Errorf("after another key came: %q, %v", plain, err)
	}
	_, err = ring(first).Decrypt(hidden, []byte("realmid"))
	if !errors.Is(err, keyring.ErrForged) {
		t.Errorf("bound to other fields: %v", err)
	}
	_, err = ring(second).Decrypt(hidden, []byte("realm"), []byte("id"))
	if !errors.Is(err, keyring.ErrUnknownKey) {
		t.Errorf("without its key: %v", err)
	}
	for i := range hidden {
		struck := bytes.Clone(hidden)
		struck[i] ^= 1
		plain, err = ring(first).Decrypt(struck, []byte("realm"), []byte("id"))
		if err == nil {
			t.Errorf("byte %d flipped, and yet it reads %q", i, plain)
		}
	}
	for length := range hidden {
		_, err = ring(first).Decrypt(hidden[:length], []byte("realm"), []byte("id"))
		if err == nil {
			t.Errorf("cut to %d bytes, and yet it reads", length)
		}
	}
}
