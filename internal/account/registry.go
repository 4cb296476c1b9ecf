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

// structure is the form of one country's IBANs, with a letter for each of their characters: n is a digit, a a capital, c either.
type structure string

// fits reports whether the digits and letters of an IBAN of the right length stand where the country has them.
func (s structure) fits(iban string) bool {
	for i, class := range s {
		if class == 'n' && !isDigit(iban[i]) || class == 'a' && !isCapital(iban[i]) {
			return false
		}
	}
	return true
}

// structureOf finds the structure by the country an IBAN starts with.
func structureOf(iban string) (form structure, known bool) {
	form, known = ibanRegistry()[iban[:min(2, len(iban))]]
	return form, known
}

// ibanRegistry is the embedded table by country, read once. TestIBANTable fails on a row that cannot be read, so the error is nil in every
// release.
var ibanRegistry = sync.OnceValue(func() map[string]structure {
	embedded, _ := readRegistry(ibanTable)
	return embedded
})

// readRegistry reads the rows of a table; rows that cannot be read are left out and make up the error.
func readRegistry(table string) (map[string]structure, error) {
	read := map[string]structure{}
	var broken []error
	for line := range tableLines(table) {
		country, rest, _ := strings.Cut(line, "\t")
		length, runs, _ := strings.Cut(rest, "\t")
		form, err := readStructure(length, runs)
		if err == nil && !CountryExists(country) {
			err = ErrCountry
		}
		if err != nil {
			broken = append(broken, fmt.Errorf("read IBAN structure of %q: %w", country, err))
			continue
		}
		read[country] = form
	}
	return read, errors.Join(broken...)
}

// readStructure reads a row such as "21" and "5!n12!c". Before the runs stand the country and the check digits.
func readStructure(length, runs string) (structure, error) {
	form := "aann"
	for runs != "" {
		count, rest, _ := strings.Cut(runs, "!")
		number, err := strconv.ParseUint(count, 10, 8)
		if err != nil || rest == "" || !strings.Contains("nac", rest[:1]) {
			return "", fmt.Errorf("run %q is no number with a class", runs)
		}
		form += strings.Repeat(rest[:1], int(number))
		runs = rest[1:]
	}
	if strconv.Itoa(len(form)) != length {
		return "", fmt.Errorf("structure covers %d of %s characters", len(form), length)
	}
	return structure(form), nil
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
