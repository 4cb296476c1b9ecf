package account

import "strings"

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
		return IBAN{}, refuseIBANEmpty()
	}
	if !onlyDigitsAndCapitals(text) {
		return IBAN{}, refuseIBANCharacter(text)
	}
	structure, known := structureOf(text)
	switch {
	case !known:
		return IBAN{}, refuseIBANCountry(text)
	case len(text) != structure.length:
		return IBAN{}, refuseIBANLength(text, structure)
	case !structure.fits(text):
		return IBAN{}, refuseIBANStructure(text[:2])
	case !ibanCheckDigitsFit(text):
		return IBAN{}, refuseIBANCheckDigits()
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
	digits := text[2:4]
	if digits < "02" || digits > "98" {
		return false
	}
	return mod97(text[4:], text[:4]) == 1
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
