package iso20022

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/govalues/decimal"

	"countersign/internal/i18n"
)

// Mistake is the kind of mistake in the text of a leaf.
type Mistake uint8

// The mistakes; none means that the text is right.
const (
	MistakeNone Mistake = iota
	MistakeBlank
	MistakeCharacter
	MistakeFormat
	MistakeDecimal
	MistakeFraction
)

// maxDigits are the decimal digits that a value of package decimal holds at most.
const maxDigits = 19

// Check returns the mistake in the text of a leaf, and the remedy. Strict texts are not blank, and strict decimals have no sign plus, no
// leading zero and digits on both sides of the point (SPS 2025, 3.4 and 3.7); otherwise the lexical space of XML Schema is allowed.
func (s *Simple) Check(text string, strict bool) (Mistake, i18n.Text) {
	if text == "" || (strict || s.Kind != KindText) && strings.TrimSpace(text) == "" {
		return MistakeBlank, ""
	}
	switch s.Kind {
	case KindDecimal:
		return s.checkDecimal(text, strict)
	case KindBoolean:
		if text != "true" && text != "false" && text != "1" && text != "0" {
			return MistakeFormat, "Enter true or false"
		}
	case KindDate:
		if !IsDate(text) {
			return MistakeFormat, "Enter a date as YYYY-MM-DD"
		}
	case KindDateTime:
		if !IsDateTime(text) {
			return MistakeFormat, "Enter the date and time as YYYY-MM-DDThh:mm:ss with the offset from UTC, such as 2026-03-02T10:00:00+01:00"
		}
	case KindTime:
		if !isTime(text) {
			return MistakeFormat, "Enter a time as hh:mm:ss"
		}
	case KindText:
		return s.checkText(text)
	case KindBinary:
		return s.checkBinary(text)
	}
	return MistakeNone, ""
}

// checkBinary takes base64 with white space anywhere, as XML Schema does.
func (s *Simple) checkBinary(text string) (Mistake, i18n.Text) {
	content, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	switch {
	case err != nil:
		return MistakeFormat, "Enter a base64 value"
	case s.MaxLength > 0 && len(content) > s.MaxLength:
		return MistakeFormat, i18n.Text("Enter a base64 value of at most %d bytes").With(s.MaxLength)
	case len(content) < s.MinLength:
		return MistakeFormat, i18n.Text("Enter a base64 value of at least %d bytes").With(s.MinLength)
	}
	return MistakeNone, ""
}

func (s *Simple) checkText(text string) (Mistake, i18n.Text) {
	if character, bad := ForbiddenCharacter(text); bad {
		return MistakeCharacter, i18n.Text("Remove the character U+%s (XML does not allow it)").With(fmt.Sprintf("%04X", character))
	}
	if s.MaxLength > 0 && len(text) > s.MaxLength {
		if length := utf8.RuneCountInString(text); length > s.MaxLength {
			return MistakeFormat, i18n.Text("Enter at most %d characters instead of %d").With(s.MaxLength, length)
		}
	}
	if s.MinLength > 1 && utf8.RuneCountInString(text) < s.MinLength {
		return MistakeFormat, i18n.Text("Enter at least %d characters").With(s.MinLength)
	}
	if s.Pattern != nil && !s.Pattern.Match(text) {
		return MistakeFormat, s.Pattern.Advice
	}
	if len(s.Enumeration) == 0 || slices.Contains(s.Enumeration, text) {
		return MistakeNone, ""
	}
	return MistakeFormat, EnterOneOf(s.Enumeration)
}

// ForbiddenCharacter returns the first character that no XML document may hold.
func ForbiddenCharacter(text string) (rune, bool) {
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

// EnterOneOf is the advice to enter one of some values.
func EnterOneOf(values []string) i18n.Text {
	const most = 20
	if len(values) == 1 {
		return i18n.Text("Enter %s").With(values[0])
	}
	if len(values) > most {
		return i18n.Text("Enter one of the codes in the schema, such as %s").With(strings.Join(values[:most], ", "))
	}
	return i18n.Text("Enter %s or %s").With(strings.Join(values[:len(values)-1], ", "), values[len(values)-1])
}

// digits are the counts a decimal is measured by.
type digits struct {
	whole, fraction    int // significant ones: no leading zeros before, no trailing ones after the point
	written            int // whole ones plus all after the point
	negative, zero     bool
	strict, wellFormed bool
}

func (s *Simple) checkDecimal(text string, strict bool) (Mistake, i18n.Text) {
	measured := measure(text)
	switch {
	case !measured.wellFormed, strict && !measured.strict:
		return MistakeDecimal, "Enter a decimal number with a decimal point and no leading zeros, such as 199.95"
	case s.NonNegative && measured.negative && !measured.zero:
		return MistakeDecimal, "Enter zero or a positive number"
	case s.FractionDigits >= 0 && measured.fraction > s.FractionDigits:
		if s.FractionDigits == 0 {
			return MistakeFraction, "Enter a whole number"
		}
		return MistakeFraction, i18n.Text("Enter at most %d digits after the decimal point").With(s.FractionDigits)
	case s.TotalDigits >= 0 && measured.whole+measured.fraction > s.TotalDigits:
		return MistakeDecimal, i18n.Text("Enter at most %d digits").With(s.TotalDigits)
	case measured.written > maxDigits:
		return MistakeDecimal, i18n.Text("Enter at most %d digits (including zeros at the end)").With(maxDigits)
	}
	return MistakeNone, ""
}

// Plain is a long decimal without the zeros at the end of its fraction, which XML Schema allows in any number; any other text as it is.
func (s *Simple) Plain(text string) string {
	whole, fraction, point := strings.Cut(text, ".")
	if s.Kind != KindDecimal || !point || len(text) <= maxDigits {
		return text
	}
	return strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), ".")
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

// Store puts the checked text of a leaf into its field.
func (s *Simple) Store(place reflect.Value, text string) error {
	switch s.Kind {
	case KindDecimal:
		value, err := decimal.Parse(text)
		if err != nil {
			return err
		}
		*place.Addr().Interface().(*decimal.Decimal) = value
	case KindBoolean:
		place.SetBool(text == "true" || text == "1")
	default:
		place.SetString(text)
	}
	return nil
}

// Load is the text of a leaf as it is written into a document.
func (s *Simple) Load(place reflect.Value) string {
	switch s.Kind {
	case KindDecimal:
		return place.Interface().(decimal.Decimal).String()
	case KindBoolean:
		if place.Bool() {
			return "true"
		}
		return "false"
	default:
		return place.String()
	}
}
