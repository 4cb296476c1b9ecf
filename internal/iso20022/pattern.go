package iso20022

import (
	"strings"

	"github.com/google/uuid"

	"countersign/internal/i18n"
)

// Pattern is a hand-written matcher for a pattern facet, what to do when it does not match, one text that does, and the expression of the
// schemas.
type Pattern struct {
	Match      func(string) bool
	Advice     i18n.Text
	Example    string
	Expression string
}

// The patterns of the schemas. The generator refuses a pattern that has none here; a test compares each with the expression it stands for.
var (
	PatternBIC = Pattern{
		func(s string) bool { return isBICShape(s) && all(s[:4], isCapitalOrDigit) },
		"Enter a BIC of 8 or 11 capital letters and digits, with the country code in positions 5 and 6",
		"4QQQCHZZXXX",
		`[A-Z0-9]{4,4}[A-Z]{2,2}[A-Z0-9]{2,2}([A-Z0-9]{3,3}){0,1}`,
	}
	PatternStrictBIC = Pattern{
		func(s string) bool {
			return isBICShape(s) && all(s[:4], isCapital) && s[6] != '0' && s[6] != '1' && s[7] != 'O'
		},
		"Enter a BIC of 8 or 11 capital letters and digits, with the country code in positions 5 and 6",
		"QQQQCH22",
		`[A-Z]{6,6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3,3}){0,1}`,
	}
	PatternCurrency = Pattern{
		func(s string) bool { return len(s) == 3 && all(s, isCapital) },
		"Enter a currency code of three capital letters, such as CHF",
		"CHF",
		`[A-Z]{3,3}`,
	}
	PatternCountry = Pattern{
		func(s string) bool { return len(s) == 2 && all(s, isCapital) },
		"Enter a country code of two capital letters, such as CH",
		"CH",
		`[A-Z]{2,2}`,
	}
	PatternFourAlphanumerics = Pattern{
		func(s string) bool { return len(s) == 4 && all(s, isAlphanumeric) },
		"Enter exactly four letters or digits",
		"aB3d",
		`[a-zA-Z0-9]{4}`,
	}
	PatternUpToFourAlphanumerics = Pattern{
		func(s string) bool { return between(s, 1, 4) && all(s, isAlphanumeric) },
		"Enter one to four letters or digits",
		"a1",
		`[a-zA-Z0-9]{1,4}`,
	}
	PatternIBAN = Pattern{
		isIBANShape,
		"Enter an IBAN without spaces: two capital letters, two digits and up to 30 letters or digits",
		"CH5021977000004331346",
		`[A-Z]{2,2}[0-9]{2,2}[a-zA-Z0-9]{1,30}`,
	}
	PatternLEI = Pattern{
		func(s string) bool { return len(s) == 20 && all(s[:18], isCapitalOrDigit) && all(s[18:], isDigit) },
		"Enter an LEI of 18 capital letters or digits and two check digits",
		"529900T8BM49AURSDO55",
		`[A-Z0-9]{18,18}[0-9]{2,2}`,
	}
	PatternUpToFifteenDigits = Pattern{
		func(s string) bool { return between(s, 1, 15) && all(s, isDigit) },
		"Enter a whole number of at most 15 digits",
		"123456789012345",
		`[0-9]{1,15}`,
	}
	PatternUpToThreeDigits = Pattern{
		func(s string) bool { return between(s, 1, 3) && all(s, isDigit) },
		"Enter a whole number of at most three digits",
		"12",
		`[0-9]{1,3}`,
	}
	PatternTwoDigits = Pattern{
		func(s string) bool { return len(s) == 2 && all(s, isDigit) },
		"Enter exactly two digits",
		"07",
		`[0-9]{2}`,
	}
	PatternPhone = Pattern{
		isPhone,
		"Enter the phone number as a plus sign, the country code, a hyphen and the number, such as +41-443334455",
		"+41-443334455",
		`\+[0-9]{1,3}-[0-9()+\-]{1,30}`,
	}
	PatternFINMessageType = Pattern{
		func(s string) bool {
			return s == "DUM" || len(s) == 3 && isAnyOf(s[0], "BEOVW") && all(s[1:], isDigit)
		},
		"Enter a FIN message type: one of the letters B, E, O, V or W followed by two digits, or DUM",
		"B01",
		`[BEOVW]{1,1}[0-9]{2,2}|DUM`,
	}
	PatternUETR = Pattern{
		IsUETR,
		"Enter a UETR: a version 4 UUID in lower case, such as 7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		"7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
		`[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}`,
	}
)

// Numeric reports whether the values are digits only, so that a JSON number may replace the text.
func (p *Pattern) Numeric() bool {
	return p == &PatternUpToFifteenDigits || p == &PatternUpToThreeDigits || p == &PatternTwoDigits
}

func isDigit(c byte) bool          { return c >= '0' && c <= '9' }
func isCapital(c byte) bool        { return c >= 'A' && c <= 'Z' }
func isCapitalOrDigit(c byte) bool { return isCapital(c) || isDigit(c) }
func isAlphanumeric(c byte) bool   { return isCapitalOrDigit(c) || c >= 'a' && c <= 'z' }
func isPhoneCharacter(c byte) bool { return isDigit(c) || isAnyOf(c, "()+-") }

func isAnyOf(c byte, set string) bool {
	for i := range len(set) {
		if set[i] == c {
			return true
		}
	}
	return false
}

func between(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most
}

func all(s string, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return true
}

// isBICShape matches institution (4), country (2), location (2), branch (0 or 3); the characters allowed in the institution depend on the
// schema version.
func isBICShape(s string) bool {
	if len(s) != 8 && len(s) != 11 {
		return false
	}
	return all(s[4:6], isCapital) && all(s[6:], isCapitalOrDigit)
}

func isIBANShape(s string) bool {
	return between(s, 5, 34) && all(s[:2], isCapital) && all(s[2:4], isDigit) && all(s[4:], isAlphanumeric)
}

func isPhone(s string) bool {
	if len(s) < 4 || s[0] != '+' {
		return false
	}
	country := 1
	for country < len(s) && isDigit(s[country]) {
		country++
	}
	if country < 2 || country > 4 || country == len(s) || s[country] != '-' {
		return false
	}
	return between(s[country+1:], 1, 30) && all(s[country+1:], isPhoneCharacter)
}

// IsUETR reports whether the text is a unique end-to-end transaction reference: a version 4 UUID (RFC 9562) in lower case with dashes, as
// the schemas require.
func IsUETR(text string) bool {
	const length = 36
	if len(text) != length || strings.ContainsAny(text, "ABCDEF") {
		return false
	}
	id, err := uuid.Parse(text)
	return err == nil && id.Version() == 4 && id.Variant() == uuid.RFC4122
}
