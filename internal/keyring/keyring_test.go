package keyring_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/keyring"
)

func ring(t *testing.T, lines ...string) keyring.Ring {
	t.Helper()
	r, err := keyring.Parse([]byte(strings.Join(lines, "\n")), "release-1")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	keyA = strings.Repeat("a1", 32)
	keyB = strings.Repeat("b2", 32)
)

func TestAnOlderKeyStillVerifies(t *testing.T) {
	before := ring(t, keyA)
	seal := before.Seal([]byte("realm"), []byte("content"))
	if seal.KeyID != "release-1" {
		t.Fatalf("a bare line is called %q", seal.KeyID)
	}
	after := ring(t, "# the new one seals", "2027 "+keyB, "", "release-1 "+keyA)
	if err := after.Verify(seal, []byte("realm"), []byte("content")); err != nil {
		t.Fatalf("what the older key sealed: %v", err)
	}
	if got := after.Seal([]byte("x")).KeyID; got != "2027" {
		t.Fatalf("sealed with %q, not with the first key", got)
	}
	gone := ring(t, "2027 "+keyB)
	if err := gone.Verify(seal, []byte("realm"), []byte("content")); !errors.Is(err, keyring.ErrUnknownKey) {
		t.Fatalf("without the key: %v, want ErrUnknownKey", err)
	}
}

func TestOnlyTheSealedFieldsVerify(t *testing.T) {
	r := ring(t, keyA)
	seal := r.Seal([]byte("ab"), []byte("c"))
	for name, fields := range map[string][][]byte{
		"a field changed":     {[]byte("ab"), []byte("d")},
		"the border moved":    {[]byte("a"), []byte("bc")},
		"a field more":        {[]byte("ab"), []byte("c"), nil},
		"a field less":        {[]byte("ab")},
		"the fields swapped":  {[]byte("c"), []byte("ab")},
		"nothing sealed them": nil,
	} {
		if err := r.Verify(seal, fields...); !errors.Is(err, keyring.ErrForged) {
			t.Errorf("%s: %v, want ErrForged", name, err)
		}
	}
}

func TestASealOfOnePurposeIsNoneOfAnother(t *testing.T) {
	r := ring(t, keyA)
	release, err := r.Derive("release")
	if err != nil {
		t.Fatal(err)
	}
	outbox, err := r.Derive("outbox")
	if err != nil {
		t.Fatal(err)
	}
	seal := release.Seal([]byte("x"))
	if err := outbox.Verify(seal, []byte("x")); !errors.Is(err, keyring.ErrForged) {
		t.Fatalf("under another purpose: %v, want ErrForged", err)
	}
	if release.Shares(outbox) || !r.Shares(ring(t, "other "+keyA)) {
		t.Fatal("Shares does not compare the bytes of the keys")
	}
}

func TestTheEmptyRingVerifiesNothing(t *testing.T) {
	var none keyring.Ring
	if err := none.Verify(none.Seal([]byte("x")), []byte("x")); !errors.Is(err, keyring.ErrUnknownKey) {
		t.Fatalf("%v, want ErrUnknownKey", err)
	}
}

func TestBadKeyFilesAreRefusedWithoutShowingTheKey(t *testing.T) {
	short := strings.Repeat("a1", 31)
	for name, file := range map[string]string{
		"empty":              "",
		"only a comment":     "# nothing",
		"too short":          "k " + short,
		"not hexadecimal":    "k " + strings.Repeat("zz", 32),
		"a bad id":           "K! " + keyA,
		"three words":        "k " + keyA + " more",
		"the same id twice":  "k " + keyA + "\nk " + keyB,
		"the same key twice": "k " + keyA + "\nl " + keyA,
	} {
		_, err := keyring.Parse([]byte(file), "release-1")
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		if strings.Contains(err.Error(), short) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
}
