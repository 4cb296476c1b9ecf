package request

import (
	"bytes"
	"regexp"
	"strings"
)

// MIME is the media type in Accept of a caller who wants a table.
const MIME = "text/csv"

// ContentType is the content type of a table.
const ContentType = MIME + "; charset=utf-8"

// CSV writes rows, the line of names first. Every field is quoted: where a spreadsheet takes another sign than the comma for the
// separator, bare text would begin new cells.
func CSV(rows [][]string) []byte {
	var table bytes.Buffer
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				table.WriteByte(',')
			}
			table.WriteString(`"` + strings.ReplaceAll(inert(cell), `"`, `""`) + `"`)
		}
		table.WriteString("\r\n")
	}
	return table.Bytes()
}

// formula finds where a spreadsheet would see a formula begin, with a usual or a full-width sign: at the start of a cell, and after what
// may separate cells (semicolon, tab, end of line) in the spreadsheet of a reader. Blanks and quotes before the sign are lost on import.
var formula = regexp.MustCompile("(^|[;\t\r\n])([ \"]*[=+\\-@\uff1d\uff0b\uff0d\uff20])")

// inert keeps a spreadsheet from taking a text for a formula: names, reasons and request ids are typed by people. An apostrophe before
// makes it text.
func inert(cell string) string { return formula.ReplaceAllString(cell, "${1}'${2}") }
