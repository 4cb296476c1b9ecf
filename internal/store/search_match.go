package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Needle is a search text, split for a comparison with messages.
type Needle struct {
	phrase  string
	words   []string
	compact string
}

// shortest is the minimum length of each word in a search for several words in any order: shorter ones match
// everywhere.
const shortest = 3

// NewNeedle parses a text. compact is its form without spaces and in capitals, to be compared with numbers; "" for none.
func NewNeedle(text, compact string) Needle {
	n := Needle{phrase: fold(text), compact: compact}
	words := tokens(n.phrase)
	for _, word := range words {
		if utf8.RuneCountInString(word) < shortest {
			return n
		}
	}
	if len(words) > 1 {
		n.words = words
	}
	return n
}

// In reports whether texts contain the needle: as typed, or all its words in any order, each as the beginning of a word; or whether a
// number contains it. Case, accents and spaces do not matter, and an umlaut may be typed as two letters.
func (n Needle) In(texts, numbers []string) bool {
	said := strings.Join(texts, " ")
	if n.within(fold(said)) {
		return true
	}
	if spelled := umlauts.Replace(said); spelled != said && n.within(fold(spelled)) {
		return true
	}
	return n.compact != "" && strings.Contains(strings.ToUpper(strings.Join(strings.Fields(strings.Join(numbers, " ")), "")), n.compact)
}

func (n Needle) within(said string) bool {
	if n.phrase != "" && strings.Contains(said, n.phrase) {
		return true
	}
	if len(n.words) == 0 {
		return false
	}
	begins := tokens(said)
	for _, word := range n.words {
		if !hasBeginning(begins, word) {
			return false
		}
	}
	return true
}

func hasBeginning(said []string, word string) bool {
	for _, one := range said {
		if strings.HasPrefix(one, word) {
			return true
		}
	}
	return false
}

// tokens returns the runs of letters and digits of a text.
func tokens(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
