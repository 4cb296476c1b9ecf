package request

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Cell is a cell of a table for a spreadsheet.
type Cell struct {
	Text   string
	Number bool // Text is a number with a decimal point
}

// Table writes the rows of a table for a spreadsheet one by one. Close completes it.
type Table interface {
	Row(cells ...Cell) error
	Close() error
}

// XLSXType is the content type of a workbook.
const XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// csvTable is a table that the spreadsheet program of its reader opens by a click: UTF-8 with a byte order mark, semicolons, and the
// decimal sign of the reader's country.
type csvTable struct {
	out     *bufio.Writer
	decimal string
}

// NewTable begins a table: a workbook for the format xlsx, else CSV with this decimal sign.
func NewTable(to io.Writer, format, decimal string) (Table, error) {
	if format == "xlsx" {
		return newXLSXTable(to)
	}
	t := csvTable{bufio.NewWriter(to), decimal}
	_, err := t.out.WriteString("\xef\xbb\xbf")
	return t, err
}

// Row writes one line. Every field is quoted, and no text is taken for a formula.
func (t csvTable) Row(cells ...Cell) error {
	for i, cell := range cells {
		if i > 0 {
			_ = t.out.WriteByte(';') // Flush returns the first error
		}
		text := inert(cell.Text)
		if cell.Number {
			text = strings.Replace(cell.Text, ".", t.decimal, 1)
		}
		_, _ = t.out.WriteString(`"` + strings.ReplaceAll(text, `"`, `""`) + `"`)
	}
	_, err := t.out.WriteString("\r\n")
	return err
}

// Close writes the buffered rest.
func (t csvTable) Close() error { return t.out.Flush() }

// xlsxTable is a workbook of one sheet (ECMA-376, SpreadsheetML). Texts are inline strings, which no program takes for formulas.
type xlsxTable struct {
	archive *zip.Writer
	sheet   *bufio.Writer
}

// workbook are the parts of a workbook beside its sheet.
var workbook = [][2]string{
	{
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
			`</Types>`,
	},
	{
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	},
	{
		"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
			`<sheets><sheet name="Countersign" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	},
	{
		"xl/_rels/workbook.xml.rels",
		`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
	},
}

func newXLSXTable(to io.Writer) (Table, error) {
	archive := zip.NewWriter(to)
	for _, part := range workbook {
		file, err := archive.Create(part[0])
		if err == nil {
			_, err = io.WriteString(file, xml.Header+part[1])
		}
		if err != nil {
			return nil, fmt.Errorf("write a workbook: %w", err)
		}
	}
	file, err := archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, fmt.Errorf("write a workbook: %w", err)
	}
	t := xlsxTable{archive, bufio.NewWriter(file)}
	_, err = t.sheet.WriteString(xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	return t, err
}

// maxCell is the most characters that a cell may have.
const maxCell = 32767

// Row writes one row.
func (t xlsxTable) Row(cells ...Cell) error {
	_, _ = t.sheet.WriteString("<row>") // the last write returns the first error
	for _, cell := range cells {
		switch {
		case cell.Number && cell.Text != "":
			_, _ = t.sheet.WriteString("<c><v>" + cell.Text + "</v></c>")
		default:
			text := cell.Text
			if utf8.RuneCountInString(text) > maxCell {
				text = string([]rune(text)[:maxCell])
			}
			_, _ = t.sheet.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
			_ = xml.EscapeText(t.sheet, []byte(text))
			_, _ = t.sheet.WriteString("</t></is></c>")
		}
	}
	_, err := t.sheet.WriteString("</row>")
	return err
}

// Close completes the workbook.
func (t xlsxTable) Close() error {
	_, err := t.sheet.WriteString("</sheetData></worksheet>")
	if err == nil {
		err = t.sheet.Flush()
	}
	if err == nil {
		err = t.archive.Close()
	}
	if err != nil {
		return fmt.Errorf("complete a workbook: %w", err)
	}
	return nil
}
