// Package guess says how soon a password is guessed, with zxcvbn's words, keyboards and arithmetic (github.com/ccojocar/zxcvbn-go). What it
// looks for in a password is found here and not by that library's own finder, which reads all of its words into tables as the program
// starts: 19 MB and three quarters of the time of a start, for what hardly any process is ever asked. Here they are read when somebody
// chooses a password. It finds what the library finds, and some more (a test holds the two together): substitutions that are not kept up
// through the word, dates without a separator and those after 2019. So no password is judged better than there, but for the character
// behind a date, which the library takes for a part of it.
package guess

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/ccojocar/zxcvbn-go/adjacency"
	"github.com/ccojocar/zxcvbn-go/data"
	"github.com/ccojocar/zxcvbn-go/entropy"
	"github.com/ccojocar/zxcvbn-go/match"
	"github.com/ccojocar/zxcvbn-go/scoring"
)

// Score is zxcvbn's: from 0, guessed at once, to 4; 3 is safe against somebody who has stolen slow hashes. The time it takes grows with the
// square of the length, which the caller bounds. Error: the words cannot be read.
func Score(password string) (int, error) {
	lists, err := words()
	if err != nil {
		return 0, fmt.Errorf("read the words that passwords are made of: %w", err)
	}
	matches := dictionary(password, lists)
	for _, name := range []string{"qwerty", "dvorak", "keypad", "macKeypad"} {
		matches = append(matches, rows(password, adjacency.GraphMap[name])...)
	}
	matches = append(matches, repeats(password)...)
	matches = append(matches, sequences(password)...)
	matches = append(matches, dates(password)...)
	return scoring.MinimumEntropyMatchSequence(password, matches).Score, nil
}

// words are the lists, each with its most frequent word first.
var words = sync.OnceValues(func() (lists [][]string, err error) {
	for _, name := range []string{"Passwords", "English", "FemaleNames", "MaleNames", "Surnames"} {
		content, err := data.Asset("data/" + name + ".json")
		if err != nil {
			return nil, err
		}
		var read struct{ List []string }
		err = json.Unmarshal(content, &read)
		if err != nil {
			return nil, err
		}
		for i, word := range read.List {
			read.List[i] = strings.ToLower(word)
		}
		lists = append(lists, read.List)
	}
	return lists, nil
})

// dictionary finds words, in whatever case, and with digits and signs in the place of letters.
func dictionary(password string, lists [][]string) (found []match.Match) {
	lower, letters := strings.ToLower(password), letters()
	if len(lower) != len(password) {
		lower = password // a letter whose other case is longer
	}
	var begins [256][]int // where a word that begins with a letter may stand
	for i := range len(lower) {
		begins[lower[i]] = append(begins[lower[i]], i)
		for _, letter := range []byte(letters[lower[i]]) {
			begins[letter] = append(begins[letter], i)
		}
	}
	for _, list := range lists {
		for rank, word := range list {
			if word == "" {
				continue
			}
			for _, i := range begins[word[0]] {
				if !reads(lower[i:], word, letters) {
					continue
				}
				m := match.Match{Pattern: "dictionary", I: i, J: i + len(word) - 1, Token: password[i : i+len(word)]}
				m.Entropy = entropy.DictionaryEntropy(m, float64(rank+1))
				found = append(found, m)
			}
		}
	}
	return found
}

// letters are the letters that a digit or a sign may stand for.
func letters() (of [256]string) {
	for letter, signs := range adjacency.GraphMap["l33t"].Graph {
		for _, sign := range signs {
			if len(sign) == 1 {
				of[sign[0]] += letter
			}
		}
	}
	return of
}

// reads says whether a text begins with a word.
func reads(text, word string, letters [256]string) bool {
	if len(word) > len(text) {
		return false
	}
	for i := range len(word) {
		if text[i] != word[i] && strings.IndexByte(letters[text[i]], word[i]) < 0 {
			return false
		}
	}
	return true
}
