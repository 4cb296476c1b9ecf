package i18n

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Stored is a text that was stored in English, such as the reason of a step: it is translated if a text of sentence.yaml matches it, with
// other values in its placeholders.
func Stored(english string) Text { return Text(unmarked.Replace(english)) }

// minLetters is the number of letters outside of its placeholders by which a text is recognised.
const minLetters = 10

// pattern recognises a text of the catalogue with values.
type pattern struct {
	key     Text
	letters int    // outside of its placeholders
	literal string // its longest part without a placeholder
	whole   *regexp.Regexp
}

// patterns are the texts with values that lower floors write, the longest first.
var patterns = sync.OnceValue(func() []pattern {
	entries, _ := readEntries("sentence.yaml")
	var all []pattern
	for key := range entries {
		p := patternOf(key)
		if p.letters >= minLetters && p.whole.NumSubexp() > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pattern) int { return cmp.Or(cmp.Compare(b.letters, a.letters), cmp.Compare(a.key, b.key)) })
	return all
})

func patternOf(key Text) pattern {
	p, whole, text := pattern{key: key}, strings.Builder{}, string(key)
	literal := func(part string) {
		whole.WriteString(regexp.QuoteMeta(part))
		if len(part) > len(p.literal) {
			p.literal = part
		}
		for _, letter := range part {
			if unicode.IsLetter(letter) {
				p.letters++
			}
		}
	}
	at := 0
	for _, found := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		literal(text[at:found[0]])
		at = found[1]
		switch text[found[4]:found[5]] {
		case "%":
			whole.WriteString("%")
		case "d":
			whole.WriteString(`(-?\d+)`)
		case "q":
			whole.WriteString(`"(.+?)"`)
		default:
			whole.WriteString("(.+?)")
		}
	}
	literal(text[at:])
	p.whole = regexp.MustCompile("(?s)^" + whole.String() + "$")
	return p
}

// matchStored finds the text with values of which a stored sentence is the English form; found is false for any other sentence.
func matchStored(english string) (text Text, found bool) {
	for _, p := range patterns() {
		if !strings.Contains(english, p.literal) {
			continue
		}
		match := p.whole.FindStringSubmatch(english)
		if match == nil {
			continue
		}
		values := make([]any, len(match)-1)
		for i, words := range match[1:] {
			values[i] = storedValue(words)
		}
		return p.key.With(values...), true
	}
	return "", false
}

// storedValue is a value of a stored sentence: a number, a time, a text of the catalogue, or data.
func storedValue(words string) any {
	number, err := strconv.Atoi(words)
	if err == nil && strconv.Itoa(number) == words {
		return number
	}
	if at, err := time.Parse("2006-01-02 15:04 UTC", words); err == nil {
		return Minute(at)
	}
	if at, err := time.Parse(time.RFC3339, words); err == nil {
		return Moment(at)
	}
	if at, err := time.Parse(time.DateOnly, words); err == nil {
		return Day(at)
	}
	if catalogues().known[Text(words)] {
		return Text(words)
	}
	if text, found := matchStored(words); found {
		return text
	}
	return words
}
