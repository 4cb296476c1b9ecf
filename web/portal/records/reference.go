package records

import (
	"net/http"
	"time"

	"countersign/internal/directory"
	"countersign/internal/iso20022/code"
	"countersign/internal/language"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// showReference lists the editions of the data that others publish and payments are checked with.
func showReference(v *visit) error {
	loaded, err := v.Config.Reader.Directories(v.Context(), v.By.Realm)
	if err != nil {
		return err
	}
	model := views.Reference{Shell: v.Shell("Reference data", views.PlaceNone)}
	for _, scheme := range rulebook.Schemes() {
		row := views.ReferenceRow{
			Name: language.Text("Banks that %s instant payments reach").With(ui.SchemeLabel(string(scheme))), Edition: "none",
			Source:  "countersign directory import",
			Warning: withoutDirectory(scheme),
		}
		for _, d := range loaded {
			if d.Scheme == string(scheme) {
				row = v.directoryRow(row.Name, d)
			}
		}
		model.Rows = append(model.Rows, row)
	}
	codes := views.ReferenceRow{Name: "External code sets of ISO 20022", Edition: code.Published, Source: "ISO 20022, external code sets"}
	published, err := time.Parse("2006-01", code.Published)
	if err == nil && directory.Stale(published.AddDate(0, 1, 0), v.At) {
		codes.Warning = "Older than a quarter: a purpose that is new since is refused. A newer program brings newer codes."
	}
	model.Rows = append(
		model.Rows, codes,
		views.ReferenceRow{
			Name: "Accounts of each country (IBAN)", Edition: "by country", Source: "IBAN registry (ISO 13616), as public lists have it",
		},
		views.ReferenceRow{Name: "Banking days of euro payments", Edition: "by rule", Source: "European Central Bank, TARGET calendar"},
		views.ReferenceRow{Name: "Banking days of Swiss franc payments", Edition: "by rule", Source: "bank holidays of Zurich"},
	)
	return v.Render(http.StatusOK, views.ReferencePage(model))
}

func (v *visit) directoryRow(name language.Text, d store.DirectorySummary) views.ReferenceRow {
	row := views.ReferenceRow{
		Name: name, Edition: language.Data(d.Edition.Format(time.DateOnly)), Source: d.Source, Size: language.Text("%d rows").
			With(d.Entries), LoadedAt: d.LoadedAt,
	}
	switch {
	case d.Broken:
		row.Warning = "It is not what was imported, so every payment is refused. " +
			"Tell an operator, who runs countersign check and imports it anew."
	case directory.Stale(d.Edition, v.At):
		row.Warning = "Older than a quarter. Tell an operator, who imports the directory of today."
	}
	return row
}

// withoutDirectory says what it means that no directory is loaded.
func withoutDirectory(scheme rulebook.Scheme) language.Text {
	if scheme == rulebook.SchemeSCT {
		return "An order must name the BIC of the creditor's bank, and whom instant payments reach is not known."
	}
	return "Whom instant payments reach is not known before clearing answers."
}
