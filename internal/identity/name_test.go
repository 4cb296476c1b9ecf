package identity_test

import (
	"testing"

	"countersign/internal/identity"
)

// Names that were given before they were held to what people see are still told to be the same.
func TestNamesThatReadAlikeAreTheSame(t *testing.T) {
	t.Parallel()
	for _, other := range []string{
		"anna muster", " ANNA \t MUSTER ", "Anna\ufe0f Muster", "An\u034fna Muster", "Anna\u3164 Muster", "Anna\u17b4 Muster",
		"Anna Mu\u200bster",
		"Ａnna Muster",
	} {
		if !identity.SameName("Anna Muster", other) {
			t.Errorf("%q is told apart", other)
		}
	}
	for _, other := range []string{"Annamuster", "Anna Müster", ""} {
		if identity.SameName("Anna Muster", other) {
			t.Errorf("%q is taken for the same", other)
		}
	}
}

func TestNamesThatLookAlike(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"Сhecker 1", "Checker l", "Checker 1.", "checker  1", "Cһecker\u200b 1"} {
		if !identity.LooksLike("Checker 1", other) {
			t.Errorf("%q does not look like Checker 1", other)
		}
	}
	for _, other := range []string{"Checker 2", "Checker 11", "Checker", "Cheker 1"} {
		if identity.LooksLike("Checker 1", other) {
			t.Errorf("%q looks like Checker 1", other)
		}
	}
	if identity.LooksLike("Maria Muster", "Marla Muster") {
		t.Error("Maria and Marla are two names")
	}
}
