package auth

import (
	"slices"
	"strings"
)

// maxScope is the longest accepted scope, in bytes.
const maxScope = 256

// validScope checks the form of a scope (RFC 6749 section 3.3). Rights come from roles alone: a scope is stored and returned, and gives no
// rights. The empty scope is none.
func validScope(scope string) bool {
	if scope == "" {
		return true
	}
	if len(scope) > maxScope {
		return false
	}
	for word := range strings.SplitSeq(scope, " ") {
		if word == "" || strings.ContainsFunc(word, outsideScope) {
			return false
		}
	}
	return true
}

func outsideScope(r rune) bool {
	return r < 0x21 || r > 0x7E || r == '"' || r == '\\'
}

// withinScope reports whether the granted scope has every word of the requested one (RFC 6749 section 6).
func withinScope(asked, granted string) bool {
	allowed := strings.Fields(granted)
	for word := range strings.FieldsSeq(asked) {
		if !slices.Contains(allowed, word) {
			return false
		}
	}
	return true
}
