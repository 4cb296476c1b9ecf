package account

import (
	"fmt"
	"strings"
	"testing"
)

// madeUp is an account of the country that follows its structure: digits and letters in turn where both may stand.
func madeUp(t *testing.T, country string) string {
	t.Helper()
	form, _ := structureOf(country)
	var number strings.Builder
	for place, class := range form[4:] {
		if class == 'a' || class == 'c' && place%3 == 2 {
			number.WriteByte("BKXQMAZ"[place%7])
		} else {
			number.WriteByte("3716205948"[place%10])
		}
	}
	for digits := 2; digits <= 98; digits++ {
		text := fmt.Sprintf("%s%02d%s", country, digits, number.String())
		_, err := Parse(text)
		if err == nil {
			return text
		}
	}
	t.Fatalf("no account of %s is accepted", country)
	return ""
}

// unseen are the pairs of neighbours whose swap no check by ISO 7064 (mod 97) can see: a letter counts as two digits, B as 11, M as 22
// and X as 33, so that 1B and B1 are both 111. No other swap has this.
func unseen(a, b byte) bool {
	switch string([]byte{min(a, b), max(a, b)}) {
	case "1B", "2M", "3X":
		return true
	}
	return false
}

// Every country of the registry: one wrong digit and two swapped neighbours are found, letters included.
func TestSlipsAreFoundInEveryCountry(t *testing.T) {
	t.Parallel()
	countries, digits, swaps, blind := 0, 0, 0, 0
	for line := range tableLines(ibanTable) {
		country, _, _ := strings.Cut(line, "\t")
		text := madeUp(t, country)
		countries++
		for i := 2; i < len(text); i++ {
			for digit := byte('0'); digit <= '9' && isDigit(text[i]); digit++ {
				if digit == text[i] {
					continue
				}
				digits++
				wrong := text[:i] + string(digit) + text[i+1:]
				if _, err := Parse(wrong); err == nil {
					t.Errorf("%s is accepted, place %d of %s is wrong", wrong, i+1, text)
				}
			}
		}
		for i := range len(text) - 1 {
			if text[i] == text[i+1] {
				continue
			}
			if unseen(text[i], text[i+1]) {
				blind++
				continue
			}
			swaps++
			wrong := text[:i] + string([]byte{text[i+1], text[i]}) + text[i+2:]
			if _, err := Parse(wrong); err == nil {
				t.Errorf("%s is accepted, places %d and %d of %s are swapped", wrong, i+1, i+2, text)
			}
		}
	}
	t.Logf("%d countries, %d wrong digits, %d swaps refused; %d swaps that mod 97 cannot see", countries, digits, swaps, blind)
	if countries != 111 {
		t.Errorf("%d countries", countries)
	}
}

// The exception above is real and no wider than said.
func TestWhichSwapsModulo97CannotSee(t *testing.T) {
	t.Parallel()
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, a := range []byte(characters) {
		for _, b := range []byte(characters) {
			same := mod97("7"+string([]byte{a, b})+"5", "CH12") == mod97("7"+string([]byte{b, a})+"5", "CH12")
			if want := a == b || unseen(a, b); same != want {
				t.Errorf("%c%c and %c%c: same remainder %v, want %v", a, b, b, a, same, want)
			}
		}
	}
}
