package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NormaliseName returns the form in which user names are stored and compared: NFKC, lower case, without surrounding space. What nobody sees
// stays in it, to be refused in a new name: without it somebody would be known by a name that they were not given.
func NormaliseName(name string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(name)))
}

// SameName reports whether two names of people are the same to a reader: whatever their case, spaces, ways to write a letter, and what is
// in them that nobody sees.
func SameName(a, b string) bool {
	plain := func(name string) string {
		seen := strings.Map(func(r rune) rune {
			if Unseen(r) && !unicode.IsSpace(r) {
				return -1
			}
			return r
		}, name)
		return strings.Join(strings.Fields(NormaliseName(seen)), " ")
	}
	return plain(a) == plain(b)
}

// brailleBlank is a letter of Braille without a dot, which Unicode counts among the symbols.
const brailleBlank = '\u2800'

// Unseen reports whether nobody sees a character, or only by what it does to others: two names that differ by it read alike. Beside control
// characters and separators of lines these are the code points that Unicode leaves to be ignored where they are not supported
// (Default_Ignorable_Code_Point, UAX 44): marks of format, selectors of variants, fillers and joiners.
func Unseen(r rune) bool {
	return unicode.IsControl(r) || r == brailleBlank || unicode.In(r,
		unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Broken reports whether a text has a character that is none, or the mark that stands for one where a text was read before.
func Broken(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError)
}

// MixesScripts reports whether a name has letters of Latin and of one of the scripts whose letters look like them, Cyrillic and Greek: no
// word is written so, and it reads like another name (Unicode Technical Standard 39, 5.2).
func MixesScripts(name string) bool {
	has := func(script *unicode.RangeTable) bool {
		return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(script, r) })
	}
	scripts := 0
	for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek} {
		if has(script) {
			scripts++
		}
	}
	return scripts > 1
}
