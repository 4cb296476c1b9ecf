package i18n

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestTheCatalogueIsReadWhole: a file that cannot be read would leave its texts in English without a word.
func TestTheCatalogueIsReadWhole(t *testing.T) {
	t.Parallel()
	entries, err := readEntries("*.yaml")
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
		{German, Text("Note from %s").With("100 % \x01\x02 Maker"), "100 % ⟨U+0001⟩⟨U+0002⟩ Maker schreibt"},
		{German, Join(" ", Text("%s approved.").With("A1"), "", Text("%s rejected.").With("A2")), "A1 freigegeben. A2 abgelehnt."},
		{
			German, Kept(Text("Enter the internal IDs of 1 to %d payments.").With(1000).Stored()),
			"Geben Sie die internen IDs von 1 bis 1'000 Zahlungen ein.",
		},
		{German, Kept("Nobody decided in time."), "Niemand hat rechtzeitig entschieden."},
		{German, Kept("Enter 1 to 1000 payments."), "Enter 1 to 1000 payments."},
		{German, Kept("what another \u202ebank wrote"), "what another ⟨U+202E⟩bank wrote"},
		{German, Kept(Data("Nobody decided in time.").Stored()), ""},
		{German, Text("Nobody decided in time.").AtMost(23), "Niemand hat rechtzeitig entschieden."},
		{German, Text("Nobody decided in time.").AtMost(6), "Nobody"},
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

// TestAdviceNamesNoElement: it stands beside the field that it is about.
func TestAdviceNamesNoElement(t *testing.T) {
	t.Parallel()
	for text, want := range map[Text]string{
		InElement(Text("Enter at most %d characters instead of %d").With(35, 36), "Nm"): "Geben Sie höchstens 35 statt 36 Zeichen ein.",
		"Enter the town of the address.":                                                "Geben Sie den Ort der Adresse ein.",
		Data("Another bank wrote in English."):                                          "Another bank wrote in English.",
		InElement(Text("Enter %s").With("TRF"), "PmtMtd"):                               "Geben Sie TRF an.",
	} {
		if got := German.Say(Advice(text)); got != want {
			t.Errorf("%q is said %q, want %q", text, got, want)
		}
	}
}

// TestValuesAreWrittenForTheirReader: for programs, and on pages in English and in German.
func TestValuesAreWrittenForTheirReader(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 4, 39, 14, 0, time.UTC)
	for _, c := range []struct {
		text                     Text
		program, english, german string
	}{
		{"Enter the town of the address.", "Enter the town of the address.", "Enter the town of the address.", "Geben Sie den Ort der Adresse " +
			"ein."},
		{
			Text("Shorten the name to %d characters. It now has %d.").With(70, 1234), "Shorten the name to 70 characters. It now has 1234.",
			"Shorten the name to 70 characters. It now has 1'234.", "Der Name hat 1'234 Zeichen. Kürzen Sie den Namen auf höchstens 70 Zeichen.",
		},
		{
			Text("You %s this payment or request on %s. Another person must approve or reject it.").With(Text("submitted"), Minute(at)),
			"You submitted this payment or request on 2026-11-24 04:39 UTC. Another person must approve or reject it.",
			"You submitted this payment or request on 24.11.2026 05:39 CET. Another person must approve or reject it.",
			"Sie haben diese Meldung am 24.11.2026 05:39 CET eingereicht. Eine andere Person muss sie freigeben oder ablehnen.",
		},
		{
			Text("This change was already %s by %s on %s.").With(Text("applied"), "Checker 1", Moment(at)),
			"This change was already applied by Checker 1 on 2026-11-24T04:39:14Z.",
			"This change was already applied by Checker 1 on 24.11.2026 05:39:14 CET.",
			"Diese Änderung wurde am 24.11.2026 05:39:14 CET bereits von Checker 1 umgesetzt.",
		},
		{
			Text("An answer is due by %s.").With(Day(at)), "An answer is due by 2026-11-24.", "An answer is due by 24.11.2026.",
			"Eine Antwort ist bis zum 24.11.2026 fällig.",
		},
		{
			Text("%s in %s.").With(Text("Enter %s or %s").With("CHK, TRF", "TRA"), "PmtMtd"), "Enter CHK, TRF or TRA in PmtMtd.",
			"Enter CHK, TRF or TRA in PmtMtd.", "PmtMtd: Geben Sie CHK, TRF oder TRA an.",
		},
		{Country("AT"), "Austria", "Austria", "Österreich"},
		{ForPrograms("Send %d of %s.", 1, "x"), "Send 1 of x.", "Send 1 of x.", "Send 1 of x."},
		{OfError(errors.New("%s %d %q")), "%s %d %q", "%s %d %q", "%s %d %q"},
		{
			OfError(fmt.Errorf("read: %w", constant("Enter the town of the address."))), "Enter the town of the address.",
			"Enter the town of the address.", "Geben Sie den Ort der Adresse ein.",
		},
	} {
		for _, reader := range []struct{ got, want string }{
			{c.text.String(), c.program}, {English.Say(c.text), c.english}, {German.Say(c.text), c.german},
		} {
			if reader.got != reader.want {
				t.Errorf("%q is said %q, want %q", string(c.text), reader.got, reader.want)
			}
		}
	}
}

// constant is an error with a text for people.
type constant Text

func (e constant) Error() string { return e.Sentence().String() }

func (e constant) Sentence() Text { return Text(e) }
