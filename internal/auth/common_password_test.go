package auth_test

import (
	"errors"
	"testing"

	"countersign/internal/auth"
)

func TestCommonPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"", "short", "password1234", "P@ssw0rd1234", "123456789012", "qwertyuiopasdf", "qwertzuiopasdf", "aaaaaaaaaaaaaaaa", "abcdefghijklm",
		"ZYXWVUTSRQPONM", "31.12.1999", "Jennifer1985", "monkeymonkey", "24-03-2026", "M0nk3yM0nk3y", "Sommer2026!!", "Countersign1",
		"!!Passwort2026", "countersign2026",
	} {
		if err := auth.CheckNewPassword(password); !errors.Is(err, auth.ErrWeakPassword) {
			t.Errorf("%q: got %v, want %v", password, err, auth.ErrWeakPassword)
		}
	}
}

func TestOtherPasswordsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"correct horse battery staple", "Trottoir-Kamel-Nebel-91", "x7Gv2mQ9rLp4", "drei Ziegen am Gotthard", "Grüße aus Zürich, Frau Ägerter",
	} {
		if err := auth.CheckNewPassword(password); err != nil {
			t.Errorf("%q: %v", password, err)
		}
	}
}
