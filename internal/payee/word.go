package payee

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compareWords compares names by their words in any order.
func compareWords(given, holder []string) Result {
	left, right := unpaired(given, holder)
	if len(left)+len(right) == 0 {
		return Match
	}
	together, whole := strings.Join(given, ""), strings.Join(holder, "")
	if together == whole {
		return Match
	}
	agreeing := pairing{exact: len(given) - len(left), letters: lettersOf(given) - lettersOf(left)}
	agreeing.pair(&left, &right)
	if agreeing.close(left, right) || len(given) != len(holder) && mistypedWhole(together, whole) {
		return CloseMatch
	}
	return NoMatch
}

// unpaired are the words of each list that the other lacks.
func unpaired(given, holder []string) (left, right []string) {
	right = slices.Clone(holder)
	for _, word := range given {
		at := slices.Index(right, word)
		if at < 0 {
			left = append(left, word)
			continue
		}
		right = slices.Delete(right, at, at+1)
	}
	return left, right
}

// pairing counts what of two names agrees.
type pairing struct {
	exact    int // words that are the same
	letters  int // in them
	initials int // words of which one side has the first letter
	mistyped int // words that differ by a slip
}

// pair finds partners for the words that have none: first the mistyped, then the initials.
func (p *pairing) pair(left, right *[]string) {
	p.mistyped = matchUp(left, right, mistyped)
	p.initials = matchUp(left, right, initial)
}

// matchUp takes away the pairs of words that agree, and counts them.
func matchUp(left, right *[]string, agree func(one, other string) bool) int {
	before := len(*left)
	*left = slices.DeleteFunc(*left, func(word string) bool {
		at := slices.IndexFunc(*right, func(other string) bool { return agree(word, other) })
		if at >= 0 {
			*right = slices.Delete(*right, at, at+1)
		}
		return at >= 0
	})
	return before - len(*left)
}

// enough is the number of letters in equal words that it takes to recognise a name.
const enough = 3

// close reports whether what agrees is enough for a close match: slips in at most one word (two of a name of four words and more), initials
// beside a whole word, or one word (two of a long name) that one side alone has, beside at least two whole ones.
func (p *pairing) close(left, right []string) bool {
	words := p.exact + p.mistyped + p.initials
	spare := 1
	if words >= 3 {
		spare = 2
	}
	alone := len(left) + len(right)
	switch {
	case len(left) > 0 && len(right) > 0: // each has something else to say
		return false
	case slices.ContainsFunc(left, numbered) || slices.ContainsFunc(right, numbered):
		return false
	case p.initials > 0:
		return p.exact >= 1 && p.letters >= enough && p.mistyped == 0 && alone <= 1
	case alone > 0:
		return p.exact >= 2 && p.mistyped == 0 && alone <= spare
	case words == 1:
		return true // one long word with a slip
	}
	allowed := 1
	if words >= 4 {
		allowed = 2
	}
	return p.exact >= 1 && p.letters >= enough && p.mistyped <= allowed
}

// initial reports whether one word is the first letter of the other.
func initial(one, other string) bool {
	short, long := one, other
	if len(short) > len(long) {
		short, long = long, short
	}
	return utf8.RuneCountInString(short) == 1 && !numbered(short) && strings.HasPrefix(long, short)
}

// The shortest words in which one and in which two slips are forgiven.
const (
	oneSlip  = 4
	twoSlips = 12
)

// mistyped reports whether two words differ by a slip of the keyboard. A word with a digit has to be the same, and a last vowel that
// differs makes another given name (Maria, Mario; Paul, Paula).
func mistyped(one, other string) bool {
	if numbered(one) || numbered(other) || anotherEnding(one, other) {
		return false
	}
	length := min(utf8.RuneCountInString(one), utf8.RuneCountInString(other))
	differ := min(slips(one, other), slips(spoken.Replace(one), spoken.Replace(other)))
	switch {
	case length < oneSlip:
		return false
	case length < twoSlips:
		return differ <= 1
	}
	return differ <= 2
}

// spoken writes what sounds alike in one way.
var spoken = strings.NewReplacer("ph", "f", "th", "t", "ck", "k", "c", "k", "y", "i", "dt", "t")

// mistypedWhole is mistyped for names whose words were written together or apart: longer texts, and one slip alone.
func mistypedWhole(one, other string) bool {
	const shortest = 10
	if numbered(one) || numbered(other) || anotherEnding(one, other) || min(len(one), len(other)) < shortest {
		return false
	}
	return slips(one, other) <= 1
}

// anotherEnding reports whether two words differ at their end as given names of men and women do: in the vowel there (Mario, Maria), in a
// vowel more (Paul, Paula), in a letter after an a (Julia, Julian), or in an a that changed places (Christian, Christina).
func anotherEnding(one, other string) bool {
	short, long := []rune(one), []rune(other)
	if len(short) > len(long) {
		short, long = long, short
	}
	const vowels = "aeiou"
	end := len(short) - 1
	last := string(long[len(long)-1])
	switch {
	case end < 1 || len(long)-len(short) > 1:
		return false
	case len(short) < len(long):
		return string(short) == string(long[:len(short)]) && (strings.Contains(vowels, last) || short[end] == 'a')
	case string(short[:end]) == string(long[:end]):
		return strings.Contains(vowels, last) && strings.ContainsRune(vowels, short[end])
	}
	swapped := string(short[:end-1]) == string(long[:end-1]) && short[end] == long[end-1] && short[end-1] == long[end]
	return swapped && (last == "a" || short[end] == 'a')
}

func numbered(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

func lettersOf(words []string) int { return utf8.RuneCountInString(strings.Join(words, "")) }

// slips counts the letters that were left out, put in, taken for others, or swapped with the next one.
func slips(one, other string) int {
	a, b := []rune(one), []rune(other)
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3 // more than is ever forgiven
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
