package iso20022

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/govalues/decimal"
)

// mistake is what is wrong with the text of a leaf.
type mistake uint8

const (
	mistakeNone mistake = iota
	mistakeBlank
	mistakeCharacter
	mistakeFormat
	mistakeDecimal
	mistakeFraction
)

// most decimal digits that a value of package decimal holds.
const mostDigits = 19

// check says what is wrong with the text of a leaf, and what to do. Strict
// decimals have no sign plus, no leading zero and digits on both sides of the
// point (SPS 2025, 3.7); otherwise the lexical space of XML Schema is allowed.
func (s *simpleType) check(text string, strict bool) (mistake, string) {
	if strings.TrimSpace(text) == "" {
		return mistakeBlank, ""
	}
	switch s.kind {
	case kindDecimal:
		return s.checkDecimal(text, strict)
	case kindBoolean:
		if text != "true" && text != "false" && text != "1" && text != "0" {
			return mistakeFormat, "Enter true or false"
		}
	case kindDate:
		if !isDate(text) {
			return mistakeFormat, "Enter a date as YYYY-MM-DD"
		}
	case kindDateTime:
		if !isDateTime(text) {
			return mistakeFormat, "Enter date and time as YYYY-MM-DDThh:mm:ss with an offset, such as 2026-03-02T10:00:00+01:00"
		}
	case kindTime:
		if !isTime(text) {
			return mistakeFormat, "Enter a time as hh:mm:ss"
		}
	case kindText:
		return s.checkText(text)
	}
	return mistakeNone, ""
}

func (s *simpleType) checkText(text string) (mistake, string) {
	if character, bad := forbiddenCharacter(text); bad {
		return mistakeCharacter, fmt.Sprintf("Remove the character U+%04X, which XML does not allow,", character)
	}
	if s.maxLength > 0 && len(text) > s.maxLength {
		if length := utf8.RuneCountInString(text); length > s.maxLength {
			return mistakeFormat, fmt.Sprintf("Enter at most %d characters instead of %d", s.maxLength, length)
		}
	}
	if s.minLength > 1 && utf8.RuneCountInString(text) < s.minLength {
		return mistakeFormat, fmt.Sprintf("Enter at least %d characters", s.minLength)
	}
	if s.pattern != nil && !s.pattern.match(text) {
		return mistakeFormat, s.pattern.text
	}
	if len(s.enumeration) == 0 {
		return mistakeNone, ""
	}
	for _, value := range s.enumeration {
		if value == text {
			return mistakeNone, ""
		}
	}
	return mistakeFormat, "Enter " + oneOf(s.enumeration)
}

// forbiddenCharacter returns the first character that no XML document may hold.
func forbiddenCharacter(text string) (rune, bool) {
	for i, character := range text {
		switch {
		case character < 0x20:
			if character != '\t' && character != '\n' && character != '\r' {
				return character, true
			}
		case character == 0xFFFE, character == 0xFFFF:
			return character, true
		case character == utf8.RuneError:
			if _, width := utf8.DecodeRuneInString(text[i:]); width < 2 {
				return character, true
			}
		}
	}
	return 0, false
}

// oneOf lists values for a sentence.
func oneOf(values []string) string {
	const most = 20
	if len(values) == 1 {
		return values[0]
	}
	if len(values) > most {
		return "one of the codes of the schema, such as " + strings.Join(values[:most], ", ")
	}
	return "one of " + strings.Join(values[:len(values)-1], ", ") + " or " + values[len(values)-1]
}

// digits are the counts a decimal is measured by.
type digits struct {
	whole, fraction    int // significant ones: no leading zeros before, no trailing ones after the point
	written            int // whole ones plus all after the point
	negative, zero     bool
	strict, wellFormed bool
}

func (s *simpleType) checkDecimal(text string, strict bool) (mistake, string) {
	measured := measure(text)
	switch {
	case !measured.wellFormed, strict && !measured.strict:
		return mistakeDecimal, "Enter a decimal number with a point and no leading zeros, such as 199.95"
	case s.nonNegative && measured.negative && !measured.zero:
		return mistakeDecimal, "Enter a number that is not negative"
	case s.fractionDigits >= 0 && measured.fraction > s.fractionDigits:
		if s.fractionDigits == 0 {
			return mistakeFraction, "Enter a whole number"
		}
		return mistakeFraction, fmt.Sprintf("Enter at most %d digits after the point", s.fractionDigits)
	case s.totalDigits >= 0 && measured.whole+measured.fraction > s.totalDigits:
		return mistakeDecimal, fmt.Sprintf("Enter at most %d digits", s.totalDigits)
	case measured.written > mostDigits:
		return mistakeDecimal, fmt.Sprintf("Enter at most %d digits, zeros at the end included,", mostDigits)
	}
	return mistakeNone, ""
}

// measure reads the lexical form of an xs:decimal.
func measure(text string) digits {
	unsigned := text
	if text != "" && (text[0] == '+' || text[0] == '-') {
		unsigned = text[1:]
	}
	whole, fraction, point := strings.Cut(unsigned, ".")
	significant := strings.TrimLeft(whole, "0")
	trimmed := strings.TrimRight(fraction, "0")
	return digits{
		whole:      len(significant),
		fraction:   len(trimmed),
		written:    len(significant) + len(fraction),
		negative:   len(text) > len(unsigned) && text[0] == '-',
		zero:       significant == "" && trimmed == "",
		strict:     whole != "" && (whole == "0" || whole[0] != '0') && (!point || fraction != "") && !strings.HasPrefix(text, "+"),
		wellFormed: whole+fraction != "" && all(whole, isDigit) && all(fraction, isDigit),
	}
}

// store puts the checked text of a leaf into its field.
func (s *simpleType) store(place reflect.Value, text string) error {
	switch s.kind {
	case kindDecimal:
		value, err := decimal.Parse(text)
		if err != nil {
			return err
		}
		*place.Addr().Interface().(*decimal.Decimal) = value
	case kindBoolean:
		place.SetBool(text == "true" || text == "1")
	default:
		place.SetString(text)
	}
	return nil
}

// load is the text of a leaf as it is written into a document.
func (s *simpleType) load(place reflect.Value) string {
	switch s.kind {
	case kindDecimal:
		return place.Interface().(decimal.Decimal).String()
	case kindBoolean:
		if place.Bool() {
			return "true"
		}
		return "false"
	default:
		return place.String()
	}
}
