package main

import (
	"fmt"
	"strings"
	"unicode"
)

// goName turns a short element name into the Go field name, in full words: CdtTrfTxInf becomes CreditTransferTransactionInformation.
func goName(tag string) (string, error) {
	if name, found := wholeNames[tag]; found {
		return name, nil
	}
	var name strings.Builder
	for _, part := range split(tag) {
		word, found := words[part]
		if !found {
			return "", fmt.Errorf("element %s: the dictionary has no word for %q", tag, part)
		}
		name.WriteString(word)
	}
	return name.String(), nil
}

// split cuts a short name into its parts: a run of capitals is one part unless a small letter follows, which then starts with the last
// capital.
func split(tag string) []string {
	var parts []string
	runes := []rune(tag)
	for start := 0; start < len(runes); {
		end := start + 1
		switch {
		case unicode.IsDigit(runes[start]):
			for end < len(runes) && unicode.IsDigit(runes[end]) {
				end++
			}
		case end < len(runes) && unicode.IsUpper(runes[end]):
			for end < len(runes) && unicode.IsUpper(runes[end]) {
				end++
			}
			if end < len(runes) && unicode.IsLower(runes[end]) {
				end--
			}
		default:
			for end < len(runes) && unicode.IsLower(runes[end]) {
				end++
			}
		}
		parts = append(parts, string(runes[start:end]))
		start = end
	}
	return parts
}
