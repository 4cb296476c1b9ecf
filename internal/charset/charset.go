// Package charset knows which characters the texts of a document may hold, by scheme, and rewrites a text with them. Accounts and banks
// have nothing to do with it.
package charset

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set is a set of characters that texts of a document may hold.
type Set int

const (
	// SwissLatin is the set of the Swiss Payment Standards (section 3.1): U+0020 to 7E, U+00A0 to FF, U+0100 to 17F, S and T with comma below
	// (U+0218 to 21B) and the euro sign.
	SwissLatin Set = iota
	// EPCBasic is the set each SEPA bank must take (EPC217-08): letters and digits without accents, space and / - ? : ( ) . , ' +.
	// Seventy-three characters.
	EPCBasic
	// ASCII is the set of e-mail addresses and links: U+0021 to 7E.
	ASCII
)

// Allows reports whether the set has the character.
func (s Set) Allows(r rune) bool {
	switch {
	case s == EPCBasic:
		return isEPCBasic(r)
	case s == ASCII:
		return '!' <= r && r <= '~'
	case 0x20 <= r && r <= 0x7e, 0xa0 <= r && r <= 0x17f, 0x218 <= r && r <= 0x21b, r == '€':
		return true
	default:
		return false
	}
}

func isEPCBasic(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	default:
		return strings.ContainsRune(" /-?:().,'+", r)
	}
}

// Shown writes a character for a sentence: in quotation marks where people see it, by its number where they do not.
func Shown(r rune) string {
	if unicode.IsGraphic(r) && !unicode.IsMark(r) && !unicode.IsSpace(r) && r != utf8.RuneError {
		return `"` + string(r) + `"`
	}
	return fmt.Sprintf("U+%04X", r)
}

// FirstRefused finds the first character the set does not have and its place, counted in characters from 1. A byte that is no UTF-8 counts
// as U+FFFD.
func (s Set) FirstRefused(text string) (r rune, place int, found bool) {
	for _, r := range text {
		place++
		if !s.Allows(r) {
			return r, place, true
		}
	}
	return 0, 0, false
}
