package ui

import "strings"

// Amount is money ready to be shown. Value is already written the Swiss way, with an apostrophe between thousands and always two decimals:
// "1'234.56".
type Amount struct {
	Currency string
	Value    string
}

// String writes the amount on one line: "CHF 1'234.56".
func (a Amount) String() string { return strings.TrimSpace(a.Currency + " " + a.Value) }
