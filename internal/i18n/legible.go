package i18n

import (
	"fmt"
	"strings"
	"unicode"
)

// brailleBlank is a letter of Braille without a dot, which Unicode counts among the symbols.
const brailleBlank = '\u2800'

// Unseen reports whether a character is invisible, or visible only by its effect on others: two texts that differ by it look alike. Beside
// control characters and line separators these are the code points that Unicode ignores where they are not supported
// (Default_Ignorable_Code_Point, UAX 44): format marks, variation selectors, fillers and joiners.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || r == brailleBlank || unicode.In(r,
		unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Legible writes a value of a document so that a page shows each of its characters: a space that a browser would drop (the first, the last,
// one of several) as ␣, the end of a line as ↵, and any other invisible character by its number. The marks are in no character set of a
// scheme, so an order cannot imitate them.
func Legible(value string) string {
	if plainlySeen(value) {
		return value
	}
	var shown strings.Builder
	characters := []rune(strings.ReplaceAll(value, "\r\n", "\n"))
	for i, r := range characters {
		switch {
		case r == ' ' && (i == 0 || i == len(characters)-1 || characters[i-1] == ' ' || characters[i+1] == ' '):
			shown.WriteRune('␣')
		case r == '\n':
			shown.WriteRune('↵')
		case r != ' ' && (Unseen(r) || unicode.IsSpace(r)):
			fmt.Fprintf(&shown, "⟨U+%04X⟩", r)
		default:
			shown.WriteRune(r)
		}
	}
	return shown.String()
}

// plainlySeen reports whether a value needs no marks: the usual case.
func plainlySeen(value string) bool {
	return strings.Trim(value, " ") == value && !strings.Contains(value, "  ") && !strings.ContainsFunc(value, func(r rune) bool {
		return r != ' ' && (r < 0x20 || r > 0x7e) && (Unseen(r) || unicode.IsSpace(r))
	})
}
