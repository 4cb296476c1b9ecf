package account

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"countersign/internal/i18n"
)

// IBAN is a checked International Bank Account Number (ISO 13616) in its plain form: capital letters and digits, no spaces. It is
// comparable; the zero value means "no IBAN".
type IBAN struct {
	text string
}

// Parse checks an IBAN in the form of a document: no spaces, capital letters. It refuses with ErrEmpty (CH21), ErrCharacter (CH16),
// ErrCountry (BE09), ErrLength, ErrStructure or ErrCheckDigits (all AC01).
//
// The check digits (ISO 7064, mod 97-10) find every wrong digit and every swap of two neighbours but 1 with B, 2 with M and 3 with X: a
// letter counts as two digits, so that 1B and B1 are both 111.
func Parse(text string) (IBAN, error) {
	if text == "" {
		return IBAN{}, &Error{ErrEmpty, "CH21", "Enter an IBAN."}
	}
	if !onlyDigitsAndCapitals(text) {
		return IBAN{}, refuseIBANCharacter(text)
	}
	form, known := structureOf(text)
	switch {
	case !known:
		return IBAN{}, refuseIBANCountry(text)
	case len(text) != len(form):
		return IBAN{}, &Error{
			ErrLength, "AC01", i18n.Text("Check the length of the IBAN. An IBAN that starts with %s has %d characters, not %d.").
				With(text[:2], len(form), len(text)),
		}
	case !form.fits(text):
		return IBAN{}, &Error{
			ErrStructure, "AC01",
			i18n.Text("Check the IBAN against the invoice. The letters and digits are not in the right order for an IBAN that starts with %s.").
				With(text[:2]),
		}
	case !ibanCheckDigitsFit(text):
		return IBAN{}, &Error{ErrCheckDigits, "AC01", "The check digits of the IBAN are wrong. Compare the IBAN with the invoice."}
	}
	return IBAN{text: text}, nil
}

// ParseInput checks an IBAN as a person types or pastes it: grouped, in lower case, with no-break spaces or dashes, even with "IBAN" in
// front. It refuses like Parse.
func ParseInput(text string) (IBAN, error) {
	return Parse(strings.TrimPrefix(strings.TrimPrefix(tidy(text), "IBAN"), ":"))
}

// ibanCheckDigitsFit holds for remainder 1 and check digits 02 to 98: 00, 01 and 99 also leave remainder 1 for some numbers but are never
// given out (ISO 13616-1, 6.1).
func ibanCheckDigitsFit(text string) bool {
	return "02" <= text[2:4] && text[2:4] <= "98" && mod97(text[4:], text[:4]) == 1
}

// IsZero reports whether there is no IBAN.
func (i IBAN) IsZero() bool {
	return i.text == ""
}

// String is the plain form for documents: CH4821966000009613388.
func (i IBAN) String() string {
	return i.text
}

// Grouped is the form for people, in fours: CH48 2196 6000 0096 1338 8.
func (i IBAN) Grouped() string {
	return group(i.text, 4)
}

// Country is the ISO 3166 code the IBAN starts with, empty for the zero value.
func (i IBAN) Country() string {
	return i.text[:min(2, len(i.text))]
}

// InSwissClearing reports whether the account is held in Switzerland or Liechtenstein.
func (i IBAN) InSwissClearing() bool {
	return i.Country() == "CH" || i.Country() == "LI"
}

// IID is the Swiss or Liechtenstein bank code in positions 5 to 9 of the IBAN, with leading zeros, and whether the IBAN has one.
func (i IBAN) IID() (IID, bool) {
	if !i.InSwissClearing() {
		return IID{}, false
	}
	return IID{text: i.text[4:9]}, true
}

// IsQR reports whether this is a QR-IBAN, one whose IID lies between 30000 and 31999. Such an account takes payments with a QR reference
// only (Swiss Payment Standards, section 3.16).
func (i IBAN) IsQR() bool {
	iid, found := i.IID()
	return found && iid.IsQR()
}

func refuseIBANCharacter(text string) *Error {
	for _, r := range text {
		switch {
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			continue
		case r == ' ' || 'a' <= r && r <= 'z':
			return &Error{ErrCharacter, "CH16", "Enter the IBAN in capital letters and without spaces."}
		}
		return &Error{ErrCharacter, "CH16", i18n.Text("Remove %s from the IBAN. An IBAN has only letters and digits.").With(strconv.QuoteRune(r))}
	}
	return &Error{ErrCharacter, "CH16", "Enter the IBAN using letters and digits only."}
}

func refuseIBANCountry(text string) *Error {
	if len(text) < 2 || !isCapital(text[0]) || !isCapital(text[1]) {
		return &Error{ErrCountry, "BE09", "Enter an IBAN that starts with a two-letter country code, such as CH."}
	}
	return &Error{ErrCountry, "BE09", i18n.Text("Check the first two letters of the IBAN. No country has IBANs that start with %s.").
		With(text[:2])}
}

// mod97 is the remainder of ISO 7064 MOD 97-10 over digits and capital letters (A is 10, Z is 35). Other characters must have been refused
// before.
func mod97(parts ...string) int {
	remainder := 0
	for _, part := range parts {
		for i := range len(part) {
			if isDigit(part[i]) {
				remainder = (remainder*10 + int(part[i]-'0')) % 97
			} else {
				remainder = (remainder*100 + int(part[i]-'A') + 10) % 97
			}
		}
	}
	return remainder
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

func isCapital(c byte) bool {
	return 'A' <= c && c <= 'Z'
}

const digits = "0123456789"

func allDigits(text string) bool { return strings.Trim(text, digits) == "" }

// onlyDigitsAndCapitals reports whether text can go into mod97.
func onlyDigitsAndCapitals(text string) bool {
	return strings.Trim(text, digits+"ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// tidy removes spaces of all kinds, dashes, dots and invisible marks from pasted text, and writes letters as capitals. Other characters
// stay, for the parser to refuse.
func tidy(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Pd, r), unicode.Is(unicode.Cf, r), r == '.', r == '\u2212':
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		default:
			return r
		}
	}, text)
}

// group parts text with spaces into pieces of size, counted from the left.
func group(text string, size int) string {
	return string(bytes.Join(slices.Collect(slices.Chunk([]byte(text), size)), []byte(" ")))
}
