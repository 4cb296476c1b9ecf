package account

import (
	"strings"

	"countersign/internal/i18n"
)

// BIC is a checked business identifier code (ISO 9362) of 8 or 11 characters. It is comparable; the zero value means "no BIC".
type BIC struct {
	text string
}

// ParseBIC checks a BIC in the form of a document: four letters or digits, a country that exists, two letters or digits, and for 11
// characters three more for the branch (pattern of the ISO 2019 schemas). It refuses with ErrEmpty (CH21), ErrLength, ErrStructure or
// ErrCountry (all RC01).
func ParseBIC(text string) (BIC, error) {
	switch {
	case text == "":
		return BIC{}, &Error{ErrEmpty, "CH21", "Enter a BIC."}
	case len(text) != 8 && len(text) != 11:
		return BIC{}, &Error{ErrLength, "RC01", i18n.Text("The BIC must have 8 or 11 characters, not %d.").With(len([]rune(text)))}
	case !onlyDigitsAndCapitals(text) || !isCapital(text[4]) || !isCapital(text[5]):
		return BIC{}, &Error{
			ErrStructure, "RC01", "Check the BIC against the invoice. A BIC has capital letters and digits, with a country code in positions " +
				"5 and 6.",
		}
	case !CountryExists(text[4:6]) && text[4:6] != targetCountry:
		return BIC{}, &Error{ErrCountry, "RC01", i18n.Text("Check positions 5 and 6 of the BIC. %s is not a country code.").With(text[4:6])}
	}
	return BIC{text: text}, nil
}

// targetCountry stands for the country in the BICs of TARGET services, such as TRGTXEPM (ECB; ISO 9362 leaves the code to its users).
const targetCountry = "XE"

// IsZero reports whether there is no BIC.
func (b BIC) IsZero() bool {
	return b.text == ""
}

// String is the BIC as it was given, 8 or 11 characters.
func (b BIC) String() string {
	return b.text
}

// Country is the ISO 3166 code in places 5 and 6, empty for the zero value.
func (b BIC) Country() string {
	if b.IsZero() {
		return ""
	}
	return b.text[4:6]
}

// bankLength is the length of the part of a BIC that names the bank; a branch follows.
const bankLength = 8

// SameBank reports whether two BICs are offices of one bank: their first eight characters are equal (ISO 9362), in upper or lower case.
// Shorter texts are no BIC and give false.
func SameBank(one, other string) bool {
	return len(one) >= bankLength && len(other) >= bankLength && strings.EqualFold(one[:bankLength], other[:bankLength])
}

// SameOffice reports whether two BICs name the same office of one bank; eight characters mean the head office. Capitals do not matter.
func SameOffice(one, other string) bool {
	return strings.EqualFold(LongBIC(one), LongBIC(other))
}

// LongBIC is a BIC in its form of eleven characters: eight mean the head office. It checks nothing.
func LongBIC(bic string) string {
	if len(bic) == bankLength {
		return bic + "XXX"
	}
	return bic
}
