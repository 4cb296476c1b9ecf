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
