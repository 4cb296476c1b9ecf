package guess

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ccojocar/zxcvbn-go/adjacency"
	"github.com/ccojocar/zxcvbn-go/entropy"
	"github.com/ccojocar/zxcvbn-go/match"
)

// fewest is the length from which on what is found counts as a pattern.
const fewest = 3

// rows finds keys that lie side by side on a keyboard.
func rows(password string, board adjacency.Graph) (found []match.Match) {
	for i := 0; i < len(password)-1; {
		end, turns, shifted, last := i+1, 0, 0, -1
		for ; end < len(password); end++ {
			way, shift := step(board, password[end-1], password[end])
			if way < 0 {
				break
			}
			if way != last {
				turns, last = turns+1, way
			}
			if shift {
				shifted++
			}
		}
		if end-i >= fewest {
			m := match.Match{Pattern: "spatial", DictionaryName: board.Name, I: i, J: end - 1, Token: password[i:end]}
			m.Entropy = entropy.SpatialEntropy(m, turns, shifted)
			found = append(found, m)
		}
		i = end
	}
	return found
}

// step is the way from a key to one beside it, or -1, and whether it takes the shift key. Each neighbor is written without and with it.
func step(board adjacency.Graph, from, to byte) (way int, shift bool) {
	for place, key := range board.Graph[string(rune(from))] {
		at := strings.IndexByte(key, to)
		if at >= 0 {
			return place, at == 1
		}
	}
	return -1, false
}

// repeats finds one character again and again.
func repeats(password string) (found []match.Match) {
	for i := 0; i < len(password); {
		end := i + 1
		for end < len(password) && strings.EqualFold(password[end:end+1], password[i:i+1]) {
			end++
		}
		if end-i >= fewest {
			m := match.Match{Pattern: "repeat", DictionaryName: password[i : i+1], I: i, J: end - 1, Token: password[i:end]}
			m.Entropy = entropy.RepeatEntropy(m)
			found = append(found, m)
		}
		i = end
	}
	return found
}

// alphabets are the orders that sequences run through, forwards or backwards.
var alphabets = []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"}

// sequences finds characters in their order.
func sequences(password string) (found []match.Match) {
	for i := 0; i < len(password); {
		end := i + 1
		for _, alphabet := range alphabets {
			if end == len(password) || strings.IndexByte(alphabet, password[i]) < 0 || strings.IndexByte(alphabet, password[end]) < 0 {
				continue
			}
			by := apart(alphabet, password, end)
			if by != 1 && by != -1 {
				continue
			}
			for end < len(password) && apart(alphabet, password, end) == by {
				end++
			}
			if end-i >= fewest {
				m := match.Match{Pattern: "sequence", I: i, J: end - 1, Token: password[i:end]}
				m.Entropy = entropy.SequenceEntropy(m, len(alphabet), by == 1)
				found = append(found, m)
			}
			break
		}
		i = end
	}
	return found
}

// apart is how many places a character of the password stands behind the one before it in an alphabet.
func apart(alphabet, password string, at int) int {
	return strings.IndexByte(alphabet, password[at]) - strings.IndexByte(alphabet, password[at-1])
}

// Dates: with the year last, with the year first, and as digits alone.
var (
	yearLast  = regexp.MustCompile(`(\d{1,2})([\s\-/\\_.])(\d{1,2})[\s\-/\\_.]((?:19|20)\d{2}|\d{2})`)
	yearFirst = regexp.MustCompile(`((?:19|20)\d{2}|\d{2})([\s\-/\\_.])(\d{1,2})[\s\-/\\_.](\d{1,2})`)
	digits    = regexp.MustCompile(`\d{4,8}`)
)

// dates finds days of a calendar.
func dates(password string) (found []match.Match) {
	for _, at := range yearLast.FindAllStringSubmatchIndex(password, -1) {
		part := parts(password, at)
		found = append(found, day{part[1], part[3], part[4], part[2]}.match(password, at)...)
	}
	for _, at := range yearFirst.FindAllStringSubmatchIndex(password, -1) {
		part := parts(password, at)
		found = append(found, day{part[3], part[4], part[1], part[2]}.match(password, at)...)
	}
	for _, at := range digits.FindAllStringIndex(password, -1) {
		text := password[at[0]:at[1]]
		for _, long := range []int{2, 4} { // of the year
			rest := len(text) - long
			for first := max(1, rest-2); first <= min(2, rest-1); first++ { // how many digits the day has, or the month where it comes first
				found = append(found, day{text[:first], text[first:rest], text[rest:], ""}.match(password, at)...)
				found = append(found, day{text[long : long+first], text[long+first:], text[:long], ""}.match(password, at)...)
			}
		}
	}
	return found
}

// parts are the texts of an expression's groups.
func parts(password string, at []int) (texts []string) {
	for i := 0; i < len(at); i += 2 {
		texts = append(texts, password[at[i]:at[i+1]])
	}
	return texts
}

// day is written as a day and a month, in one order or the other, and a year.
type day struct{ one, other, year, separator string }

// match is the match of a day, or none where it is no day. The year has two digits, or is one that people live in.
func (d day) match(password string, at []int) []match.Match {
	one, err := strconv.Atoi(d.one)
	other, err2 := strconv.Atoi(d.other)
	year, err3 := strconv.Atoi(d.year)
	const months, days, twoDigits, oldest, last = 12, 31, 99, 1900, 2049
	if err != nil || err2 != nil || err3 != nil || min(one, other) > months || max(one, other) > days ||
		year > twoDigits && (year < oldest || year > last) {
		return nil
	}
	return []match.Match{{
		Pattern: "date", I: at[0], J: at[1] - 1, Token: password[at[0]:at[1]],
		Entropy: entropy.DateEntropy(match.DateMatch{Year: int64(year), Separator: d.separator}),
	}}
}
