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
func structureOf(iban string) (structure bbanStructure, known bool) {
	structure, known = ibanRegistry()[iban[:min(2, len(iban))]]
	return structure, known
}

// ibanRegistry is the structures of the embedded table by country, read once. TestIBANTable fails on a row that cannot be read, so the error
// is nil in every release.
var ibanRegistry = sync.OnceValue(func() map[string]bbanStructure {
	embedded, _ := readRegistry(ibanTable)
	return embedded
})

// readRegistry reads the rows of a table; rows that cannot be read are left out and make up the error.
func readRegistry(table string) (map[string]bbanStructure, error) {
	read := map[string]bbanStructure{}
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
		read[country] = structure
	}
	return read, errors.Join(broken...)
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
