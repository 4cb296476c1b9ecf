package views

import (
	"time"

	"countersign/internal/language"
	"countersign/views/ui"
)

// Reference shows which editions of data that others publish the gateway works with.
type Reference struct {
	Shell Shell
	Rows  []ReferenceRow
}

// ReferenceRow is one kind of such data.
type ReferenceRow struct {
	Name     language.Text // "Banks that SIC instant payments reach"
	Edition  language.Text // "2026-10-01", "2025-05", or "none"
	Source   language.Text
	Size     language.Text // "2'203 rows", "" where it does not matter
	LoadedAt time.Time     // zero for what is part of the program
	// Warning says what is wrong with it and what to do; "" when nothing is.
	Warning language.Text
}

func (r ReferenceRow) loaded() language.Text {
	if r.LoadedAt.IsZero() {
		return "with the program"
	}
	return language.Data(ui.DateTime(r.LoadedAt))
}
