package i18n

import (
	"strings"
	"testing"
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

// TestAdviceNamesNoElement: it stands beside the field that it is about.
func TestAdviceNamesNoElement(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"Enter at most 35 characters instead of 36 in Nm.": "Geben Sie höchstens 35 Zeichen statt 36 an.",
		"Enter the town of the address.":                   "Geben Sie den Ort der Adresse ein.",
		"Another bank wrote in English.":                   "Another bank wrote in English.",
		"Enter TRF in PmtMtd.":                             "PmtMtd: Geben Sie TRF an.",
	} {
		if got := German.Say(Advice(sentence)); got != want {
			t.Errorf("%q is said %q, want %q", sentence, got, want)
		}
	}
}

// TestSentencesOfLowerFloorsAreKnownAgain: with the values that stand in them, whatever they are.
func TestSentencesOfLowerFloorsAreKnownAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sentence, want string
	}{
		{"Enter the town of the address.", "Geben Sie den Ort der Adresse ein."},
		{"Shorten the name to 70 characters: it has 123.", "Kürzen Sie den Namen auf 70 Zeichen: Er hat 123."},
		{
			"Replace \"Ж\" (character 3): use Latin letters, digits and signs only.",
			"Ersetzen Sie \"Ж\" (Zeichen 3): Verwenden Sie nur lateinische Buchstaben, Ziffern und Zeichen.",
		},
		{
			"You submitted this on 2026-11-20 08:14 UTC. Another person must decide.",
			"Sie haben dies am 20.11.2026 09:14 CET eingereicht. Eine andere Person muss entscheiden.",
		},
		{
			"This change was already applied by Checker 1 on 2026-11-24T04:39:14Z.",
			"Über diese Änderung wurde schon entschieden (ausgeführt, Checker 1, 24.11.2026 05:39:14 CET).",
		},
		{
			"You asked for this change. Another administrator must decide it.",
			"Sie haben diese Änderung beantragt. Eine andere Person mit der Rolle Administrator muss darüber entscheiden.",
		},
		{
			"This payment was recalled before: a payment can be recalled once, whatever the answer. The recall DM1 of this payment is Refused.",
			"Diese Zahlung wurde schon zurückgerufen: Eine Zahlung kann einmal zurückgerufen werden, wie immer die Antwort lautet. " +
				"Rückruf DM1 dieser Zahlung: Abgelehnt.",
		},
		{
			"Only a settled payment can be recalled: this one is Approval Pending.",
			"Nur eine abgewickelte Zahlung kann zurückgerufen werden: Diese ist im Zustand wartet auf Freigabe.",
		},
		{"Use \x01CHF: sic-inst payments have no other currency.", "Verwenden Sie CHF: sic-inst-Zahlungen haben keine andere Währung."},
		{"Enter at most 35 characters instead of 36 in Nm.", "Nm: Geben Sie höchstens 35 Zeichen statt 36 an."},
		{"Enter one of CHK, TRF or TRA in PmtMtd.", "PmtMtd: Geben Sie CHK, TRF oder TRA an."},
		{"Enter TRF in PmtMtd.", "PmtMtd: Geben Sie TRF an."},
		{
			"Enter a currency code of three capital letters, such as CHF as currency of InstdAmt.",
			"Währung von InstdAmt: Geben Sie einen Währungscode aus drei Grossbuchstaben an, zum Beispiel CHF.",
		},
		{
			"Remove CdtrAcct: the component PartyIdentification135 has no such element.",
			"Entfernen Sie CdtrAcct: Die Komponente PartyIdentification135 hat kein solches Element.",
		},
		{"Remove Foo: this message has no such element.", "Entfernen Sie Foo: Diese Nachricht hat kein solches Element."},
		{
			"This message was already approved by Checker 2 on 2026-11-24T04:39:14Z. It is now Settled.",
			"Diese Nachricht wurde schon freigegeben, von Checker 2, 24.11.2026 05:39:14 CET. Sie ist nun: Abgewickelt.",
		},
		{"An answer is due by 2026-12-14.", "Eine Antwort ist bis 14.12.2026 fällig."},
		{"Another bank wrote in English.", "Another bank wrote in English."},
		{"Enter the town of the address. And more.", "Enter the town of the address. And more."},
		{"Shorten the name to many characters: it has 1.", "Shorten the name to many characters: it has 1."},
		{"Shorten the name to 99999999999999999999 characters: it has 1.", "Shorten the name to 99999999999999999999 characters: it has 1."},
		{"%s %d %q", "%s %d %q"},
		{"", ""},
	} {
		if got := German.Say(Sentence(c.sentence)); got != c.want {
			t.Errorf("%q is said %q, want %q", c.sentence, got, c.want)
		}
		want := strings.NewReplacer(dataMark, "", "2026-11-20 08:14 UTC", "20.11.2026 09:14 CET",
			"2026-11-24T04:39:14Z", "24.11.2026 05:39:14 CET",
			"2026-12-14", "14.12.2026").Replace(c.sentence)
		if got := English.Say(Sentence(c.sentence)); got != want {
			t.Errorf("%q is said %q in English", c.sentence, got)
		}
	}
}
