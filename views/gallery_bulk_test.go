package views_test

import (
	"countersign/views"
	"countersign/views/ui"
)

func bulkItems(count int) []views.BulkItem {
	var items []views.BulkItem
	for _, row := range rows(count) {
		items = append(items, views.BulkItem{
			Binding: row.InternalID + "~1~" + digest, URL: "/queue/" + row.InternalID,
			Reference: row.Reference,
			Kind:      row.Kind, Scheme: row.Scheme, Amount: row.Amount, Toward: row.Toward, Name: row.CreditorName, Account: row.CreditorAccount,
			Purpose: "Rechnung 1107", Maker: row.Maker,
			Flags: row.Flags,
		})
	}
	return items
}

func bulkExhibits() []exhibit {
	compared := views.Bulk{
		Shell: shell("Approve together", views.PlaceQueue), Included: bulkItems(6), LeftOut: bulkItems(2), BackURL: "/queue",
		Action: "/queue/bulk", Totals: []ui.Amount{{Currency: "CHF", Value: "482'310.75"}, {Currency: "EUR", Value: "91'004.20"}},
	}
	compared.LeftOut[0].Said = "Amended after its submission: open it and look at what changed."
	compared.LeftOut[1].Said = "You submitted this. Another person must decide."
	nothing := compared
	nothing.Included, nothing.Totals = nil, nil
	outcome := views.BulkOutcome{
		Shell: shell("Approved together", views.PlaceQueue), Items: bulkItems(3), Approved: 2, Refused: 1, BackURL: "/queue",
		Action: "/queue/bulk",
	}
	for i := range outcome.Items {
		outcome.Items[i].Approved, outcome.Items[i].Said = true, "Approved."
	}
	outcome.Items[1].Approved, outcome.Items[1].Said = false, "7QK4M2XW9TCH3F5A was already approved by Checker 2 at 08:15:22 CET."
	going := outcome
	going.Rest = []string{"a~1~" + digest, "b~1~" + digest}
	selecting := queue()
	selecting.Selecting, selecting.SortURL = true, func(order string) string { return "/queue?sort=" + order }
	return []exhibit{
		{name: "queue-selecting", page: views.QueuePage(selecting)},
		{name: "bulk", page: views.BulkPage(compared)},
		{name: "bulk-nothing", page: views.BulkPage(nothing)},
		{name: "bulk-outcome", page: views.BulkOutcomePage(outcome)},
		{name: "bulk-progress-fragment", page: views.BulkProgress(going), fragment: true},
	}
}
