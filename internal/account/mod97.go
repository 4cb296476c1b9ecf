package account

// mod97 is the remainder of ISO 7064 MOD 97-10 over digits and capital letters (A is 10, Z is 35). Other characters must have been refused
// before.
func mod97(parts ...string) int {
	remainder := 0
	for _, part := range parts {
		for i := range len(part) {
			if isDigit(part[i]) {
				remainder = (remainder*10 + int(part[i]-'0')) % 97
			} else {
				remainder = (remainder*100 + int(part[i]-'A') + 10) % 97
			}
		}
	}
	return remainder
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

func isCapital(c byte) bool {
	return 'A' <= c && c <= 'Z'
}

func allDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

// onlyDigitsAndCapitals reports whether text can go into mod97.
func onlyDigitsAndCapitals(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) && !isCapital(text[i]) {
			return false
		}
	}
	return true
}
