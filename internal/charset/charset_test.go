package charset_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/internal/charset"
)

func TestTransliterate(t *testing.T) {
	t.Parallel()
	cases := []struct {
		set     charset.Set
		text    string
		want    string
		changed bool
	}{
		{charset.EPCBasic, "Meier + Co., Bern", "Meier + Co., Bern", false},
		{charset.EPCBasic, "Müller & Söhne", "Mueller + Soehne", true},
		{charset.EPCBasic, "Mu\u0308ller", "Mueller", true},
		{charset.EPCBasic, "MÜLLER Über Ä", "MUELLER Ueber AE", true},
		{charset.EPCBasic, "Façade Crêpe Łódź Œuvre Straße", "Facade Crepe Lodz Ouvre Strasse", true},
		{charset.EPCBasic, "a@b_c #1 100% €5", "a.b-c .1 100. E5", true},
		{charset.EPCBasic, "[x] {y} \\z ½ m²", "(x) (y) /z . m.", true},
		{charset.EPCBasic, "Rock’n’Roll – „neu“", "Rock'n'Roll - 'neu'", true},
		{charset.EPCBasic, "Привет", "......", true},
		{charset.SwissLatin, "Müller & Söhne, 5 €", "Müller & Söhne, 5 €", false},
		{charset.SwissLatin, "Rock’n’Roll – neu", "Rock'n'Roll - neu", true},
		{charset.SwissLatin, "a\tb", "a b", true},
		{charset.SwissLatin, "Ạ", "A", true},
		{charset.EPCBasic, "x\u0302y", "xy", true},
		{charset.EPCBasic, "GROẞ AG, REẞORT, Reẞ", "GROSS AG, RESSORT, ReSS", true},
		{charset.SwissLatin, "GROẞ AG", "GROSS AG", true},
		{charset.EPCBasic, "ﬁx oﬀ ﬄ ﬆ", "fix off ffl st", true},
		{charset.EPCBasic, "ǈiǉana Ǆ ǌ ĳ", "Ljiljana DZ nj i", true},
		{charset.SwissLatin, "ǆ Ｍüller", "dž Müller", true},
		{charset.EPCBasic, "Ŋŋ ŉ ſ ẛ Ǥǥ Ƶ Əə Ɓ ƴ ǽ Ǿ", "Nn n s s Gg Z Ee B y a O", true},
		{charset.EPCBasic, "ª º ĸ ʃ", ". . . .", true},
		{charset.EPCBasic, "\u0958", ".", true},
	}
	for _, test := range cases {
		got, changed := test.set.Transliterate(test.text)
		if got != test.want || changed != test.changed {
			t.Errorf("Transliterate(%q) = %q, %v; want %q, %v", test.text, got, changed, test.want, test.changed)
		}
	}
}

func TestTransliterateWithinTakesTheShortFormWhenItMust(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{20: "Mueller Strasse", 15: "Mueller Strasse", 14: "Muller Strase", 13: "Muller Strase"} {
		got, changed := charset.EPCBasic.TransliterateWithin("Müller Straße", limit)
		if got != want || !changed {
			t.Errorf("within %d: %q, %v; want %q", limit, got, changed, want)
		}
	}
	if got, _ := charset.EPCBasic.TransliterateWithin("GROẞ ǈ ﬃ", 8); got != "GROS L f" {
		t.Errorf("the short form is %q", got)
	}
	got, changed := charset.SwissLatin.TransliterateWithin("Müller Straße", 5)
	if got != "Müller Straße" || changed {
		t.Errorf("a text that needs no change became %q", got)
	}
}

// Whatever goes in, the result has only characters of the set.
func FuzzTransliterate(f *testing.F) {
	f.Add("Müller & Söhne – „5 €“ \xff\u0308")
	f.Fuzz(func(t *testing.T, text string) {
		for _, set := range []charset.Set{charset.SwissLatin, charset.EPCBasic} {
			result, changed := set.Transliterate(text)
			r, place, found := set.FirstRefused(result)
			if found {
				t.Fatalf("%q became %q with %q in place %d", text, result, r, place)
			}
			if changed == (result == text) {
				t.Fatalf("%q became %q, changed %v", text, result, changed)
			}
			length := utf8.RuneCountInString(text)
			short, _ := set.TransliterateWithin(text, length)
			if utf8.RuneCountInString(short) > length {
				t.Fatalf("%q became longer: %q", text, short)
			}
		}
	})
}

func TestCharacterSetSizes(t *testing.T) {
	t.Parallel()
	counts := map[charset.Set]int{charset.EPCBasic: 73, charset.SwissLatin: 95 + 96 + 128 + 5}
	for set, want := range counts {
		count := 0
		for r := range rune(0x3000) {
			if set.Allows(r) {
				count++
			}
		}
		if count != want {
			t.Errorf("set %d has %d characters, want %d", set, count, want)
		}
	}
	r, place, found := charset.EPCBasic.FirstRefused("Zürich")
	if r != 'ü' || place != 2 || !found {
		t.Errorf("FirstRefused = %q, %d, %v", r, place, found)
	}
	if strings.ContainsFunc("\u0000\u007f\u0080\u009f\u0180", charset.SwissLatin.Allows) {
		t.Error("a control character or a neighbour of the set is allowed")
	}
}

func TestACharacterIsShownOrNamed(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]string{
		'株': `"株"`, 'Ж': `"Ж"`, '"': `"""`, '\n': "U+000A", '\u202e': "U+202E", '\u0301': "U+0301", '\u00a0': "U+00A0", '\ufffd': "U+FFFD",
	} {
		if got := charset.Shown(r); got != want {
			t.Errorf("%U is shown as %s, want %s", r, got, want)
		}
	}
}

func TestPlainTypography(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Rock’n’Roll – „neu“…": `Rock'n'Roll - "neu"...`, "a\u202fb\u2009c": "a b c", "un\u00adseen\u200b": "unseen",
		"Müller & Söhne 5 €":        "Müller & Söhne 5 €",
		"Привет":                    "Привет",
		"Nguyễn ﬁx ẞ ʃ 株 😀":         "Nguyen fix SS ʃ 株 😀",
		"Mu\u0308ller Zu\u0308rich": "Müller Zürich", "A\u202egnp.exe\u202c": "Agnp.exe", "one\r\ntwo\tthree": "one two three",
	} {
		if got := charset.PlainTypography(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
