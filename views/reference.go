package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Reference shows which editions of data that others publish the gateway works with.
type Reference struct {
	Layout Layout
	Rows   []ReferenceRow
}

// ReferenceRow is one kind of such data.
type ReferenceRow struct {
	Name     i18n.Text // "Banks that SIC instant payments reach"
	Edition  i18n.Text // "2026-10-01", "2025-05", or "none"
	Source   i18n.Text
	Size     i18n.Text // "2'203 rows", "" where it does not matter
	LoadedAt time.Time // zero for what is part of the program
	// Warning names its defect and the remedy; "" when there is none.
	Warning i18n.Text
}

func (r ReferenceRow) loaded() i18n.Text {
	if r.LoadedAt.IsZero() {
		return "supplied with Countersign"
	}
	return i18n.Data(ui.DateTime(r.LoadedAt))
}
