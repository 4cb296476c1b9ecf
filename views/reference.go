package views

import (
	"time"

	"countersign/views/ui"
)

// Reference shows which editions of data that others publish the gateway works with.
type Reference struct {
	Shell Shell
	Rows  []ReferenceRow
}

// ReferenceRow is one kind of such data.
type ReferenceRow struct {
	Name     string // "Banks reached by SIC instant payments"
	Edition  string // "2026-10-01", "2025-05", or "none"
	Source   string
	Size     string    // "2,203 rows", "" where it does not matter
	LoadedAt time.Time // zero for what is part of the program
	// Warning says what is wrong with it and what to do; "" when nothing is.
	Warning string
}

func (r ReferenceRow) loaded() string {
	if r.LoadedAt.IsZero() {
		return "with the program"
	}
	return ui.DateTime(r.LoadedAt)
}
