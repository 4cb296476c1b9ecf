package account_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/account"
)

// registryExamples are the example accounts of the ISO 13616 registry for countries with one.
const registryExamples = `AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 BH67BMAG00001299123456
BR9700360305000010009795493P1 BR1800000000141455123924100C2 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399 CZ9455000000001011038930
DE89370400440532013000 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685 ES9121000418450200051332
FI2112345600000785 FO6264600001631634 FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917
GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690
HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302
KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114 LC55HEMM000100010012001200023015
LI21088100002324013AA LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 MC5811222000010123456789030
MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984 MR1300020001010000123456753
MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947
PK36SCBL0000001123456702 PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154
QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379 SA0380000000608010167519
SC18SSCB11010000000000001497USD SE4550000000058398257466 SI56191000000123438 SK3112000000198742637541
SM86U0322509800000000270100 ST68000100010051845310112 SV62CENR00000000000000700025 TL380080012345678910157
TN5910006035183598478831 TR330006100519786457841326 UA213996220000026007233566001 VG96VPVG0000012345678901
XK051212012345678906 BI4210000100010000332045181 DJ2100010000000154000100186 EG380019000500000000263180002
FK88SC123456789012 HN88CABF00000000000250005469 LY83002048000020100120361 MN121234123456789123
NI45BAPR00000013000003558124 OM810180000001299123456 RU0304452522540817810538091310419 SD8811123456789012
SO211000001001000100141 VA59001123000012345678 YE15CBYE0001018861234567891234`

// guidelineIBANs are the accounts of the examples of the Swiss Payment Standards, chapter 5.
const guidelineIBANs = "CH4431999123000889012 CH7280005000088877766 CH4821966000009613388 CH5021977000004331346 DE62007620110623852957"

func knownIBANs() []string {
	return strings.Fields(registryExamples + " " + guidelineIBANs)
}

func TestParseAcceptsKnownIBANs(t *testing.T) {
	t.Parallel()
	for _, text := range knownIBANs() {
		iban, err := account.Parse(text)
		if err != nil {
			t.Errorf("Parse(%s): %v", text, err)
			continue
		}
		typed, err := account.ParseInput(strings.ToLower(iban.Grouped()))
		if err != nil || typed != iban {
			t.Errorf("ParseInput of %s in groups and lower case: %v, %v", text, typed, err)
		}
	}
}

func TestParseRefusesEachWrongDigit(t *testing.T) {
	t.Parallel()
	for _, text := range knownIBANs() {
		for i := 2; i < len(text); i++ {
			for digit := byte('0'); digit <= '9'; digit++ {
				if text[i] < '0' || text[i] > '9' || digit == text[i] {
					continue
				}
				wrong := text[:i] + string(digit) + text[i+1:]
				_, err := account.Parse(wrong)
				if !errors.Is(err, account.ErrCheckDigits) {
					t.Fatalf("Parse(%s), wrong in place %d of %s: %v", wrong, i+1, text, err)
				}
			}
		}
	}
}

// Two digits only: a letter counts as two digits, so that 1B and B1 are the same number to ISO 7064.
func TestParseRefusesEachTransposition(t *testing.T) {
	t.Parallel()
	for _, text := range knownIBANs() {
		for i := 2; i+1 < len(text); i++ {
			bothDigits := text[i] <= '9' && text[i+1] <= '9'
			if text[i] == text[i+1] || !bothDigits {
				continue
			}
			wrong := text[:i] + string(text[i+1]) + string(text[i]) + text[i+2:]
			_, err := account.Parse(wrong)
			if !errors.Is(err, account.ErrCheckDigits) {
				t.Fatalf("Parse(%s), places %d and %d of %s swapped: %v", wrong, i+1, i+2, text, err)
			}
		}
	}
}

func TestParseRefusals(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		kind       error
		code       string
		sentence   string
	}{
		{"empty", "", account.ErrEmpty, "CH21", "Enter an IBAN."},
		{"lower case", "ch4821966000009613388", account.ErrCharacter, "CH16", "Enter the IBAN in capital letters and without spaces."},
		{"spaces", "CH48 2196 6000 0096 1338 8", account.ErrCharacter, "CH16", "Enter the IBAN in capital letters and without spaces."},
		{"sign", "CH48*1966000009613388", account.ErrCharacter, "CH16", "Remove '*' from the IBAN. An IBAN has only letters and digits."},
		{"broken UTF-8", "CH48\xff966000009613388", account.ErrCharacter, "CH16", "Remove '\uFFFD' from the IBAN. An IBAN has only letters and " +
			"digits."},
		{
			"no country", "4821966000009613388", account.ErrCountry, "BE09",
			"Enter an IBAN that starts with a two-letter country code, such as CH.",
		},
		{
			"digit in the country", "Z1821966000009613388", account.ErrCountry, "BE09",
			"Enter an IBAN that starts with a two-letter country code, such as CH.",
		},
		{
			"digit before the country", "1H821966000009613388", account.ErrCountry, "BE09",
			"Enter an IBAN that starts with a two-letter country code, such as CH.",
		},
		{"two letters", "ZZ", account.ErrCountry, "BE09", "Check the first two letters of the IBAN. No country has IBANs that start with ZZ."},
		{"one letter", "C", account.ErrCountry, "BE09", "Enter an IBAN that starts with a two-letter country code, such as CH."},
		{
			"country without IBAN", "US4821966000009613388", account.ErrCountry, "BE09",
			"Check the first two letters of the IBAN. No country has IBANs that start with US.",
		},
		{
			"territory", "GG82WEST12345698765432", account.ErrCountry, "BE09",
			"Check the first two letters of the IBAN. No country has IBANs that start with GG.",
		},
		{"short", "CH482196600000961338", account.ErrLength, "AC01", "Check the length of the IBAN. An IBAN that " +
			"starts with CH has 21 characters, not 20."},
		{"long", "NO93860111179470", account.ErrLength, "AC01", "Check the length of the IBAN. An IBAN that starts with NO " +
			"has 15 characters, not 16."},
		{
			"letter for digit", "CH48A1966000009613388", account.ErrStructure, "AC01",
			"Check the IBAN against the invoice. The letters and digits are not in the right order for an IBAN that starts with CH.",
		},
		{
			"letters for check digits", "CHAA21966000009613388"[:21], account.ErrStructure, "AC01",
			"Check the IBAN against the invoice. The letters and digits are not in the right order for an IBAN that starts with CH.",
		},
		{"check digits", "CH4921966000009613388", account.ErrCheckDigits, "AC01", "The check digits of the IBAN are wrong. Compare the IBAN " +
			"with the invoice."},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := account.Parse(test.text)
			var refusal *account.Error
			if !errors.Is(err, test.kind) || !errors.As(err, &refusal) {
				t.Fatalf("Parse(%q): %v, want kind %v", test.text, err, test.kind)
			}
			if refusal.Code != test.code || refusal.Text.String() != test.sentence {
				t.Errorf("Parse(%q) = %s %q, want %s %q", test.text, refusal.Code, refusal.Text, test.code, test.sentence)
			}
		})
	}
}

// Check digits 00, 01 and 99 leave remainder 1 for some numbers yet are never issued.
func TestParseRefusesCheckDigitsThatAreNeverIssued(t *testing.T) {
	t.Parallel()
	for number := range 1000 {
		for _, digits := range []string{"00", "01", "99"} {
			text := "NO" + digits + "86011117" + fmt.Sprintf("%03d", number)
			_, err := account.Parse(text)
			if err == nil {
				t.Fatalf("Parse(%s) accepted", text)
			}
		}
	}
}

func TestParseInput(t *testing.T) {
	t.Parallel()
	cases := []string{
		"CH48 2196 6000 0096 1338 8",
		"ch48 2196 6000 0096 1338 8",
		" CH48\u00a02196\u00a06000\u00a00096\u00a01338\u00a08 ",
		"CH48\u202f2196\u202f6000\u202f0096\u202f1338\u202f8",
		"CH48-2196-6000-0096-1338-8",
		"CH48\u20132196.6000.0096.1338.8",
		"\ufeffCH48 2196 6000 0096 1338 8\u200b\n",
		"IBAN CH48 2196 6000 0096 1338 8",
		"IBAN: CH48 2196 6000 0096 1338 8",
	}
	for _, text := range cases {
		iban, err := account.ParseInput(text)
		if err != nil || iban.String() != "CH4821966000009613388" {
			t.Errorf("ParseInput(%q) = %v, %v", text, iban, err)
		}
	}
	_, err := account.ParseInput("CH48/2196")
	if !errors.Is(err, account.ErrCharacter) {
		t.Errorf("a slash is refused with %v", err)
	}
}

func TestIBANForms(t *testing.T) {
	t.Parallel()
	iban, err := account.Parse("CH4431999123000889012")
	if err != nil {
		t.Fatal(err)
	}
	iid, found := iban.IID()
	got := []string{iban.Grouped(), iban.Country(), iid.String()}
	want := []string{"CH44 3199 9123 0008 8901 2", "CH", "31999"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("form %d = %q, want %q", i, got[i], want[i])
		}
	}
	if !found || !iban.IsQR() || !iban.InSwissClearing() {
		t.Errorf("found %v, QR %v, Swiss %v", found, iban.IsQR(), iban.InSwissClearing())
	}
	var none account.IBAN
	_, found = none.IID()
	if !none.IsZero() || none.Country() != "" || none.IsQR() || found {
		t.Error("the zero IBAN is not empty")
	}
}

func TestQRRangeEndsWhereItShould(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"29999": false, "30000": true, "31999": true, "32000": false, "762": false} {
		iid, err := account.ParseIID(code)
		if err != nil || iid.IsQR() != want {
			t.Errorf("IID %s: QR %v, error %v", code, iid.IsQR(), err)
		}
	}
}

// A German account has no IID even where its digits look like one.
func TestOnlySwissAccountsHaveAnIID(t *testing.T) {
	t.Parallel()
	iban, err := account.Parse("DE89370400440532013000")
	if err != nil {
		t.Fatal(err)
	}
	_, hasIID := iban.IID()
	_, hasBank := account.BankOf(iban)
	if hasIID || hasBank || iban.IsQR() {
		t.Errorf("IID %v, bank %v, QR %v", hasIID, hasBank, iban.IsQR())
	}
}

// Any single wrong digit and any swap of neighbours is found, whatever the account number.
func TestMod97FindsSlips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom(knownIBANs()).Draw(t, "iban")
		place := rapid.IntRange(4, len(base)-1).Draw(t, "place")
		if base[place] < '0' || base[place] > '9' {
			return
		}
		digit := rapid.IntRange('0', '9').Draw(t, "digit")
		wrong := base[:place] + string(rune(digit)) + base[place+1:]
		_, err := account.Parse(wrong)
		if (err == nil) != (wrong == base) {
			t.Fatalf("Parse(%s) from %s: %v", wrong, base, err)
		}
	})
}

// TestTheExamplesCoverTheWorld: the examples of the registry are facts that each country publishes with the structure of its accounts.
func TestTheExamplesCoverTheWorld(t *testing.T) {
	t.Parallel()
	countries := map[string]bool{}
	for _, text := range knownIBANs() {
		countries[text[:2]] = true
	}
	if len(countries) < 75 {
		t.Errorf("examples of %d countries", len(countries))
	}
}

func FuzzParseInput(f *testing.F) {
	for _, text := range knownIBANs() {
		f.Add(text)
	}
	f.Add("IBAN: ch48-2196 6000\u00a00096 1338 8")
	f.Fuzz(func(t *testing.T, text string) {
		iban, err := account.ParseInput(text)
		var refusal *account.Error
		if err != nil {
			if !errors.As(err, &refusal) || refusal.Code == "" || refusal.Text == "" {
				t.Fatalf("refusal without code or sentence: %v", err)
			}
			return
		}
		again, err := account.Parse(iban.String())
		if err != nil || again != iban {
			t.Fatalf("accepted %q as %s, which is refused: %v", text, iban, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range knownIBANs() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		iban, err := account.Parse(text)
		if err == nil && iban.String() != text {
			t.Fatalf("Parse(%q) changed the text to %q", text, iban)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		_, err := account.Parse("CH4821966000009613388")
		if err != nil {
			b.Fatal(err)
		}
	}
}
