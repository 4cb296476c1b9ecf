// Package account parses and formats accounts, banks and references: IBAN, BIC, Swiss and Liechtenstein bank codes (IID), QR references,
// creditor references (ISO 11649) and the countries of the SEPA area.
//
// Each kind of value is a type that only a successful check can make: an IBAN value has a known country, the right length and structure,
// and right check digits. Parse functions accept the exact form of a document; ParseInput functions also accept pasted text: groups, lower
// case, no-break spaces, dashes. They fail with an *Error that has an ISO reason code and a sentence with the remedy.
//
// The tables are embedded: datagen makes data/iban.tsv and data/bank.tsv from public lists (data/README.md names origin and licence);
// data/sepa.tsv is written by hand.
package account

import (
	"errors"

	"countersign/internal/i18n"
)

// The kinds of refusal. Compare with errors.Is.
var (
	// ErrEmpty: nothing was given.
	ErrEmpty = errors.New("value is empty")
	// ErrCharacter: a character that has no place in this kind of value.
	ErrCharacter = errors.New("character is not allowed")
	// ErrCountry: a country that does not exist or has no IBAN.
	ErrCountry = errors.New("country is unknown")
	// ErrLength: too few or too many characters.
	ErrLength = errors.New("length is wrong")
	// ErrStructure: a letter where a digit belongs, or the other way round.
	ErrStructure = errors.New("structure is wrong")
	// ErrCheckDigits: the check digits do not fit the rest.
	ErrCheckDigits = errors.New("check digits are wrong")
)

// Error says why a text is not the value it should be.
type Error struct {
	// Kind is one of the Err values of this package.
	Kind error
	// Code is the ISO 20022 external status reason (AC01, BE09, CH16, RC01, ...).
	Code string
	// Text is a sentence with the remedy.
	Text i18n.Text
}

func (e *Error) Error() string {
	return e.Text.String()
}

func (e *Error) Sentence() i18n.Text { return e.Text }

func (e *Error) Unwrap() error {
	return e.Kind
}
