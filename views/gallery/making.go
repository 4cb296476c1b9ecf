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

func qrBill() making.QRBill {
	model := making.QRBill{Shell: makerShell("Pay a QR-bill", views.PlaceNew), Text: "SPC", Limit: "256 kB"}
	model.Shell.Failed = true
	model.Problems = []ui.Problem{
		{Field: "text", Text: language.Text("Paste the whole text of the QR code, line by line: EPD must stand in line %d.").With(31)},
		{Field: "picture", Text: "Choose a picture of the QR code as PNG or JPEG, or paste its text."},
	}
	return model
}

// makingExhibits are the pages of the maker's tools.
func makingExhibits() []Exhibit {
	return []Exhibit{
		{Name: "templates", Failed: true, Page: making.TemplatesPage(templates())},
		{Name: "qr-bill", Failed: true, Page: making.QRBillPage(qrBill())},
	}
}
