package account

import (
	"strconv"

	"countersign/internal/i18n"
)

// ibanNation names the countries users of the two schemes meet most, for sentences such as "Swiss IBANs have 21 characters".
func ibanNation(country string) string {
	nation, found := map[string]string{
		"AT": "Austrian", "BE": "Belgian", "CH": "Swiss", "DE": "German", "ES": "Spanish", "FR": "French",
		"GB": "British", "IT": "Italian", "LI": "Liechtenstein", "LU": "Luxembourg", "NL": "Dutch", "PT": "Portuguese",
	}[country]
	if !found {
		return country
	}
	return nation
}

func refuseIBANEmpty() *Error {
	return &Error{ErrEmpty, "CH21", "Enter an IBAN."}
}

func refuseIBANCharacter(text string) *Error {
	for _, r := range text {
		switch {
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			continue
		case r == ' ' || 'a' <= r && r <= 'z':
			return &Error{ErrCharacter, "CH16", "Write the IBAN in capital letters and without spaces."}
		}
		return &Error{ErrCharacter, "CH16", i18n.Text("Remove %s: an IBAN has only letters and digits.").With(strconv.QuoteRune(r))}
	}
	return &Error{ErrCharacter, "CH16", "Write the IBAN with letters and digits only."}
}

func refuseIBANCountry(text string) *Error {
	if len(text) < 2 || !isCapital(text[0]) || !isCapital(text[1]) {
		return &Error{ErrCountry, "BE09", "Enter an IBAN that starts with two letters for its country, such as CH."}
	}
	return &Error{ErrCountry, "BE09", i18n.Text("Check the first two letters: no country has IBANs that start with %s.").With(text[:2])}
}

func refuseIBANLength(text string, structure bbanStructure) *Error {
	sentence := i18n.Text("%s IBANs have %d characters; this one has %d.").With(ibanNation(text[:2]), structure.length, len(text))
	return &Error{ErrLength, "AC01", sentence}
}

func refuseIBANStructure(country string) *Error {
	sentence := i18n.Text("Compare with the invoice: the letters and digits are not in the order of %s IBANs.").With(ibanNation(country))
	return &Error{ErrStructure, "AC01", sentence}
}

func refuseIBANCheckDigits() *Error {
	return &Error{ErrCheckDigits, "AC01", "The check digits are wrong. Compare with the invoice."}
}
