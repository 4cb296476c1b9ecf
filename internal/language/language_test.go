package language

import (
	"testing"
)

// TestTheCatalogueIsReadWhole: a file that cannot be read would leave its texts in English without a word.
func TestTheCatalogueIsReadWhole(t *testing.T) {
	t.Parallel()
	entries, err := readEntries()
	if err != nil {
		t.Fatal(err)
	}
	_, err = compile(entries)
	if err != nil {
		t.Error(err)
	}
}

func TestTextsAreSaidWithTheirValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   Language
		text Text
		want string
	}{
		{English, Text("%d payments").With(1), "1 payment"},
		{English, Text("%d payments").With(12345), "12'345 payments"},
		{German, Text("%d payments").With(1), "1 Zahlung"},
		{French, Text("%d payments").With(0), "0 paiement"},
		{French, Text("%d payments").With(2), "2 paiements"},
		{Italian, Text("%d payments").With(12345), "12'345 pagamenti"},
		{
			German, Text("%s was already approved by %s at %s.").With("A1", "Checker 1", "08:15"),
			"A1 wurde um 08:15 bereits von Checker 1 freigegeben.",
		},
		{German, Text("%s today").With(Text("Failed")), "Fehlgeschlagen heute"},
		{German, Data("Approved"), "Approved"},
		{German, Data("%s and %d"), "%s and %d"},
		{English, "to (a creditor)", "to"},
		{German, Text("%s says").With("100 % \x01\x02 Maker"), "100 % \x01\x02 Maker schreibt"},
		{German, Join(" ", Text("%s approved.").With("A1"), "", Text("Next: %s.").With("A2")), "A1 freigegeben. Als Nächstes: A2."},
		{German, Sentence("what another bank wrote"), "what another bank wrote"},
		{German, "", ""},
	} {
		if got := c.in.Say(c.text); got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.text, c.in, got, c.want)
		}
	}
}

func TestTheBrowserIsAskedForItsLanguage(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]Language{
		"": English, "de-CH,de;q=0.9,en;q=0.8": German, "de-DE": German, "fr-CH, fr;q=0.9": French, "it": Italian, "en-US": English,
		"ja,fr;q=0.4,en;q=0.2": French, "ja": English, "not a language": English, "*": English,
	} {
		if got := Guess(accept); got != want {
			t.Errorf("%q is guessed to be %s, want %s", accept, got, want)
		}
	}
}
