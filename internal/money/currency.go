package money

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
