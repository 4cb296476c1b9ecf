package screens

import (
	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

func templates() views.NamedList {
	shown := i18n.Data("SIC · Beispiel Holzbau GmbH · CHF 1'234.50")
	model := views.NamedList{
		Search: ui.Field{ID: "q", Label: "Search the list", Kind: "search"},
		Layout: makerShell("Templates", views.PlaceTemplates), Title: "Templates", URL: "/templates", PayURL: "/templates/pay",
		SaveURL: "/templates?draft=x", Saved: shown,
		Limit: 60,
		Words: views.NamedWords{Heading: "Save as a template", Save: "Save template", Sharing: "All makers in the realm can use this template"},
		Entries: []views.NamedEntry{
			{
				ID: "x", Name: "Rent", URL: "/payments/new?template=x", Words: "Beispiel Holzbau GmbH", Shared: true, Own: true,
				Account: "CH4431999123000889012", Amount: ui.Amount{Currency: "CHF", Value: "1'234.50"}, Paid: "29.10.2026, CHF 1'234.50",
			},
			{
				ID: "z", Name: "Muster Treuhand AG", URL: "/payments/new?template=z", Words: "Muster Treuhand AG", Own: true,
				Account: "CH5604835012345678009", Paid: "not paid yet",
			},
			{ID: "y", Name: "Cleaning", Words: "This template cannot be opened because it was saved with a key that no longer " +
				"exists.", Owner: "Maker 2"},
		},
		Problems: []ui.Problem{{Field: "name", Text: "Enter a name, such as “Rent”."}},
	}
	model.Layout.Failed = true
	return model
}

func qrBill() views.QRBill {
	model := views.QRBill{Layout: makerShell("Pay a QR-bill", views.PlaceBill), Text: "SPC", Limit: i18n.Text("%d MB").With(10)}
	model.Layout.Failed = true
	model.Problems = []ui.Problem{
		{Field: "text", Text: i18n.Text("Paste the whole text of the QR code with its line breaks. Line %d must be EPD.").With(31)},
		{Field: "picture", Text: "Choose a PNG or JPEG picture of the QR code, or paste the text of the QR code."},
	}
	return model
}

// batchLines are payments of a file: one that is ready, one with findings, one that looks like an earlier one, and one more.
func batchLines() []views.BatchLine {
	line := func(number int, name, account, amount string) views.BatchLine {
		return views.BatchLine{
			Line: number, Name: name, Account: account, Amount: ui.Amount{Currency: "CHF", Value: amount},
			State: "Ready", URL: "/payments/x/edit", Label: "Change",
		}
	}
	lines := []views.BatchLine{
		line(1, "Beispiel Holzbau GmbH", "CH4431999123000889012", "1'234.50"),
		line(2, "Beispiel und Söhne Rohrleitungs- und Anlagenbau GmbH", "CH4821966000009613389", "10,2,5"),
		line(3, "Muster Treuhand AG", "CH9300762011623852957", "540.20"),
		line(4, "Petra Muster", "CH4821966000009613388", "99.85"),
	}
	lines[1].State, lines[1].Label = "Needs correction", "Correct"
	lines[1].Problems = []views.LineProblem{
		{
			Problem: ui.Problem{Text: "The check digits of the IBAN are wrong. Compare the IBAN with the invoice.", Code: "AC01"},
			Where:   "Creditor IBAN",
		},
		{Problem: ui.Problem{Text: ambiguous()}, Where: "Amount"},
	}
	lines[3].Changes = []views.Change{{Field: "Street", Before: "Straße der Räte", After: "Strasse der Raete"}}
	lines[2].State, lines[2].Label = "To be checked", "Check and submit"
	lines[2].Problems = []views.LineProblem{{
		Problem: ui.Problem{Text: "A similar payment was entered in the last 7 days. Explain why this payment is also needed."},
	}}
	return lines
}

// batch is a file of which the given lines are submitted, and so many are ready.
func batch(submitted []int, ready int) views.Batch {
	model := views.Batch{
		Layout: makerShell("Payments from a file", views.PlaceUpload), FileName: "Lohn November.csv", Action: "/payments/batches/x/submit",
		From:  1,
		Lines: batchLines(), Submitted: len(submitted), Ready: ready, Totals: []ui.Amount{{Currency: "CHF", Value: "1'334.35"}},
	}
	model.Payments = len(model.Lines)
	for _, line := range submitted {
		done := &model.Lines[line-1]
		done.State, done.URL, done.Label, done.Problems = "Submitted", "/payments/y", "Show details", nil
		done.Changes = nil
	}
	return model
}

// batchExhibits are the faces of a file of many payments.
func batchExhibits() []Exhibit {
	drafts := batch(nil, 2)
	drafts.Lines = append(drafts.Lines[:1:1], drafts.Lines[3:]...)
	drafts.Payments = len(drafts.Lines)
	going := batch([]int{1}, 1)
	going.Going, going.From = true, 4
	return []Exhibit{
		{Name: "batch-going", Page: views.BatchPage(going)},
		{Name: "batch", Page: views.BatchPage(drafts)},
		{Name: "batch-findings", Page: views.BatchPage(batch(nil, 2))},
		{Name: "batch-some", Page: views.BatchPage(batch([]int{1, 4}, 0))},
		{Name: "batch-submitted", Page: views.BatchPage(batch([]int{1, 2, 3, 4}, 0))},
	}
}

// makingExhibits are the pages of the maker's tools.
func makingExhibits() []Exhibit {
	return append(batchExhibits(), []Exhibit{
		{Name: "templates", Failed: true, Page: views.NamedPage(templates())},
		{Name: "qr-bill", Failed: true, Page: views.QRBillPage(qrBill())},
	}...)
}
