package money

import (
	"errors"

	"countersign/internal/i18n"
)

// The kinds of refusal. Compare with errors.Is; the sentence for a person and the ISO code come from the *Error that carries the kind.
var (
	// ErrZero: a payment of nothing.
	ErrZero = errors.New("amount is zero")
	// ErrNegative: a sum below zero.
	ErrNegative = errors.New("amount is negative")
	// ErrDecimals: more decimals than the currency has.
	ErrDecimals = errors.New("amount has too many decimals")
	// ErrMalformed: not a decimal number in the form the standard asks for.
	ErrMalformed = errors.New("amount is malformed")
	// ErrTooLarge: more minor units than can be counted here.
	ErrTooLarge = errors.New("amount is too large")
	// ErrAmbiguous: typed so that two readings are possible.
	ErrAmbiguous = errors.New("amount is ambiguous")
	// ErrCurrency: a currency this program does not move.
	ErrCurrency = errors.New("currency is unknown")
	// ErrMismatch: two amounts of different currencies.
	ErrMismatch = errors.New("currencies differ")
)

// Error says why a text or number is no amount. errors.Is finds its Kind.
type Error struct {
	// Kind is one of the Err values of this package.
	Kind error
	// Code is the ISO 20022 external status reason (AM01, CH20, ...).
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

// refuse makes the error of a kind whose sentence needs no detail. The codes are those of the Swiss Payment Standards for InstdAmt (section
// 3.7, error column).
func refuse(kind error) *Error {
	switch {
	case errors.Is(kind, ErrZero):
		return &Error{kind, "AM01", "Enter an amount above zero."}
	case errors.Is(kind, ErrNegative):
		return &Error{kind, "AM12", "Enter an amount without a minus sign."}
	case errors.Is(kind, ErrTooLarge):
		return &Error{kind, "AM12", "Enter a smaller amount. The amount you entered has too many digits."}
	default:
		return &Error{ErrMalformed, "AM12", "Enter the amount in digits with one decimal point, such as 1234.50."}
	}
}

func refuseDecimals(currency Currency) *Error {
	exponent, _ := currency.Exponent()
	return &Error{ErrDecimals, "CH20", i18n.Text("Enter at most %d decimal places: %s has no smaller unit.").With(exponent, currency)}
}

func refuseCurrency(currency Currency) *Error {
	return &Error{ErrCurrency, "AM03", i18n.Text("Use CHF or EUR. Payments in %q are not available.").With(string(currency))}
}

func refuseMismatch(a, b Currency) *Error {
	return &Error{ErrMismatch, "CURR", i18n.Text("Use only one currency. You cannot mix %s and %s.").With(a, b)}
}
