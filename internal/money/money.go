// Package money holds amounts as whole minor units (Rappen, cents) with their currency.
//
// An Amount is never negative and never a float. It is made from the exact decimal text of a document (Parse), from a decimal.Decimal
// (FromDecimal), from typed text (ParseInput) or from stored minor units (FromMinor). Limits of a scheme are rules, in package rulebook.
package money

import (
	"cmp"
	"math"
	"strconv"

	"github.com/govalues/decimal"
)

// Amount is a non-negative sum of money: a count of minor units (1'234.56 is 123456) in one currency. It is a value type and comparable
// with ==. The zero value has no currency and stands for "no amount".
type Amount struct {
	minor    int64
	currency Currency
}

// FromMinor makes an amount from a count of minor units, for example from the database. It fails with ErrCurrency for an unknown currency
// and ErrNegative below zero; zero is allowed.
func FromMinor(currency Currency, minor int64) (Amount, error) {
	_, known := currency.Exponent()
	if !known {
		return Amount{}, refuseCurrency(currency)
	}
	if minor < 0 {
		return Amount{}, refuse(ErrNegative)
	}
	return Amount{minor: minor, currency: currency}, nil
}

// FromDecimal makes an amount from a decimal without rounding. Trailing zeros count as decimals, as they do in a document: 1.100 has three.
// It fails with ErrCurrency, ErrNegative, ErrZero, ErrDecimals or ErrTooLarge.
func FromDecimal(currency Currency, value decimal.Decimal) (Amount, error) {
	exponent, known := currency.Exponent()
	switch {
	case !known:
		return Amount{}, refuseCurrency(currency)
	case value.IsNeg():
		return Amount{}, refuse(ErrNegative)
	case value.IsZero():
		return Amount{}, refuse(ErrZero)
	case value.Scale() > exponent:
		return Amount{}, refuseDecimals(currency)
	}
	minor, fits := scaleUp(value.Coef(), exponent-value.Scale())
	if !fits {
		return Amount{}, refuse(ErrTooLarge)
	}
	return Amount{minor: minor, currency: currency}, nil
}

// scaleUp multiplies by a power of ten and reports whether the product still fits an int64.
func scaleUp(coefficient uint64, power int) (int64, bool) {
	for range power {
		if coefficient > math.MaxInt64/10 {
			return 0, false
		}
		coefficient *= 10
	}
	if coefficient > math.MaxInt64 {
		return 0, false
	}
	return int64(coefficient), true
}

// Minor is the count of minor units, the form an amount is stored in.
func (a Amount) Minor() int64 {
	return a.minor
}

// Currency is the three-letter ISO 4217 code.
func (a Amount) Currency() Currency {
	return a.currency
}

// IsZero reports whether the sum is zero, in any currency.
func (a Amount) IsZero() bool {
	return a.minor == 0
}

// Cents is the part after the decimal point: 95 for 199.95.
func (a Amount) Cents() int {
	exponent, _ := a.currency.Exponent()
	return int(a.minor % powerOfTen(exponent))
}

// Decimal is the same sum as a decimal with all its places: 199.90, never 199.9.
func (a Amount) Decimal() decimal.Decimal {
	exponent, _ := a.currency.Exponent()
	return decimal.MustNew(a.minor, exponent)
}

// Compare orders two sums of one currency: -1, 0 or +1. It fails with ErrMismatch when the currencies differ, because no order between them
// is known here.
func (a Amount) Compare(b Amount) (int, error) {
	if a.currency != b.currency {
		return 0, refuseMismatch(a.currency, b.currency)
	}
	return cmp.Compare(a.minor, b.minor), nil
}

// Add is the sum of two amounts of one currency. It fails with ErrMismatch or ErrTooLarge.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, refuseMismatch(a.currency, b.currency)
	}
	if a.minor > math.MaxInt64-b.minor {
		return Amount{}, refuse(ErrTooLarge)
	}
	return Amount{minor: a.minor + b.minor, currency: a.currency}, nil
}

// Subtract is a less b, for example a returned amount less the charge kept. It fails with ErrMismatch, or with ErrNegative when b is the
// larger one.
func (a Amount) Subtract(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, refuseMismatch(a.currency, b.currency)
	}
	if b.minor > a.minor {
		return Amount{}, refuse(ErrNegative)
	}
	return Amount{minor: a.minor - b.minor, currency: a.currency}, nil
}

// String is the number alone for machines: "1234.56", always with all decimals.
func (a Amount) String() string {
	return string(a.appendNumber(nil, 0))
}

// Swiss is the number alone for people: "1'234.56". The mark is U+0027 in every language, because a point and a comma that trade places
// with the language of the page are a danger in a payment.
func (a Amount) Swiss() string {
	return string(a.appendNumber(nil, '\''))
}

// Format is the amount for people with its currency in front: "CHF 1'234.56".
func (a Amount) Format() string {
	return string(a.currency) + " " + a.Swiss()
}

// appendNumber writes the decimal number, with mark between groups of three unless mark is zero.
func (a Amount) appendNumber(text []byte, mark byte) []byte {
	exponent, _ := a.currency.Exponent()
	unit := powerOfTen(exponent)
	whole := strconv.FormatInt(a.minor/unit, 10)
	for i := range len(whole) {
		if mark != 0 && i > 0 && (len(whole)-i)%3 == 0 {
			text = append(text, mark)
		}
		text = append(text, whole[i])
	}
	if exponent == 0 {
		return text
	}
	text = append(text, '.')
	for rest := a.minor % unit; exponent > 0; exponent-- {
		unit /= 10
		text = append(text, byte('0'+rest/unit%10))
	}
	return text
}

// Currency is an ISO 4217 code of three capital letters.
type Currency string

// The currencies of the two instant schemes.
const (
	CHF Currency = "CHF"
	EUR Currency = "EUR"
)

// Exponent is the number of decimals of the currency (ISO 4217 "minor unit") and whether the currency is one this program moves.
func (c Currency) Exponent() (int, bool) {
	switch c {
	case CHF, EUR:
		return 2, true
	default:
		return 0, false
	}
}

// powerOfTen is 10 to a small non-negative power.
func powerOfTen(power int) int64 {
	result := int64(1)
	for range power {
		result *= 10
	}
	return result
}

// Parse reads the amount of a document: digits, and after one point at most as many decimals as the currency has. Leading zeros ("01"), a
// bare point (".05", "1."), signs, exponents and spaces are refused (Swiss Payment Standards, section 3.7). It fails with ErrCurrency,
// ErrMalformed, ErrNegative, ErrZero, ErrDecimals or ErrTooLarge.
func Parse(currency Currency, text string) (Amount, error) {
	exponent, known := currency.Exponent()
	if !known {
		return Amount{}, refuseCurrency(currency)
	}
	if len(text) > 1 && text[0] == '-' {
		_, err := Parse(currency, text[1:])
		if err == nil {
			return Amount{}, refuse(ErrNegative)
		}
		return Amount{}, refuse(ErrMalformed)
	}
	whole, decimals, wellFormed := cutNumber(text)
	switch {
	case !wellFormed:
		return Amount{}, refuse(ErrMalformed)
	case len(decimals) > exponent:
		return Amount{}, refuseDecimals(currency)
	}
	minor, fits := countMinor(whole, decimals, exponent)
	switch {
	case !fits:
		return Amount{}, refuse(ErrTooLarge)
	case minor == 0:
		return Amount{}, refuse(ErrZero)
	}
	return Amount{minor: minor, currency: currency}, nil
}

// cutNumber splits "12.30" into "12" and "30" and reports whether the text has the form of a number in a document.
func cutNumber(text string) (whole, decimals string, wellFormed bool) {
	point := -1
	for i := range len(text) {
		switch {
		case text[i] == '.' && point < 0:
			point = i
		case text[i] < '0' || text[i] > '9':
			return "", "", false
		}
	}
	whole = text
	if point >= 0 {
		whole, decimals = text[:point], text[point+1:]
		if decimals == "" {
			return "", "", false
		}
	}
	leadingZero := len(whole) > 1 && whole[0] == '0'
	return whole, decimals, whole != "" && !leadingZero
}

// countMinor turns checked digits into minor units and reports whether they fit an int64.
func countMinor(whole, decimals string, exponent int) (int64, bool) {
	minor := int64(0)
	for i := range len(whole) + exponent {
		digit := byte('0')
		switch {
		case i < len(whole):
			digit = whole[i]
		case i-len(whole) < len(decimals):
			digit = decimals[i-len(whole)]
		}
		value := int64(digit - '0')
		if minor > (math.MaxInt64-value)/10 {
			return 0, false
		}
		minor = minor*10 + value
	}
	return minor, true
}
