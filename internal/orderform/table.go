package orderform

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

// maxColumns limits the columns of a table, before it is read.
const maxColumns = 100

// maxAnswer limits one answer of a line to the length a form allows, in bytes.
const maxAnswer = 1000

// Line is one payment of a table, as the answers of the form.
type Line struct {
	Number int // in the file, from 1
	Scheme rulebook.Scheme
	Values Values
}

// Table is the result of reading a table of payments.
type Table struct {
	Lines    []Line
	Findings []iso20022.Finding // why the table as a whole cannot be taken
	Latin    bool               // the table was in Windows-1252, which spreadsheet programs write
}

// ReadTable reads a table (CSV). is is false for any other file. A mistake in one payment is no finding here: the form can correct it.
func ReadTable(content []byte) (table Table, is bool) {
	text := bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if looksLikeXML(text) {
		return Table{}, false
	}
	return readTable(text)
}

func (m *Table) refuse(line int, pointer string, text i18n.Text) {
	m.Findings = append(m.Findings, iso20022.Finding{Line: line, Pointer: pointer, Code: "FF01", Text: text})
}

// limited refuses a table of too many payments.
func (m Table) limited(count int) Table {
	if count > MaxPayments {
		m.Findings, m.Lines = []iso20022.Finding{tooMany(count)}, nil
	}
	return m
}

// Column is a column of a table.
type Column struct {
	Name    string // as the form calls the field
	Others  string // names in German, French and Italian, between spaces
	Label   i18n.Text
	Example string
}

// Columns lists the columns of a table: the fields of the form, and currency and reference, which choose the scheme and the kind of
// reference. Only creditorIban is mandatory.
var Columns = []Column{
	{"debtorAccount", "belastungskonto auftraggeberkonto comptedébiteur contodebitore", "From account", ""}, // a realm has its own
	{"creditorName", "name empfänger begünstigter nom bénéficiaire nome beneficiario", "Creditor", "Muster AG"},
	{"creditorIban", "iban ibanempfänger ibanbegünstigter ibanbénéficiaire ibanbeneficiario", "IBAN", "CH5604835012345678009"},
	{"street", "strasse rue via", "Street", "Bahnhofstrasse"},
	{"buildingNumber", "hausnummer numéro numero", "Building number", "1"},
	{"postcode", "plz npa npapostale", "Postcode", "8001"},
	{"town", "ort localité località", "Town", "Zürich"},
	{"country", "land pays paese", "Country", "CH"},
	{"currency", "währung monnaie valuta", "Currency", "CHF"},
	{"amount", "betrag montant importo", "Amount", "1234.50"},
	{"reference", "referenz référence riferimento", "Reference", ""},
	{"message", "mitteilung zahlungszweck communication comunicazione", "Message to the creditor", "Rechnung 4711"},
	{"endToEndId", "", "End-to-end ID", ""},
}

// TableHead is the first line of a table.
func TableHead() string { return strings.Join(tableColumns, ";") }

// tableColumns are the names of the columns.
var tableColumns = func() (names []string) {
	for _, column := range Columns {
		names = append(names, column.Name)
	}
	return names
}()

// columnOf returns the name of the column that a heading means, in any of the four languages; "" for none. Capital letters, spaces and
// hyphens do not count.
func columnOf(heading string) string {
	heading = strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(heading))
	for _, column := range Columns {
		if heading == strings.ToLower(column.Name) || slices.Contains(strings.Fields(column.Others), heading) {
			return column.Name
		}
	}
	return ""
}

// readTable reads a CSV file in UTF-8 or Windows-1252, with semicolons or commas. Its first line names the columns in any order; empty
// lines and a line that names the separator, which spreadsheet programs write above it, are skipped.
func readTable(content []byte) (many Table, is bool) {
	content, skipped, comma := aboveHead(content)
	head, _, _ := bytes.Cut(content, []byte("\n"))
	if !bytes.Contains(head, []byte("creditorIban")) && !tableHead.Match(head) {
		return Table{}, false
	}
	if !utf8.Valid(content) {
		line, mixed := notUTF8(content)
		latin, err := charmap.Windows1252.NewDecoder().Bytes(content)
		if mixed || err != nil || bytes.ContainsRune(latin, utf8.RuneError) {
			many.refuse(skipped+line, "", "Save the table in UTF-8. This line is in another encoding.")
			return many, true
		}
		content, many.Latin = latin, true
	}
	table := csv.NewReader(bytes.NewReader(content))
	table.FieldsPerRecord = -1
	table.Comma = ';'
	switch {
	case comma != 0:
		table.Comma = comma
	case !bytes.Contains(head, []byte(";")):
		table.Comma = ','
	}
	if line := tooWide(string(content), table.Comma); line > 0 {
		many.refuse(skipped+line, "", i18n.Text("Use at most %d columns.").With(maxColumns))
		return many, true
	}
	names, err := table.Read()
	if err != nil {
		many.refuseTable(skipped, err)
		return many, true
	}
	many.checkNames(skipped+1, names)
	if len(many.Findings) > 0 {
		return many, true
	}
	return many.readRows(table, skipped, names), true
}

// tooWide returns the first line with more than maxColumns cells, from 1; 0 for none.
func tooWide(content string, comma rune) int {
	line, cells, quoted := 1, 1, false
	for _, c := range content {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n':
			line++
			if !quoted {
				cells = 1
			}
		case c == comma && !quoted:
			cells++
			if cells > maxColumns {
				return line
			}
		}
	}
	return 0
}

// checkNames reads the names of the columns: spaces around them and capital letters do not count.
func (m *Table) checkNames(line int, names []string) {
	for i, name := range names {
		known := columnOf(name)
		if known == "" {
			m.refuse(line, "", i18n.Text("Remove or rename the column %q. The allowed columns are %s.").With(
				codec.Shown(strings.TrimSpace(name)), strings.Join(tableColumns, ", ")))
			continue
		}
		names[i] = known
		if slices.Index(names, names[i]) != i {
			m.refuse(line, "", i18n.Text("Use the column %q only once.").With(names[i]))
		}
	}
	if !slices.Contains(names, "creditorIban") {
		m.refuse(line, "", "Add the column creditorIban, because every payment needs the IBAN of the creditor.")
	}
}

// separatorLine names the separator of a table to spreadsheet programs.
var separatorLine = regexp.MustCompile(`^(?i:"?sep=(.)"?)[ \t]*$`)

// aboveHead skips empty lines and a line that names the separator; comma is 0 where none does.
func aboveHead(content []byte) (rest []byte, skipped int, comma rune) {
	for {
		line, after, more := bytes.Cut(content, []byte("\n"))
		trimmed := bytes.TrimRight(line, "\r")
		named := separatorLine.FindSubmatch(trimmed)
		switch {
		case named != nil && comma == 0 && strings.Contains(";,\t|", string(named[1])):
			comma = rune(named[1][0])
		case len(bytes.Trim(trimmed, " \t;,")) > 0 || !more:
			return content, skipped, comma
		}
		content, skipped = after, skipped+1
	}
}

// readRows reads the payments below the names. Rows without any value are skipped.
func (m Table) readRows(table *csv.Reader, skipped int, names []string) Table {
	count := 0
	for {
		cells, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.refuseTable(skipped, err)
			break
		}
		if strings.TrimSpace(strings.Join(cells, "")) == "" {
			continue
		}
		number, _ := table.FieldPos(0)
		count++
		if count <= MaxPayments {
			m.row(skipped+number, names, cells)
		}
	}
	if count == 0 && len(m.Findings) == 0 {
		m.refuse(skipped+1, "", "Below the column names, add one line for each payment.")
	}
	return m.limited(count)
}

// tableHead is a first line that names columns, whichever these are: a few words between semicolons or commas, in any encoding.
var tableHead = regexp.MustCompile(`^"?[\pL\w\x{FFFD} .-]{1,40}"?([;,]"?[\pL\w\x{FFFD} .-]{0,40}"?)+[;,]?\r?$`)

// notUTF8 is the first line with bytes that are no UTF-8, from 1. mixed reports whether another line has letters in UTF-8.
func notUTF8(content []byte) (line int, mixed bool) {
	number := 0
	for one := range bytes.Lines(content) {
		number++
		switch {
		case !utf8.Valid(one):
			line = cmp.Or(line, number)
		case bytes.ContainsFunc(one, func(r rune) bool { return r > unicode.MaxASCII }):
			mixed = true
		}
	}
	return line, mixed
}

func (m *Table) refuseTable(skipped int, err error) {
	var broken *csv.ParseError
	line := 0
	if errors.As(err, &broken) {
		line = skipped + broken.Line
	}
	m.refuse(line, "", "Correct the quotation marks in this line. The table cannot be read from this line onwards.")
}

// row makes a line of the cells of one payment.
func (m *Table) row(number int, names, cells []string) {
	if len(cells) != len(names) {
		m.refuse(number, "", i18n.Text("Use %d columns in this line, as in the first line. This line has %d columns.").With(len(names), len(cells)))
		return
	}
	line := Line{Number: number, Scheme: rulebook.SchemeSIC, Values: Values{AddressKind: AddressStructured, RemittanceKind: RemittanceNone}}
	var currency, reference string
	into := map[string]*string{"currency": &currency, "reference": &reference, "message": &line.Values.RemittanceText}
	for _, field := range line.Values.Fields() {
		into[field.Name] = field.Value
	}
	for i, name := range names {
		if len(cells[i]) > maxAnswer || strings.Contains(cells[i], "\x00") {
			m.refuse(number, name, i18n.Text("Enter at most %d bytes of text.").With(maxAnswer))
			return
		}
		*into[name] = strings.TrimSpace(cells[i])
	}
	iban, err := account.ParseInput(line.Values.DebtorAccount)
	if err == nil {
		line.Values.DebtorAccount = iban.String()
	}
	switch strings.ToUpper(currency) {
	case "", "CHF":
	case "EUR":
		line.Scheme = rulebook.SchemeSCT
	default: // stays beside its amount, where a person reads and mends it
		line.Values.Amount = currency + " " + line.Values.Amount
	}
	line.Values.choose(reference)
	m.Lines = append(m.Lines, line)
}

// choose puts a reference where its form belongs. A message stands beside it or alone.
func (v *Values) choose(reference string) {
	plain := strings.ToUpper(strings.ReplaceAll(reference, " ", ""))
	switch {
	case strings.HasPrefix(plain, "RF"):
		v.RemittanceKind, v.CreditorReference = RemittanceReference, reference
	case plain != "":
		v.RemittanceKind, v.QRReference = RemittanceQR, reference
	case v.RemittanceText != "":
		v.RemittanceKind = RemittanceText
	}
}
