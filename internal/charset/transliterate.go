package charset

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Transliterate rewrites a text with the characters of the set and reports whether it had to. The result may be longer than the text; where
// there is a limit, use TransliterateWithin. It is meant to be shown to the person who entered the text before anything is submitted, never
// applied behind their back.
//
// The convention is that of the Swiss Payment Standards, annex C, table 29: accents fall away, signs without a counterpart become a full
// stop. Where the annex offers both a and ae for ä (and so for ö and ü), the longer form is taken, with ss for ß to match: it is how such
// names are spelled in passports and so compares best with the name the bank holds. The annex leaves open the signs that XML escapes (& " <
// >); & becomes + as in EPC217-08, the others their nearest. Typographic quotes, dashes and spaces of office programs, which the annex does
// not list, become their plain counterparts.
func (s Set) Transliterate(text string) (result string, changed bool) {
	return s.transliterate(text, longUmlaut)
}

// TransliterateWithin is Transliterate for an element of at most limit characters: when the longer form of ä, ö, ü and ß goes beyond it,
// the shorter one (a, o, u, s) is taken, which never makes a text longer.
func (s Set) TransliterateWithin(text string, limit int) (result string, changed bool) {
	result, changed = s.transliterate(text, longUmlaut)
	if utf8.RuneCountInString(result) <= limit {
		return result, changed
	}
	return s.transliterate(text, shortUmlaut)
}

// PlainTypography writes the typographic signs that office programs put into texts as people type them: quotes, dashes, ellipses, line ends
// and spaces of special widths, and letters whose accents follow them as one. What cannot be seen falls away, marks of writing direction
// too. Everything else stays, whatever set it belongs to.
func PlainTypography(text string) string {
	var plain strings.Builder
	for _, r := range norm.NFC.String(text) {
		switch {
		case strings.ContainsRune("’‘‚‛′", r):
			plain.WriteByte('\'')
		case strings.ContainsRune("“”„‟″", r):
			plain.WriteByte('"')
		case strings.ContainsRune("‐‑‒–—―−•", r):
			plain.WriteByte('-')
		case r == '…':
			plain.WriteString("...")
		case 0x2000 <= r && r <= 0x200a || r == 0x202f || r == 0x205f || r == '\t' || r == '\n' || r == 0x2028 || r == 0x2029:
			plain.WriteByte(' ')
		case unicode.Is(unicode.Cf, r) || r == '\r':
		default:
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

// transliterate rewrites a text with one of the two forms of ä, ö, ü and ß.
func (s Set) transliterate(text string, umlaut func(rune) string) (result string, changed bool) {
	_, _, refused := s.FirstRefused(text)
	if !refused {
		return text, false
	}
	characters := []rune(norm.NFC.String(text))
	var rewritten strings.Builder
	for i, r := range characters {
		if s.Allows(r) {
			rewritten.WriteRune(r)
			continue
		}
		if i > 0 && unicode.IsMark(r) {
			continue // an accent that makes no letter of its own with the one before it
		}
		substitute := cmp.Or(umlaut(r), s.replace(r))
		beforeSmall := i+1 < len(characters) && unicode.IsLower(characters[i+1])
		if len(substitute) == 2 && unicode.IsUpper(r) && !beforeSmall {
			substitute = strings.ToUpper(substitute)
		}
		rewritten.WriteString(substitute)
	}
	return rewritten.String(), true
}

// longUmlaut is the form of two letters; "" for any other character.
func longUmlaut(r rune) string {
	switch r {
	case 'ä':
		return "ae"
	case 'ö':
		return "oe"
	case 'ü':
		return "ue"
	case 'Ä':
		return "Ae"
	case 'Ö':
		return "Oe"
	case 'Ü':
		return "Ue"
	case 'ß':
		return "ss"
	default:
		return ""
	}
}

// shortUmlaut is the form of one letter; for all but ß the fall of accents gives it.
func shortUmlaut(r rune) string {
	if r == 'ß' {
		return "s"
	}
	return ""
}

// replace finds the counterpart of one character the set does not have.
func (s Set) replace(r rune) string {
	substitute := substituteOf(r)
	if substitute != "" {
		return substitute
	}
	// The first character of the decomposition; none where there is no accent to fall.
	base, _ := utf8.DecodeRune(norm.NFD.PropertiesString(string(r)).Decomposition())
	if base != r && s.Allows(base) {
		return string(base)
	}
	return "."
}

// substituteOf is the part of the table that the fall of accents does not give; "" where it does or where nothing fits.
func substituteOf(r rune) string {
	letter := letterSubstitute(r)
	if letter != "" {
		return letter
	}
	switch r {
	case ';':
		return ","
	case '&':
		return "+"
	case '[', '{':
		return "("
	case ']', '}':
		return ")"
	case '\\', '|':
		return "/"
	case '_', '~', '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	case '"', '`', '’', '‘', '‛', '“', '”', '„':
		return "'"
	case '¿':
		return "?"
	case '€':
		return "E"
	}
	if unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) {
		return " "
	}
	return ""
}

// letterSubstitute holds the letters that are not a plain letter with an accent.
func letterSubstitute(r rune) string {
	const from, into = "æÆœŒøØđĐðÐþÞħĦłŁŀĿŧŦıĳĲ", "aAoOoOdDdDtThHlLlLtTiiI"
	place := 0
	for _, candidate := range from {
		if candidate == r {
			return into[place : place+1]
		}
		place++
	}
	return ""
}
