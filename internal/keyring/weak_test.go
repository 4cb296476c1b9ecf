package keyring_test

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

func TestKeysThatPeopleTypeAreWeak(t *testing.T) {
	var rising strings.Builder
	for i := range 32 {
		rising.WriteString(hex.EncodeToString([]byte{byte(7 * i)}))
	}
	for name, key := range map[string]string{
		"zeros":         strings.Repeat("00", 32),
		"one byte":      strings.Repeat("a1", 64),
		"a pattern":     strings.Repeat("0123456789abcdef", 8),
		"counted":       rising.String(),
		"a passphrase":  hex.EncodeToString([]byte("correct horse battery staple, as they say")),
		"encoded twice": hex.EncodeToString([]byte("5f1e9a0c7b3d2846e0a1b9c8d7f60f2e")),
	} {
		if got := ring(t, "suspect "+key).Weak(); !slices.Equal(got, []string{"suspect"}) {
			t.Errorf("%s: weak keys %q", name, got)
		}
	}
}

func TestRandomKeysAreNotWeak(t *testing.T) {
	for range 10_000 {
		secret := make([]byte, 32)
		_, _ = rand.Read(secret)
		if got := ring(t, hex.EncodeToString(secret)).Weak(); got != nil {
			t.Fatalf("%x is weak", secret)
		}
	}
}
