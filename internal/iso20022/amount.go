package iso20022

import "github.com/govalues/decimal"

// Amount is a decimal value with its currency (ISO 4217, three letters). It stands for both ActiveCurrencyAndAmount and
// ActiveOrHistoricCurrencyAndAmount. The scale of the value is kept: 199.90 is written as 199.90.
type Amount struct {
	Currency string
	Value    decimal.Decimal
}

// Equal reports whether both amounts have the same currency and numeric value; 2.50 and 2.5 are equal.
func (a Amount) Equal(other Amount) bool {
	return a.Currency == other.Currency && a.Value.Equal(other.Value)
}

// String is the currency and the value, such as "CHF 199.95".
func (a Amount) String() string {
	return a.Currency + " " + a.Value.String()
}
