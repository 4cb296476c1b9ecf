package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/i18n"
)

// NormaliseName returns the form in which user names are stored and compared: NFKC, lower case, without surrounding space. What nobody sees
// stays in it, to be refused in a new name: without it somebody would be known by a name that they were not given.
func NormaliseName(name string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(name)))
}

// SameName reports whether two names of people look the same to a reader: case, spaces, equivalent spellings of a letter and invisible
// characters are ignored.
func SameName(a, b string) bool {
	plain := func(name string) string {
		seen := strings.Map(func(r rune) rune {
			if i18n.Unseen(r) && !unicode.IsSpace(r) {
				return -1
			}
			return r
		}, name)
		return strings.Join(strings.Fields(NormaliseName(seen)), " ")
	}
	return plain(a) == plain(b)
}

// lookalikes are characters that a reader takes for others: letters of Cyrillic and Greek that look like Latin ones, and digits that look
// like letters (from the confusables of Unicode Technical Standard 39).
var lookalikes = strings.NewReplacer(
	"а", "a", "в", "b", "с", "c", "ԁ", "d", "е", "e", "һ", "h", "і", "i", "ј", "j", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "ѕ", "s",
	"т", "t", "у", "y", "х", "x", "ѵ", "v", "α", "a", "β", "b", "ε", "e", "η", "n", "ι", "i", "κ", "k", "μ", "m", "ν", "v", "ο", "o", "ρ", "p",
	"τ", "t", "υ", "u", "χ", "x", "ζ", "z", "ı", "i", "1", "l", "0", "o", "5", "s", "8", "b", "rn", "m", "vv", "w",
)

// LooksLike reports whether a reader may take one name of a person for another: after SameName's rules, letters and digits that look alike
// are the same, and marks that are neither letters nor digits are ignored.
func LooksLike(a, b string) bool {
	plain := func(name string) string {
		return lookalikes.Replace(strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return r
		}, NormaliseName(name)))
	}
	return plain(a) == plain(b)
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
