package account

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/iban.tsv
var ibanTable string

// bbanStructure is the form of one country's IBANs.
type bbanStructure struct {
	length int
	runs   []bbanRun
}

// bbanRun is a stretch of characters of one class: 'n' digits, 'a' capitals, 'c' either.
type bbanRun struct {
	length int
	class  byte
}

// fits reports whether the digits and letters of an IBAN of the right length stand where the country has them. The two check digits belong
// to it.
func (s bbanStructure) fits(iban string) bool {
	if !allDigits(iban[2:4]) {
		return false
	}
	rest := iban[4:]
	for _, run := range s.runs {
		for i := range run.length {
			if run.class == 'n' && !isDigit(rest[i]) || run.class == 'a' && !isCapital(rest[i]) {
				return false
			}
		}
		rest = rest[run.length:]
	}
	return true
}

// structureOf finds the structure by the country an IBAN starts with.
func structureOf(iban string) (bbanStructure, bool) {
	if len(iban) < 2 || !isCapital(iban[0]) || !isCapital(iban[1]) {
		return bbanStructure{}, false
	}
	structure := ibanRegistry()[int(iban[0]-'A')*26+int(iban[1]-'A')]
	return structure, structure.length > 0
}

// registry is the structures of all countries, indexed by the two letters; length 0 means none.
type registry [26 * 26]bbanStructure

// ibanRegistry is the embedded table, read once. It is part of the program, and TestIBANTable fails on a row that cannot be read, so the
// error is nil in every release.
var ibanRegistry = sync.OnceValue(func() *registry {
	embedded, _ := readRegistry(ibanTable)
	return embedded
})

// readRegistry reads the rows of a table; rows that cannot be read are left out and make up the error.
func readRegistry(table string) (*registry, error) {
	var read registry
	var broken []error
	for line := range tableLines(table) {
		country, rest, _ := strings.Cut(line, "\t")
		length, runs, _ := strings.Cut(rest, "\t")
		structure, err := readStructure(length, runs)
		if err == nil && !CountryExists(country) {
			err = ErrCountry
		}
		if err != nil {
			broken = append(broken, fmt.Errorf("read IBAN structure of %q: %w", country, err))
			continue
		}
		read[int(country[0]-'A')*26+int(country[1]-'A')] = structure
	}
	return &read, errors.Join(broken...)
}

// readStructure reads a row such as "21" and "5!n12!c".
func readStructure(lengthText, runsText string) (bbanStructure, error) {
	length, err := strconv.Atoi(lengthText)
	if err != nil {
		return bbanStructure{}, err
	}
	structure := bbanStructure{length: length}
	covered := 4
	for runsText != "" {
		count, rest, found := strings.Cut(runsText, "!")
		if !found || rest == "" || !strings.Contains("nac", rest[:1]) {
			return bbanStructure{}, fmt.Errorf("run %q has no class", runsText)
		}
		run := bbanRun{class: rest[0]}
		run.length, err = strconv.Atoi(count)
		if err != nil {
			return bbanStructure{}, err
		}
		structure.runs = append(structure.runs, run)
		covered += run.length
		runsText = rest[1:]
	}
	if covered != length {
		return bbanStructure{}, fmt.Errorf("structure covers %d of %d characters", covered, length)
	}
	return structure, nil
}

// tableLines gives the rows of an embedded table without its # comments.
func tableLines(table string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\r\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !yield(line) {
				return
			}
		}
	}
}
