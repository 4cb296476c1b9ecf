package ui

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/money"
)

// DateTime writes a time as people at a Swiss bank read it, with its zone: "20.11.2026 08:14:03 CET".
func DateTime(at time.Time) string { return at.In(i18n.Zone()).Format("02.01.2006 15:04:05 MST") }

// ClockTime writes the time of day with its zone: "08:14:03 CET".
func ClockTime(at time.Time) string { return at.In(i18n.Zone()).Format("15:04:05 MST") }

// ShortTime writes a moment of today as the time of day, "08:14", and any other as its day, "20.11.2026".
func ShortTime(at, now time.Time) string {
	local := at.In(i18n.Zone())
	if local.Format(time.DateOnly) == now.In(i18n.Zone()).Format(time.DateOnly) {
		return local.Format("15:04")
	}
	return local.Format("02.01.2006")
}

// Day writes the day of a time: "20.11.2026".
func Day(at time.Time) string { return at.In(i18n.Zone()).Format("02.01.2006") }

func machineTime(at time.Time) string { return at.In(i18n.Zone()).Format(time.RFC3339) }

func universalTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// Age says in one short unit how long ago something happened: "< 1 min", "12 min", "3 h", "2 d". It stands only beside an absolute time
// or in its title.
func Age(at, now time.Time) i18n.Text {
	age := now.Sub(at)
	switch {
	case age < time.Minute:
		return "< 1 min"
	case age < time.Hour:
		return i18n.Text("%d min").With(int(age / time.Minute))
	case age < 48*time.Hour:
		return i18n.Text("%d h").With(int(age / time.Hour))
	default:
		return i18n.Text("%d d").With(int(age / (24 * time.Hour)))
	}
}

// GroupFours writes an account number in groups of four: "CH50 2197 7000 …". Spaces already there do not matter.
func GroupFours(account string) string {
	compact := strings.Join(strings.Fields(account), "")
	var grouped strings.Builder
	for position, character := range compact {
		if position > 0 && position%4 == 0 {
			grouped.WriteByte(' ')
		}
		grouped.WriteRune(character)
	}
	return grouped.String()
}

// LastSix returns the last six characters of an account number, enough to recognise it in a list.
func LastSix(account string) string { return account[max(0, len(account)-6):] }

// Short returns the first eight characters of a digest or an identifier.
func Short(text string) string { return text[:min(len(text), 8)] }

// Tail is the end of an id: ids that are made one after the other begin alike.
func Tail(text string) string { return text[max(0, len(text)-8):] }

// Address adds pairs of name and value to a path as its query; empty values are left out.
func Address(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// UpTo writes a count that ends at most: "100+" when it got there.
func UpTo(count, most int) string {
	if count >= most {
		return i18n.Number(most) + "+"
	}
	return i18n.Number(count)
}

// ByteSize writes a size in bytes as people read it: "840 B", "3.2 kB".
func ByteSize(size int) string {
	if size < 1000 {
		return strconv.Itoa(size) + " B"
	}
	return strconv.Itoa(size/1000) + "." + strconv.Itoa(size%1000/100) + " kB"
}

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
