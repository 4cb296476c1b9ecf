package ui

import (
	"strings"

	"countersign/internal/money"
)

// Amount is money ready to be shown. Value is already written the Swiss way, with an apostrophe between thousands and always two decimals:
// "1'234.56".
type Amount struct {
	Currency string
	Value    string
}

// String writes the amount on one line: "CHF 1'234.56".
func (a Amount) String() string { return strings.TrimSpace(a.Currency + " " + a.Value) }

// AmountOf is an amount as pages show it.
func AmountOf(amount money.Amount) Amount {
	return Amount{Currency: string(amount.Currency()), Value: amount.Swiss()}
}
