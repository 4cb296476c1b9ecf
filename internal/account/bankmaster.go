package account

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The columns of the bank master that count, as its first line names them (SIX, bank master, version 3, CSV).
const (
	masterIID          = "IID/QR-IID"
	masterValidOn      = "Valid on"
	masterConcatenated = "Concatenation"
	masterNewIID       = "New IID/QR-IID"
	masterName         = "Name of bank/institution"
	masterBIC          = "BIC"
	masterInstant      = "IP customer payments, CHF"
)

// IsBankMaster reports whether a file begins like the bank master of SIX.
func IsBankMaster(content []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(content, []byte("\ufeff")), "\"")
	return bytes.HasPrefix(start, []byte(masterIID))
}

// masterRow is a bank of the bank master.
type masterRow struct {
	line      int
	iid       IID
	successor IID // of a code that was merged into another
	name, bic string
	instant   bool
}

// ParseBankMaster reads the bank master of SIX (version 3, CSV with semicolons) as the directory of Swiss instant payments: whom column
// "IP customer payments, CHF" says Y of is reached. A code that was merged into another one (Concatenation Y) is reached when that one
// is. The edition is the newest day of "Valid on". Error: *FormError.
func ParseBankMaster(content []byte) (*Directory, error) {
	rows, err := table(content)
	if err != nil {
		return nil, err
	}
	places, err := masterColumns(rows)
	if err != nil {
		return nil, err
	}
	var edition time.Time
	banks := map[IID]masterRow{}
	for {
		row, line, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		bank, day, err := places.bank(row, line)
		if err != nil {
			return nil, err
		}
		if first, twice := banks[bank.iid]; twice {
			return nil, &FormError{Line: line, Text: fmt.Sprintf("the bank code %s stands in line %d too", bank.iid, first.line)}
		}
		banks[bank.iid] = bank
		if day.After(edition) {
			edition = day
		}
	}
	return ofBankMaster(banks, edition)
}

// columnPlaces maps the names of the columns of the bank master to their indexes.
type columnPlaces map[string]int

func masterColumns(rows records) (columnPlaces, error) {
	names, _, err := rows.next()
	if err != nil {
		return nil, &FormError{Line: 1, Text: "begin with the names of the columns"}
	}
	places := columnPlaces{}
	for at, name := range names {
		places[name] = at
	}
	for _, name := range []string{masterIID, masterValidOn, masterConcatenated, masterNewIID, masterName, masterBIC, masterInstant} {
		if _, found := places[name]; !found {
			return nil, &FormError{Line: 1, Text: "the column " + name + " is missing: take the CSV file of the bank master, version 3"}
		}
	}
	return places, nil
}

func (p columnPlaces) bank(row []string, line int) (masterRow, time.Time, error) {
	field := func(name string) string {
		if at := p[name]; at < len(row) {
			return row[at]
		}
		return ""
	}
	bank := masterRow{line: line, name: field(masterName), bic: field(masterBIC), instant: field(masterInstant) == "Y"}
	var err error
	bank.iid, err = ParseIID(field(masterIID))
	if err == nil && field(masterConcatenated) == "Y" {
		bank.successor, err = ParseIID(field(masterNewIID))
	}
	if err != nil {
		return masterRow{}, time.Time{}, &FormError{Line: line, Text: err.Error()}
	}
	day, err := time.Parse(time.DateOnly, field(masterValidOn))
	if err != nil && (bank.successor == IID{} || field(masterValidOn) != "") {
		return masterRow{}, time.Time{}, &FormError{Line: line, Text: "the column " + masterValidOn + " is no day (2026-11-20)"}
	}
	return bank, day, nil
}

// ofBankMaster makes a row for Switzerland and one for Liechtenstein of each bank, because they share the codes.
func ofBankMaster(banks map[IID]masterRow, edition time.Time) (*Directory, error) {
	b := builder{edition: edition}
	for iid, bank := range banks {
		reached, err := successorOf(banks, bank)
		if err != nil {
			return nil, err
		}
		name := strings.Map(plain, reached.name)
		for _, country := range []string{"CH", "LI"} {
			err := b.add(bank.line, Entry{Prefix: country + iid.String(), BIC: reached.bic, Name: name, Instant: reached.instant})
			if err != nil {
				return nil, err
			}
		}
	}
	return b.directory()
}

// successorOf is the bank that a code stands for after all mergers.
func successorOf(banks map[IID]masterRow, bank masterRow) (masterRow, error) {
	first := bank
	for range len(banks) {
		if bank.successor == (IID{}) {
			return bank, nil
		}
		next, found := banks[bank.successor]
		if !found {
			break
		}
		bank = next
	}
	return masterRow{}, &FormError{
		Line: first.line, Text: fmt.Sprintf("the bank code %s is merged into one that the file does not hold", first.iid),
	}
}

// plain replaces a character that a stored name must not hold by a space.
func plain(r rune) rune {
	if unsuited(r) {
		return ' '
	}
	return r
}
