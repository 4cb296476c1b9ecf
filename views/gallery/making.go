package gallery

import (
	"countersign/internal/language"
	"countersign/views"
	"countersign/views/making"
	"countersign/views/ui"
)

func templates() making.Templates {
	shown := language.Data("SIC · Beispiel Holzbau GmbH · CHF 1'234.50")
	model := making.Templates{
		Shell: makerShell("Templates", views.PlaceNew), SaveURL: "/templates?draft=x", Saved: shown,
		Templates: []making.Template{
			{ID: "x", Name: "Rent", URL: "/payments/new?template=x", Words: shown, Shared: true, Own: true},
			{ID: "y", Name: "Cleaning", Words: "It was saved under a key that is gone.", Owner: "Maker 2"},
		},
		Problems: []ui.Problem{{Field: "name", Text: "Enter a name, such as “Rent”."}},
	}
	model.Shell.Failed = true
	return model
}

// makingExhibits are the pages of the maker's tools.
func makingExhibits() []Exhibit {
	return []Exhibit{
		{Name: "templates", Failed: true, Page: making.TemplatesPage(templates())},
	}
}
