package account

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// FormError says that a file is no directory. Its text names the remedy.
type FormError struct {
	Line int // from 1; 0 for the file as a whole
	Text string
}

func (e *FormError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// The beginning of the form, and the words of its last column.
const (
	editionWord = "edition"
	instantYes  = "yes"
	instantNo   = "no"
)

var columns = []string{"prefix", "bic", "name", "instant"}

// ParseDirectory reads a directory in the form of docs/operations.md: UTF-8, fields parted by semicolons, lines that begin with # left
// out. First `edition;2026-11-20`, then the names of the columns, then a row for each bank. Error: *FormError.
func ParseDirectory(content []byte) (*Directory, error) {
	rows, err := table(content)
	if err != nil {
		return nil, err
	}
	head, line, err := rows.next()
	if err != nil || len(head) != 2 || head[0] != editionWord {
		return nil, &FormError{Line: max(line, 1), Text: "begin with the day of the directory: edition;2026-11-20"}
	}
	edition, err := time.Parse(time.DateOnly, head[1])
	if err != nil {
		return nil, &FormError{Line: line, Text: "write the edition as year, month and day: edition;2026-11-20"}
	}
	names, line, err := rows.next()
	if err != nil || !slices.Equal(names, columns) {
		return nil, &FormError{Line: max(line, 2), Text: "name the columns: " + strings.Join(columns, ";")}
	}
	d := builder{edition: edition}
	for {
		row, line, err := rows.next()
		if errors.Is(err, io.EOF) {
			return d.directory()
		}
		if err != nil {
			return nil, err
		}
		if len(row) != len(columns) {
			return nil, &FormError{
				Line: line, Text: fmt.Sprintf("give %d fields (%s); there are %d", len(columns), strings.Join(columns, ";"), len(row)),
			}
		}
		if row[3] != instantYes && row[3] != instantNo {
			return nil, &FormError{Line: line, Text: "say yes or no in the column instant"}
		}
		err = d.add(line, Entry{Prefix: row[0], BIC: row[1], Name: row[2], Instant: row[3] == instantYes})
		if err != nil {
			return nil, err
		}
	}
}

// Content is the directory in the form that Parse reads, always the same for the same directory.
func (d *Directory) Content() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s;%s\n%s\n", editionWord, d.edition.Format(time.DateOnly), strings.Join(columns, ";"))
	for _, e := range d.entries {
		instant := instantNo
		if e.Instant {
			instant = instantYes
		}
		b.WriteString(e.Prefix + ";" + e.BIC + ";" + e.Name + ";" + instant + "\n")
	}
	return b.Bytes()
}

// records are the rows of a file, with their lines.
type records struct{ reader *csv.Reader }

// table begins to read a file of fields parted by semicolons.
func table(content []byte) (records, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	switch {
	case len(content) > MaxBytes:
		return records{}, &FormError{Text: fmt.Sprintf("the file is larger than %d MiB", MaxBytes>>20)}
	case !utf8.Valid(content):
		return records{}, &FormError{Text: "write the file in UTF-8"}
	}
	reader := csv.NewReader(bytes.NewReader(content))
	reader.Comma, reader.Comment, reader.FieldsPerRecord, reader.LazyQuotes = ';', '#', -1, true
	return records{reader: reader}, nil
}

func (r records) next() (row []string, line int, err error) {
	row, err = r.reader.Read()
	var malformed *csv.ParseError
	if errors.As(err, &malformed) {
		return nil, malformed.Line, &FormError{Line: malformed.Line, Text: malformed.Err.Error()}
	}
	if err != nil {
		return nil, 0, err
	}
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	line, _ = r.reader.FieldPos(0)
	return row, line, nil
}

// builder collects the rows of a directory.
type builder struct {
	edition time.Time
	entries []Entry
	lines   map[Entry]int // by prefix, or by BIC where there is none
}

// add appends a row, or returns its mistake.
func (b *builder) add(line int, e Entry) error {
	refuse := func(text string) error { return &FormError{Line: line, Text: text} }
	e.Name = strings.Join(strings.Fields(e.Name), " ")
	switch {
	case len(b.entries) == MaxEntries:
		return refuse(fmt.Sprintf("a directory has at most %d rows", MaxEntries))
	case e.Prefix == "" && e.BIC == "":
		return refuse("give a prefix of IBANs, a BIC, or both")
	case e.Prefix != "" && !isPrefix(e.Prefix):
		return refuse("write the prefix as the country and the first characters of the account, without check digits: DE37040044")
	case e.BIC == "" && !swiss(e.Prefix):
		return refuse("give the BIC: only Swiss banks and those of Liechtenstein are known by their code alone")
	case e.Name == "" || utf8.RuneCountInString(e.Name) > maxName || strings.ContainsFunc(e.Name, unsuited):
		return refuse(fmt.Sprintf("give the bank a name of at most %d characters, without semicolons, quotes, # and control characters", maxName))
	}
	if e.BIC != "" {
		_, err := ParseBIC(e.BIC)
		if err != nil {
			return refuse(err.Error())
		}
	}
	key := Entry{Prefix: e.Prefix}
	if e.Prefix == "" {
		key.BIC = LongBIC(e.BIC)
	}
	if first, twice := b.lines[key]; twice {
		return refuse(fmt.Sprintf("the same prefix, or the same BIC without one, stands in line %d", first))
	}
	if b.lines == nil {
		b.lines = map[Entry]int{}
	}
	b.lines[key] = line
	b.entries = append(b.entries, e)
	return nil
}

func (b *builder) directory() (*Directory, error) {
	if len(b.entries) == 0 {
		return nil, &FormError{Text: "the directory names no bank"}
	}
	slices.SortFunc(b.entries, func(one, other Entry) int {
		return cmp.Or(cmp.Compare(one.Prefix, other.Prefix), cmp.Compare(one.BIC, other.BIC))
	})
	d := &Directory{edition: b.edition, entries: b.entries}
	d.index()
	return d, nil
}

// isPrefix reports whether IBANs can begin like this, without their check digits.
func isPrefix(text string) bool {
	return len(text) >= 2 && len(text) <= maxPrefix && CountryExists(text[:2]) && onlyDigitsAndCapitals(text[2:])
}

// unsuited reports whether a name may not hold the character.
func unsuited(r rune) bool { return strings.ContainsRune(";\"#", r) || unicode.IsControl(r) }

func swiss(prefix string) bool {
	return strings.HasPrefix(prefix, "CH") || strings.HasPrefix(prefix, "LI")
}
