package views

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/internal/orderform"
	"countersign/views/ui"
)

// Upload is the form for a file with one payment or many. POST /payments/upload sends file, or parked: the key of a stored file.
type Upload struct {
	Layout   Layout
	Accepted []i18n.Text // what is taken, one sentence each
	Limit    i18n.Text   // "2 MB"
	Payments int         // most payments of a file
	Account  string      // of the realm, and its Currency, for the example of a table; "" for none
	Currency string
	FileName string // of the refused file
	Kept     string // key of a file that was sent after the session had run out; empty for none
	KeptName string
	Findings []Finding
	Scheme   string      // of what the form can take over
	Answers  [][2]string // the payment of the refused file as fields of the form; none where it cannot be read
	Lost     []orderform.Loss
}

// Finding is a fault of a file.
type Finding struct {
	Line    int    // zero when unknown
	Element string // path of element names
	Text    i18n.Text
	Code    string
}

// FileField is a field for one file, or for a picture.
type FileField struct {
	ID      string
	Label   i18n.Text
	Hint    i18n.Text
	Accept  string // media types and endings
	Camera  bool   // telephones offer their camera
	Problem ui.Problem
}

func (m Upload) field() FileField {
	return FileField{
		ID: "file", Label: "Payment file", Accept: ".xml,.csv,application/xml,text/xml,text/csv",
		Hint: i18n.Text("Files of up to %s, with up to %d payments.").With(m.Limit, m.Payments),
	}
}

// show leads to the first problem.
func (m Upload) show() i18n.Text {
	if len(m.Findings) == 1 {
		return "Show details"
	}
	return "Show the problems"
}

// example returns the example of a column of a table. That of an account is one of the realm, "" where it has none.
func (m Upload) example(column orderform.Column) string {
	switch {
	case column.Name == "debtorAccount":
		return m.Account
	case column.Name == "currency" && m.Currency != "":
		return m.Currency
	}
	return column.Example
}

// sample returns the address of a table with one payment, to be filled in. The byte order mark tells spreadsheet programs that it is UTF-8.
func (m Upload) sample() templ.SafeURL {
	names, examples := make([]string, 0, len(orderform.Columns)), make([]string, 0, len(orderform.Columns))
	for _, column := range orderform.Columns {
		names, examples = append(names, column.Name), append(examples, m.example(column))
	}
	table := "\ufeff" + strings.Join(names, ";") + "\r\n" + strings.Join(examples, ";") + "\r\n"
	return templ.SafeURL("data:text/csv;charset=utf-8," + url.PathEscape(table))
}
