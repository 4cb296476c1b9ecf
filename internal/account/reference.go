package account

import (
	"strings"

	"countersign/internal/i18n"
)

// QRReference is a checked Swiss QR reference (QRR): 26 digits and a check digit. The zero value means "none".
type QRReference struct {
	text string
}

// ParseQRReference checks a QR reference in the form of a document, 27 digits without spaces. It refuses with ErrEmpty (CH21),
// ErrCharacter, ErrLength, ErrStructure (zeros only) or ErrCheckDigits (CH16).
func ParseQRReference(text string) (QRReference, error) {
	switch {
	case text == "":
		return QRReference{}, &Error{ErrEmpty, "CH21", "Enter the QR reference from the invoice."}
	case !allDigits(text):
		return QRReference{}, &Error{ErrCharacter, "CH16", "Enter the QR reference using digits only."}
	case len(text) != 27:
		return QRReference{}, &Error{ErrLength, "CH16", i18n.Text("The QR reference must have 27 digits, not %d.").With(len(text))}
	case strings.Trim(text, "0") == "": // IG QR-bill: it must not consist of zeros only
		return QRReference{}, &Error{ErrStructure, "CH16", "Enter the QR reference from the invoice. A QR reference cannot consist of zeros " +
			"only."}
	case recursiveModulo10(text) != 0:
		return QRReference{}, &Error{ErrCheckDigits, "CH16", "The check digit of the QR reference is wrong. Compare the reference with the " +
			"invoice."}
	}
	return QRReference{text: text}, nil
}

// ParseQRReferenceInput checks a QR reference as a person types it, with spaces. Leading zeros that an invoice leaves out are put back.
func ParseQRReferenceInput(text string) (QRReference, error) {
	plain := tidy(text)
	if plain == "" || len(plain) >= 27 || !allDigits(plain) {
		return ParseQRReference(plain)
	}
	whole, err := ParseQRReference(strings.Repeat("0", 27-len(plain)) + plain)
	if err != nil {
		return ParseQRReference(plain) // what was typed is too short, rather than wrong at its end
	}
	return whole, nil
}

// recursiveModulo10 carries a digit through the table of the Swiss payment slip. Over a number with its check digit the last carry is zero.
func recursiveModulo10(digits string) int {
	const table = "0946827135"
	carry := 0
	for i := range len(digits) {
		carry = int(table[(carry+int(digits[i]-'0'))%10] - '0')
	}
	return carry
}

// String is the plain form for documents.
func (r QRReference) String() string {
	return r.text
}

// Grouped is the form printed on invoices: two digits, then fives.
func (r QRReference) Grouped() string {
	if r.text == "" {
		return ""
	}
	return r.text[:2] + " " + group(r.text[2:], 5)
}

// CreditorReference is a checked structured creditor reference (ISO 11649): RF, two check digits and up to 21 letters and digits. The zero
// value means "none".
type CreditorReference struct {
	text string
}

// ParseCreditorReference checks a creditor reference in the form of a document, without spaces and in capital letters. It refuses with
// ErrEmpty (CH21), ErrCharacter, ErrLength, ErrStructure or ErrCheckDigits (CH16).
func ParseCreditorReference(text string) (CreditorReference, error) {
	switch {
	case text == "":
		return CreditorReference{}, &Error{ErrEmpty, "CH21", "Enter the creditor reference from the invoice."}
	case !onlyDigitsAndCapitals(text):
		return CreditorReference{}, &Error{ErrCharacter, "CH16", "Enter the creditor reference in capital letters and digits, without spaces."}
	case len(text) < 5 || len(text) > 25:
		return CreditorReference{}, &Error{
			ErrLength, "CH16", i18n.Text("The creditor reference must have 5 to 25 characters, not %d.").With(len(text)),
		}
	case text[:2] != "RF" || !allDigits(text[2:4]):
		return CreditorReference{}, &Error{ErrStructure, "CH16", "Enter a creditor reference that starts with RF and two digits."}
	case mod97(text[4:], text[:4]) != 1:
		return CreditorReference{}, &Error{
			ErrCheckDigits, "CH16", "The check digits of the creditor reference are wrong. Compare the reference with the invoice.",
		}
	}
	return CreditorReference{text: text}, nil
}

// ParseCreditorReferenceInput checks a creditor reference as a person types it, grouped or in lower case.
func ParseCreditorReferenceInput(text string) (CreditorReference, error) {
	return ParseCreditorReference(tidy(text))
}

// String is the plain form for documents.
func (r CreditorReference) String() string {
	return r.text
}

// Grouped is the form printed on invoices, in fours.
func (r CreditorReference) Grouped() string {
	return group(r.text, 4)
}
