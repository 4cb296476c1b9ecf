package screens

import (
	"slices"

	"countersign/internal/i18n"
	"countersign/views"
	"countersign/views/ui"
)

func bulkItems(count int) []views.BulkItem {
	var items []views.BulkItem
	for _, row := range rows(count) {
		items = append(items, views.BulkItem{
			Binding: row.InternalID + "~1~" + digest, URL: "/queue/" + row.InternalID,
			Reference: row.Reference,
			Kind:      row.Kind, Scheme: row.Scheme, Amount: row.Amount, Toward: row.Toward, Name: row.CreditorName,
			Account: row.CreditorAccount,
			Purpose: "Rechnung 1107", Maker: row.Maker,
			Flags: row.Flags,
		})
	}
	return items
}

func bulkExhibits() []Exhibit {
	items := bulkItems(9)
	compared := views.Bulk{
		Shell: shell("Approve together", views.PlaceQueue), Included: slices.Concat(items[:2], items[3:7]), BackURL: "/queue",
		LeftOut: []views.BulkItem{items[2], items[8]},
		Action:  "/queue/bulk", Totals: []ui.Amount{{Currency: "CHF", Value: "482'310.75"}, {Currency: "EUR", Value: "91'004.20"}},
	}
	compared.Included[1].Cautions = []i18n.Text{
		i18n.Text("Possible duplicate: %d payments like this within 7 days").With(2), "Another name than before",
	}
	compared.LeftOut[0].Said = "Amended after its submission: open it and look at what changed."
	compared.LeftOut[1].Said = i18n.Sentence("You submitted this on 2026-11-20 07:14 UTC. Another person must decide.")
	nothing := compared
	nothing.Included, nothing.Totals = nil, nil
	outcome := views.BulkOutcome{
		Shell: shell("Approved together", views.PlaceQueue), Items: bulkItems(3), Approved: 2, Refused: 1, BackURL: "/queue",
		Action: "/queue/bulk",
	}
	for i := range outcome.Items {
		outcome.Items[i].Approved, outcome.Items[i].Said = true, "Approved."
	}
	outcome.Items[1].Approved, outcome.Items[1].Said = false, i18n.Text("%s was already approved by %s at %s.").
		With("7QK4M2XW9TCH3F5A", "Checker 2", "08:15:22 CET")
	going := outcome
	going.Rest = []string{"a~1~" + digest, "b~1~" + digest}
	selecting := queue()
	selecting.Selecting, selecting.SortURL = true, func(order string) string { return "/queue?sort=" + order }
	saved := views.SavedViews{
		Shell: shell("Saved views", views.PlaceQueue), Query: "?amountFrom=1000&sort=largest",
		Words: []i18n.Text{i18n.Text("from (an amount) %s").With("1000"), "Largest amount first"},
		Views: []views.SavedView{
			{
				ID: "1", Name: "Large today", URL: "/queue?amountFrom=1000", Own: true, Shared: true,
				Words: []i18n.Text{i18n.Text("from (an amount) %s").With("1000")},
			},
			{ID: "2", Name: "Old ones", URL: "/queue?age=4h", Words: []i18n.Text{"4 hours or more"}, Owner: "Checker 2", Shared: true},
		},
	}
	refused := saved
	refused.Changed, refused.Problems = "1", []ui.Problem{{Field: "name-1", Text: "Enter a name, such as “Large today”."}}
	refused.Shell.Failed = true
	selecting.Rows[1].Looked = i18n.Text("%s is looking at this").With("Checker 2")
	return []Exhibit{
		{Name: "saved-views", Page: views.SavedViewsPage(saved)},
		{Name: "saved-views-refused", Page: views.SavedViewsPage(refused), Failed: true},
		{Name: "queue-selecting", Page: views.QueuePage(selecting)},
		{Name: "bulk", Page: views.BulkPage(compared)},
		{Name: "bulk-nothing", Page: views.BulkPage(nothing)},
		{Name: "bulk-outcome", Page: views.BulkOutcomePage(outcome)},
		{Name: "bulk-progress-fragment", Page: views.BulkProgress(going), Fragment: true},
	}
}
