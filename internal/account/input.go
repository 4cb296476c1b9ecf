package account

import (
	"strings"
	"unicode"
)

// tidy removes spaces of all kinds, dashes, dots and invisible marks from pasted text, and writes letters as capitals. Other characters
// stay, for the parser to refuse.
func tidy(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Pd, r), unicode.Is(unicode.Cf, r), r == '.', r == '\u2212':
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		default:
			return r
		}
	}, text)
}

// group parts text with spaces into pieces of size, counted from the left.
func group(text string, size int) string {
	var grouped strings.Builder
	for i := 0; i < len(text); i += size {
		if i > 0 {
			grouped.WriteByte(' ')
		}
		grouped.WriteString(text[i:min(i+size, len(text))])
	}
	return grouped.String()
}
