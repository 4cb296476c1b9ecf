package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Report is a control report: the numbers of a period, or the rows behind one of them.
type Report struct {
	Layout   Layout
	Heading  i18n.Text
	Words    i18n.Text
	Form     *ReportPeriod // asks for another period; nil on the rows of a number
	BackURL  string        // the numbers; empty there
	TableURL string        // the rows for a spreadsheet; empty for none
	Columns  []i18n.Text
	Rows     []ReportRow
	Empty    ui.Empty // shown when there are no rows
}

// ReportPeriod is the period of a report, sent by GET as from and to: 20.11.2026.
type ReportPeriod struct{ From, To string }

// ReportRow is one line; its first cell links to its page, if there is one.
type ReportRow struct {
	URL   string
	Cells []i18n.Text
}

// step is the number of columns that share a place: of many, each second stands below the one before it, with its name.
func (r Report) step() int {
	if len(r.Columns) > 7 {
		return 2
	}
	return 1
}

func (p ReportPeriod) field(id string, label i18n.Text, value string) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Hint: "For example, 20.11.2026", Optional: true}
}
