package account_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/internal/account"
)

func TestParseBIC(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		kind error
	}{
		{"RAIFCH22005", nil},
		{"AAAADEFF", nil},
		{"AAAADEFFXXX", nil},
		{"1A2BXKPR", nil},
		{"", account.ErrEmpty},
		{"RAIFCH2", account.ErrLength},
		{"RAIFCH2200", account.ErrLength},
		{"RAIFCH22005X", account.ErrLength},
		{"raifch22", account.ErrStructure},
		{"RAIF1H22", account.ErrStructure},
		{"RAIFCH2-", account.ErrStructure},
		{"RAIFZZ22", account.ErrCountry},
		{"RAIFEU22", account.ErrCountry},
	}
	for _, test := range cases {
		bic, err := account.ParseBIC(test.text)
		if !errors.Is(err, test.kind) {
			t.Errorf("ParseBIC(%q): %v, want %v", test.text, err, test.kind)
		}
		if err == nil && bic.String() != test.text {
			t.Errorf("ParseBIC(%q) = %q", test.text, bic)
		}
	}
	bic, err := account.ParseBIC("RAIFCH22")
	if err != nil || bic.Country() != "CH" {
		t.Errorf("ParseBIC = %v, %v", bic, err)
	}
}

func TestBankOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"CH7280005000088877766": "RAIFCH22005",
		"CH9300762011623852957": "",
		"LI21088100002324013AA": "BLFLLI2XXXX",
	} {
		iban, err := account.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bank, found := account.BankOf(iban)
		if found != (want != "") || bank.BIC.String() != want {
			t.Errorf("BankOf(%s) = %+v, %v; want BIC %q", text, bank, found, want)
		}
	}
}

func TestIIDForms(t *testing.T) {
	t.Parallel()
	iid, err := account.ParseIID("762")
	if err != nil || iid.String() != "00762" || iid.Short() != "762" {
		t.Errorf("ParseIID(762) = %q, %v", iid, err)
	}
	for text, kind := range map[string]error{"": account.ErrEmpty, "7a2": account.ErrCharacter, "123456": account.ErrLength} {
		_, err := account.ParseIID(text)
		if !errors.Is(err, kind) {
			t.Errorf("ParseIID(%q): %v, want %v", text, err, kind)
		}
	}
}

func TestInSEPA(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		parsed, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	cases := []struct {
		country, day string
		want         bool
	}{
		{"DE", "2026-11-20", true},
		{"IS", "2026-11-20", true},
		{"CH", "2026-11-20", true},
		{"US", "2026-11-20", false},
		{"TR", "2026-11-20", false},
		{"", "2026-11-20", false},
		{"AL", "2025-10-06", false},
		{"AL", "2025-10-07", true},
		{"RS", "2026-05-05", false}, // in SCT only
	}
	for _, test := range cases {
		if account.InSEPA(test.country, day(test.day)) != test.want {
			t.Errorf("InSEPA(%s, %s) is not %v", test.country, test.day, test.want)
		}
	}
}

func TestCountryExistsDoesNotReadAcrossCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"CH": true, "XK": true, "D ": false, " A": false, "EU": false, "ch": false, "CHE": false, "": false} {
		if account.CountryExists(code) != want {
			t.Errorf("CountryExists(%q) is not %v", code, want)
		}
	}
}

func TestTransliterate(t *testing.T) {
	t.Parallel()
	cases := []struct {
		set     account.CharacterSet
		text    string
		want    string
		changed bool
	}{
		{account.EPCBasic, "Meier + Co., Bern", "Meier + Co., Bern", false},
		{account.EPCBasic, "Müller & Söhne", "Mueller + Soehne", true},
		{account.EPCBasic, "Mu\u0308ller", "Mueller", true},
		{account.EPCBasic, "MÜLLER Über Ä", "MUELLER Ueber AE", true},
		{account.EPCBasic, "Façade Crêpe Łódź Œuvre Straße", "Facade Crepe Lodz Ouvre Strasse", true},
		{account.EPCBasic, "a@b_c #1 100% €5", "a.b-c .1 100. E5", true},
		{account.EPCBasic, "[x] {y} \\z ½ m²", "(x) (y) /z . m.", true},
		{account.EPCBasic, "Rock’n’Roll – „neu“", "Rock'n'Roll - 'neu'", true},
		{account.EPCBasic, "Привет", "......", true},
		{account.SwissLatin, "Müller & Söhne, 5 €", "Müller & Söhne, 5 €", false},
		{account.SwissLatin, "Rock’n’Roll – neu", "Rock'n'Roll - neu", true},
		{account.SwissLatin, "a\tb", "a b", true},
		{account.SwissLatin, "Ạ", "A", true},
		{account.EPCBasic, "x\u0302y", "xy", true},
		{account.EPCBasic, "\u0958", ".", true},
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
		got, changed := account.EPCBasic.TransliterateWithin("Müller Straße", limit)
		if got != want || !changed {
			t.Errorf("within %d: %q, %v; want %q", limit, got, changed, want)
		}
	}
	got, changed := account.SwissLatin.TransliterateWithin("Müller Straße", 5)
	if got != "Müller Straße" || changed {
		t.Errorf("a text that needs no change became %q", got)
	}
}

// Whatever goes in, the result has only characters of the set.
func FuzzTransliterate(f *testing.F) {
	f.Add("Müller & Söhne – „5 €“ \xff\u0308")
	f.Fuzz(func(t *testing.T, text string) {
		for _, set := range []account.CharacterSet{account.SwissLatin, account.EPCBasic} {
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
	counts := map[account.CharacterSet]int{account.EPCBasic: 73, account.SwissLatin: 95 + 96 + 128 + 5}
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
	r, place, found := account.EPCBasic.FirstRefused("Zürich")
	if r != 'ü' || place != 2 || !found {
		t.Errorf("FirstRefused = %q, %d, %v", r, place, found)
	}
	if strings.ContainsFunc("\u0000\u007f\u0080\u009f\u0180", account.SwissLatin.Allows) {
		t.Error("a control character or a neighbour of the set is allowed")
	}
}
