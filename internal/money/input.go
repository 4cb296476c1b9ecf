package money

import (
	"strings"
	"unicode"

	"countersign/internal/i18n"
)

// ParseInput reads an amount as a person types it. Groups of three may be parted by an apostrophe (' or ’), a space, a no-break space
// (U+00A0, U+202F) or a thin space, and the decimals may follow a point or a comma: 1234.5, 1'234.50, 1’234.50, 1 234.50, 1234,50, .50. The
// currency itself may stand before or after it, by its code or as people write it (Fr., €), and a dash in place of the decimals: 12.–.
//
// Where a point or a comma could be either mark, as in 1,234 or 1.234, nothing is guessed: the error is ErrAmbiguous and its sentence asks
// which one was meant. The other errors are those of Parse.
func ParseInput(currency Currency, text string) (Amount, error) {
	number, err := readTyped(bare(currency, text))
	if err != nil {
		return Amount{}, err
	}
	return Parse(currency, number)
}

// NamesOther reports whether an amount as a person types it names another currency: letters before its digits, as in "USD 12.50".
func NamesOther(currency Currency, text string) bool {
	text = withoutCurrency(currency, strings.TrimSpace(text))
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return end > 0 && strings.ContainsAny(text[end:], "0123456789")
}

// written are the ways in which people write a currency beside its code, the longer first.
var written = map[Currency][]string{CHF: {"SFr.", "SFr", "Fr.", "Fr"}, EUR: {"€"}}

// withoutCurrency is a typed amount without its currency.
func withoutCurrency(currency Currency, text string) string {
	for _, name := range append([]string{string(currency)}, written[currency]...) {
		switch rest := len(text) - len(name); {
		case rest <= 0:
		case strings.EqualFold(text[:len(name)], name):
			return strings.TrimSpace(text[len(name):])
		case strings.EqualFold(text[rest:], name):
			return strings.TrimSpace(text[:rest])
		}
	}
	return text
}

// bare is a typed amount without its currency, without a dash in place of its decimals, and with the zero that people leave out before
// them: "CHF .50" is "0.50".
func bare(currency Currency, text string) string {
	text = withoutCurrency(currency, strings.TrimSpace(text))
	for _, dash := range []string{"-", "–", "—"} {
		whole, cut := strings.CutSuffix(text, dash)
		if cut && strings.HasSuffix(whole, ".") {
			return strings.TrimSuffix(whole, ".")
		}
	}
	if len(text) == 3 && (text[0] == '.' || text[0] == ',') {
		return "0" + text
	}
	return text
}

// readTyped rewrites a typed number into the form of a document.
func readTyped(text string) (string, error) {
	whole, decimals, mark := cutDecimals(text)
	digits, grouped, wellGrouped := ungroup(whole, mark)
	if !wellGrouped {
		return "", refuse(ErrMalformed)
	}
	if mark == 0 {
		return digits, nil
	}
	couldBeGroup := len(decimals) == 3 && !grouped && len(digits) <= 3 && digits != "" && digits[0] != '0'
	if couldBeGroup && onlyDigits(digits+decimals) {
		return "", refuseAmbiguous(digits, decimals)
	}
	return digits + "." + decimals, nil
}

// cutDecimals finds the decimal mark: the last point or comma, unless the same mark stands more than once and so parts groups.
func cutDecimals(text string) (whole, decimals string, mark byte) {
	last := strings.LastIndexAny(text, ".,")
	if last < 0 || strings.IndexByte(text, text[last]) != last {
		return text, "", 0
	}
	return text[:last], text[last+1:], text[last]
}

// ungroup takes the marks between groups of three out. It reports whether there were any and whether each group but the first has three
// digits and all marks are the same.
func ungroup(whole string, decimalMark byte) (digits string, grouped, wellGrouped bool) {
	var plain strings.Builder
	separator, sinceSeparator := rune(0), 0
	for _, r := range whole {
		if !isGroupMark(r) || r == rune(decimalMark) {
			plain.WriteRune(r)
			sinceSeparator++
			continue
		}
		tooShort := separator != 0 && sinceSeparator != 3
		tooLong := separator == 0 && (sinceSeparator == 0 || sinceSeparator > 3)
		if tooShort || tooLong || separator != 0 && r != separator {
			return "", false, false
		}
		separator, sinceSeparator = r, 0
	}
	wellGrouped = separator == 0 || sinceSeparator == 3
	return plain.String(), separator != 0, wellGrouped
}

func isGroupMark(r rune) bool {
	switch r {
	case '\'', '\u2019', ' ', '\u00a0', '\u202f', '\u2009', '.', ',':
		return true
	default:
		return false
	}
}

func onlyDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

func refuseAmbiguous(whole, decimals string) *Error {
	question := i18n.Text("Did you mean %s'%s.00 or %s.%s? Enter the amount with two decimal places.").With(whole, decimals, whole, decimals)
	return &Error{ErrAmbiguous, "AM12", question}
}
