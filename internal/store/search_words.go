package store

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/payment"
)

const (
	// most is the maximum number of words per message, without its accounts.
	most = 14
	// longest is the maximum length of a word in characters.
	longest = 32
	// backwards stands before an account that is read from its end.
	backwards = "<"
)

var (
	long = strings.NewReplacer(
		"ß", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ł", "l", "Ł", "l", "đ", "d", "Đ", "d", "ø", "o", "Ø", "o", "ı", "i",
	)
	umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")
)

// marks are the accents that search_fold removes.
const marks = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030A\u030B\u030C\u0326\u0327\u0328"

// fold converts a text to lower case without accents and with single spaces.
func fold(text string) string {
	if !rowmapPlain(text) {
		text = norm.NFD.String(strings.ReplaceAll(text, "’", "'"))
		text = long.Replace(strings.Map(func(r rune) rune {
			if strings.ContainsRune(marks, r) {
				return -1
			}
			return r
		}, text))
	}
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// rowmapPlain reports whether a text is ASCII.
func rowmapPlain(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// split cuts a folded text at all characters except letters and digits. Words of one letter are dropped.
func split(folded string) []string {
	words := strings.FieldsFunc(folded, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	words = slices.DeleteFunc(words, func(word string) bool { return len(word) < 2 })
	for i, word := range words {
		words[i] = word[:min(len(word), longest)]
	}
	return words
}

// Of returns the words by which a message with these texts is found: as written, and with umlauts as two letters.
func Of(texts ...string) []string {
	text := strings.Join(texts, " ")
	words := split(fold(text))
	if !rowmapPlain(text) {
		words = append(words, split(fold(umlauts.Replace(text)))...)
	}
	kept := make([]string, 0, most)
	for _, word := range words {
		if len(kept) < most && !slices.Contains(kept, word) {
			kept = append(kept, word)
		}
	}
	return kept
}

// AccountWord returns the search term of an account.
func AccountWord(account string) string {
	reversed := []rune(strings.ToLower(account))
	slices.Reverse(reversed)
	return backwards + string(reversed[:min(len(reversed), longest-1)])
}

// Column returns the search terms of a message of a realm for its column, with a space between.
func Column(realm string, accounts []string, texts ...string) string {
	begin := tag(realm)
	var column strings.Builder
	add := func(word string) {
		if column.Len() > 0 {
			column.WriteByte(' ')
		}
		column.WriteString(begin)
		column.WriteString(word)
	}
	for _, word := range Of(texts...) {
		add(word)
	}
	for _, account := range accounts {
		if account != "" {
			add(AccountWord(account))
		}
	}
	return column.String()
}

// tag returns the prefix of a realm's words, so that a search reads only rows of its realm. Realms with the same
// prefix read more.
func tag(realm string) string {
	digest := sha256.Sum256([]byte(realm))
	return hex.EncodeToString(digest[:2])
}

// Query returns the search for messages of a realm with all words of a text, the last one possibly incomplete, or with an account of this
// end. It is "" for a text without words.
func Query(realm, text, end string) string {
	words := split(fold(text))
	for i, word := range words {
		words[i] = "'" + tag(realm) + word + "'"
		if i == len(words)-1 {
			words[i] += ":*"
		}
	}
	var ways []string
	if len(words) > 0 {
		ways = append(ways, "("+strings.Join(words, " & ")+")")
	}
	if account := End(end); account != "" {
		ways = append(ways, "'"+tag(realm)+account+"':*")
	}
	return strings.Join(ways, " | ")
}

// End returns the search term for the end of an account, "" for a text that is too short or no account.
func End(compact string) string {
	const least = 4
	strange := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }
	if utf8.RuneCountInString(compact) < least || strings.ContainsFunc(compact, strange) {
		return ""
	}
	return AccountWord(compact)
}

// Words returns the search terms of a message: the other party's name and account, and the purpose. A request about a
// payment has two other parties.
func Words(m payment.Message) string {
	var texts, accounts []string
	s := m.Summary
	if m.Kind != payment.KindPayment {
		texts, accounts = append(texts, s.CreditorName), append(accounts, s.CreditorAccount)
	}
	if m.Kind != payment.KindInstruction {
		texts, accounts = append(texts, s.DebtorName), append(accounts, s.DebtorAccount)
	}
	return Column(m.Realm, accounts, append(texts, s.Remittance)...)
}
