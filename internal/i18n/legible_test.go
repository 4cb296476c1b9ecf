package i18n_test

import (
	"testing"

	"countersign/internal/i18n"
)

// A page shows each character of a value; a program gets the value itself.
func TestInvisibleCharactersAreShown(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"Muster AG": "Muster AG", "Müller, 5 €": "Müller, 5 €", "": "", " ": "␣",
		" Muster  AG ": "␣Muster␣␣AG␣", "Mus\u00adter\u00a0AG": "Mus⟨U+00AD⟩ter⟨U+00A0⟩AG",
		"one\r\ntwo\nthree\rfour\t": "one↵two↵three⟨U+000D⟩four⟨U+0009⟩", "A\u202egnp\u200b": "A⟨U+202E⟩gnp⟨U+200B⟩", "\u2800": "⟨U+2800⟩",
	} {
		if got := i18n.English.Say(i18n.Data(value)); got != want {
			t.Errorf("%q reads %q, want %q", value, got, want)
		}
		if got := i18n.German.Say(i18n.Text("Note from %s").With(value)); got != want+" schreibt" {
			t.Errorf("%q reads %q in a sentence", value, got)
		}
		if got := i18n.Data(value).String(); got != value {
			t.Errorf("a program gets %q of %q", got, value)
		}
	}
}
