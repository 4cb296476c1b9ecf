package portal

import (
	"net/http"
	"time"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showReference lists the editions of the data that others publish and payments are checked with.
func showReference(v *Request) error {
	loaded, err := v.Config.Reader.Directories(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
	model := views.Reference{Layout: v.layout("Reference data", views.PlaceNone)}
	for _, scheme := range rulebook.Schemes() {
		row := views.ReferenceRow{
			Name: i18n.Text("Banks that can receive %s instant payments").With(ui.SchemeLabel(string(scheme))), Edition: "none",
			Source:  i18n.Data("countersign directory import"),
			Warning: withoutDirectory(scheme),
		}
		for _, d := range loaded {
			if d.Scheme == string(scheme) {
				row = v.directoryRow(row.Name, d)
			}
		}
		model.Rows = append(model.Rows, row)
	}
	imported, err := v.Config.Reader.References(v.Context())
	if err != nil {
		return err
	}
	codes := views.ReferenceRow{
		Name: "External code sets of ISO 20022", Edition: i18n.ISODate(code.Published), Source: "ISO 20022, external code sets",
		Warning: "The ISO codes are more than three months old, so newer purpose codes are refused. Ask an operator to import the current " +
			"codes.",
	}
	model.Rows = append(model.Rows, v.editionRow(codes, imported, store.ReferenceCodes, "", code.Builtin().Day()), views.ReferenceRow{
		Name: "IBAN formats by country", Edition: "varies by country", Source: "IBAN registry (ISO 13616), as published in public lists",
	})
	for _, scheme := range rulebook.Schemes() {
		model.Rows = append(model.Rows, v.calendarRow(imported, scheme))
	}
	return v.Render(http.StatusOK, views.ReferencePage(model))
}

// calendarRow shows the calendar by which the deadlines of a scheme are counted.
func (v *Request) calendarRow(imported []store.ReferenceSummary, scheme rulebook.Scheme) views.ReferenceRow {
	row := views.ReferenceRow{
		Name: "Banking days for Swiss franc payments", Edition: i18n.ISODate(calendar.Written), Source: "Bank holidays in Zurich",
		Warning: "This calendar is more than three months old, so deadlines may be wrong by a day. Ask an operator to import the current " +
			"calendar.",
	}
	if scheme == rulebook.SchemeSCT {
		row.Name, row.Source = "Banking days for euro payments", "European Central Bank, TARGET calendar"
	}
	day, _ := time.Parse(time.DateOnly, calendar.Written) // a constant
	return v.editionRow(row, imported, store.ReferenceCalendar, string(scheme), day)
}

// editionRow shows the edition in force: the imported one, else the one of the row, which is of the day and part of the program. The
// warning of the row stays for an old edition, and gives way to that of a changed one.
func (v *Request) editionRow(
	row views.ReferenceRow, imported []store.ReferenceSummary, kind store.ReferenceKind, scheme string, day time.Time,
) views.ReferenceRow {
	if edition, found := store.ReferenceInForce(imported, kind, scheme, v.Today()); found {
		row.Edition, row.LoadedAt, row.Source = i18n.Data(ui.Day(edition.Edition)), edition.LoadedAt, i18n.Data(edition.Source)
		row.Size, day = i18n.Text("%d rows").With(edition.Entries), edition.Edition
	}
	if !account.Stale(day, v.At) {
		row.Warning = ""
	}
	for _, edition := range imported {
		if edition.Broken && edition.Kind == kind && edition.Covers(scheme) {
			row.Warning = "An edition of the reference data was changed after it was imported, so it is not used. Ask an operator to run " +
				"“countersign check” and import the edition again."
		}
	}
	return row
}

func (v *Request) directoryRow(name i18n.Text, d store.DirectorySummary) views.ReferenceRow {
	row := views.ReferenceRow{
		Name: name, Edition: i18n.Data(ui.Day(d.Edition)), Source: i18n.Data(d.Source), Size: i18n.Text("%d rows").
			With(d.Entries), LoadedAt: d.LoadedAt,
	}
	switch {
	case d.Broken:
		row.Warning = "Every payment is refused because the stored bank directory differs from the imported directory. Ask an operator to " +
			"run “countersign check” and import the directory again."
	case account.Stale(d.Edition, v.At):
		row.Warning = "This directory is more than three months old. Ask an operator to import the current directory."
	}
	return row
}

// withoutDirectory explains the effect of a missing directory.
func withoutDirectory(scheme rulebook.Scheme) i18n.Text {
	if scheme == rulebook.SchemeSCT {
		return "Enter the BIC of the creditor's bank for each payment, because the bank cannot be found from the IBAN."
	}
	return "Without this directory, only the answer from clearing shows whether a bank can be reached."
}
