package account

// leiLength is the length of every LEI.
const leiLength = 20

// IsLEI reports whether a text is a legal entity identifier with right check digits (ISO 17442): 18 capital letters or digits and two
// digits, with the remainder 1 by MOD 97-10.
func IsLEI(text string) bool {
	return len(text) == leiLength && onlyDigitsAndCapitals(text) && allDigits(text[leiLength-2:]) && mod97(text) == 1
}
