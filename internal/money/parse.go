package money

import "math"

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
