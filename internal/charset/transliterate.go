package charset

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Transliterate rewrites a text in the characters of the set and reports whether it changed. The result may be longer than the text; use
// TransliterateWithin for a limit. Show the result to the person who entered the text before submitting it.
//
// The convention is that of the Swiss Payment Standards, annex C, table 29: accents are dropped, signs without a counterpart become a full
// stop. Where the annex offers both a and ae for ä (and so for ö and ü), the longer form is taken, with ss for ß to match: passports spell
// names that way, so they compare best with the name at the bank. Letters beyond the annex follow it: strokes and hooks are dropped, and a
// ligature or digraph is spelled in its letters. The annex leaves open the signs that XML escapes (& " < >); & becomes + as in EPC217-08,
// the others their nearest. Typographic quotes, dashes and spaces of office programs, which the annex does not list, become their plain
// counterparts.
func (s Set) Transliterate(text string) (result string, changed bool) {
	return s.transliterate(text, false)
}

// TransliterateWithin is Transliterate for an element of at most limit characters: when the longer form of ä, ö, ü, ß and of ligatures goes
// beyond it, the first letter of it (a, o, u, s) is taken, which never makes a text longer.
func (s Set) TransliterateWithin(text string, limit int) (result string, changed bool) {
	result, changed = s.transliterate(text, false)
	if utf8.RuneCountInString(result) <= limit {
		return result, changed
	}
	return s.transliterate(text, true)
}

// PlainTypography replaces the typographic signs of office programs by the typed ones: quotes, dashes, ellipses, line ends and spaces of
// special widths. It composes letters with their accents, writes Latin letters outside of SwissLatin as those nearest to them, and drops
// invisible characters, including marks of writing direction. All other characters stay.
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
		case unicode.Is(unicode.Latin, r) && !SwissLatin.Allows(r):
			plain.WriteString(nearest(r))
		default:
			plain.WriteRune(r)
		}
	}
	return plain.String()
}

// nearest are the letters of SwissLatin that a Latin letter outside of it is written with; the letter itself where there are none.
func nearest(r rune) string {
	written := SwissLatin.replace(r)
	switch {
	case r == 'ẞ':
		return "SS"
	case written == ".":
		return string(r)
	}
	return written
}

// transliterate rewrites a text, in the short form with one letter for each.
func (s Set) transliterate(text string, short bool) (result string, changed bool) {
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
		substitute := cmp.Or(longForm(r), s.replace(r))
		beforeSmall := i+1 < len(characters) && unicode.IsLower(characters[i+1])
		if len(substitute) == 2 && unicode.IsUpper(r) && !beforeSmall {
			substitute = strings.ToUpper(substitute)
		}
		if short {
			_, first := utf8.DecodeRuneInString(substitute)
			substitute = substitute[:first]
		}
		rewritten.WriteString(substitute)
	}
	return rewritten.String(), true
}

// longForm is the form of two letters that passports have; "" for any other character.
func longForm(r rune) string {
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
	case 'ẞ':
		return "Ss"
	default:
		return ""
	}
}

// replace finds the counterpart of one character the set does not have.
func (s Set) replace(r rune) string {
	substitute := cmp.Or(substituteOf(r), s.letters(r))
	if substitute != "" {
		return substitute
	}
	// The first character of the decomposition; none where there is no accent to fall.
	base, _ := utf8.DecodeRune(norm.NFD.PropertiesString(string(r)).Decomposition())
	switch {
	case base == r || base == utf8.RuneError:
		return "."
	case s.Allows(base):
		return string(base)
	}
	return s.replace(base) // an accent on a letter that is none of the set
}

// letters are those a letter stands for that is another writing of them: a ligature, a digraph, a long s, a full width. "" for any other;
// the ordinal signs of Latin-1 are no letters by the annex.
func (s Set) letters(r rune) string {
	spelled := norm.NFKC.String(string(r))
	if r <= unicode.MaxLatin1 || !unicode.Is(unicode.Latin, r) || spelled == string(r) {
		return ""
	}
	var all strings.Builder
	for _, letter := range spelled {
		if s.Allows(letter) {
			all.WriteRune(letter)
		} else {
			all.WriteString(s.replace(letter))
		}
	}
	return all.String()
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

// letterSubstitute holds the letters that are not a plain letter with an accent: those of the annex, then further ones with a stroke or a
// hook, and the schwa as passports have it.
func letterSubstitute(r rune) string {
	const (
		from = "æÆœŒøØđĐðÐþÞħĦłŁŀĿŧŦıĳĲ" + "ŋŊŉǥǤƶƵɨƗƚȽɓƁɗƊƙƘƴƳƒəƏ"
		into = "aAoOoOdDdDtThHlLlLtTiiI" + "nNngGzZiIlLbBdDkKyYfeE"
	)
	place := 0
	for _, candidate := range from {
		if candidate == r {
			return into[place : place+1]
		}
		place++
	}
	return ""
}
