package auth

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

// commonPasswords lists common passwords in lower case and in byte order, one a line: zxcvbn's lists of passwords and first names (MIT
// licence), and some words of the languages of the portal. Words shorter than MinimumPassword count, because people append digits to them.
//
//go:embed common_passwords.txt
var commonPasswords string

// sequences are rows of keys and characters, each also read backwards.
var sequences = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn", "1qaz2wsx3edc4rfv5tgb6zhn7ujm8ik", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
}

// substitutions undoes the digits and signs that commonly replace letters.
var substitutions = strings.NewReplacer("@", "a", "4", "a", "8", "b", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// isCommonPassword reports whether a password is a common one, with or without digits and signs around it or in place of letters, a
// repetition, or a piece of a sequence.
func isCommonPassword(password string) bool {
	text := strings.ToLower(password)
	if isRepetition(text) {
		return true
	}
	backwards := []rune(text)
	slices.Reverse(backwards)
	for _, sequence := range sequences {
		if strings.Contains(sequence, text) || strings.Contains(sequence, string(backwards)) {
			return true
		}
	}
	known := strings.Fields(commonPasswords)
	word := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, candidate := range []string{text, word, substitutions.Replace(word)} {
		if _, found := slices.BinarySearch(known, candidate); found {
			return true
		}
	}
	return false
}

// isRepetition reports whether a text repeats a shorter one: such a text is also found inside its double, past the first byte.
func isRepetition(text string) bool {
	double := text + text
	return text != "" && strings.Contains(double[1:len(double)-1], text)
}
