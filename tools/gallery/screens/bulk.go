package screens

import (
	"slices"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

// kindTotals are the sums of payments and the number of recalls.
func kindTotals() []views.KindTotal {
	return []views.KindTotal{
		{Kind: payment.KindInstruction, Count: 5, Sums: []ui.Amount{
			{Currency: "CHF", Value: "482'310.75"}, {Currency: "EUR", Value: "91'004.20"},
		}},
		{Kind: payment.KindRecall, Count: 1},
	}
}

func bulkItems(count int) []views.BulkItem {
	var items []views.BulkItem
	for index, row := range rows(count) {
		row.URL, row.Purpose = "/queue/"+row.ID, "Rechnung 1107"
		item := views.BulkItem{Entry: row, Kind: payment.KindInstruction, Binding: row.ID + "~1~" + digest, Account: "CH4431999123000889012"}
		if index%5 == 1 {
			item.Account = "DE62007620110623852957"
		}
		kind, scheme := row.Facts[:len(row.Facts)-3], row.Facts[len(row.Facts)-2:]
		item.Facts = append(slices.Clone(kind), scheme...)
		items = append(items, item)
	}
	return items
}

// savedViews are the page of saved views of the queue, and the page that refused a name.
func savedViews() (saved, refused views.NamedList) {
	large := i18n.Text("from (an amount) %s").With("1000")
	query := "?amountFrom=1000&sort=largest"
	saved = views.NamedList{
		Layout: shell("Saved views", views.PlaceQueue), Title: "Saved views", URL: "/queue/views", SaveURL: "/queue/views" + query,
		Back: ui.Step{Label: "Back to the queue", URL: "/queue" + query}, Saved: i18n.Join(", ", large, "Largest amount first"), Limit: 40,
		Words: views.NamedWords{Heading: "Save this view of the queue", Save: "Save view", Sharing: "Visible to everyone in the realm"},
		Entries: []views.NamedEntry{
			{ID: "1", Name: "Large today", URL: "/queue?amountFrom=1000", Own: true, Shared: true, Words: large},
			{ID: "2", Name: "Old ones", URL: "/queue?age=4h", Words: "4 hours or more", Owner: "Checker 2", Shared: true},
		},
	}
	refused = saved
	refused.Changed, refused.Problems = "1", []ui.Problem{{Field: "name-1", Text: "Enter a name, such as “Large today”."}}
	refused.Layout.Failed = true
	return saved, refused
}

func bulkExhibits() []Exhibit {
	items := bulkItems(9)
	compared := views.Bulk{
		Layout: shell("Approve together", views.PlaceQueue), Included: slices.Concat(items[:1], items[3:7]), Odd: items[1:2], BackURL: "/queue",
		LeftOut: []views.BulkItem{items[2], items[8]},
		Action:  "/queue/bulk", Totals: kindTotals(),
	}
	compared.Odd[0].Act = i18n.Text("Approve the payment of %s to %s").With("EUR 8'137.13", "Gemeinde Musterlingen")
	compared.Odd[0].Cautions = []views.Warning{
		{
			Title: i18n.Text("Possible duplicate: same account and amount entered %d times in the last 7 days").With(2),
			Text:  "Another payment has the same creditor account and the same amount.",
		},
		{Title: "New name for this account"},
	}
	compared.Odd[0].Talk = []views.Said{{By: "Maker 1", Text: i18n.Text("Reason for paying again: %s").With("Zweite Rate"), Note: true}}
	compared.LeftOut[0].Said = "This payment was amended after submission. Open it and check what changed."
	compared.LeftOut[1].Said = i18n.Text("You %s this payment or request on %s. Another person must approve or reject it.").
		With(i18n.Text("submitted"),
			i18n.Minute(time.Date(2026, 11, 20, 7, 14, 0, 0, time.UTC)))
	file := compared
	file.Odd = slices.Clone(file.Odd)
	file.Odd[0].Act = ""
	file.File, file.FileName, file.Checked, file.All, file.Waiting = "x", "Lohn.xml", digest, 9, 8
	file.Marks = []views.MarkCount{{Text: "New name for this account", Count: 1}}
	file.Layout.Failed, file.Problems = true, []ui.Problem{{
		Field: "looked", Text: "Nothing was approved. Check the marked payments, and confirm that you have checked them.", Code: "CH21",
	}}
	nothing := compared
	nothing.Included, nothing.Odd, nothing.Totals = nil, nil, nil
	outcome := views.BulkOutcome{
		Layout: shell("Payments approved together", views.PlaceQueue), Items: bulkItems(3), Approved: 2, Refused: 1, BackURL: "/queue",
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
	selecting.Rows[1].Looked = i18n.Text("%s is viewing this item").With("Checker 2")
	saved, refused := savedViews()
	return []Exhibit{
		{Name: "saved-views", Page: views.NamedPage(saved)},
		{Name: "saved-views-refused", Page: views.NamedPage(refused), Failed: true},
		{Name: "queue-selecting", Page: views.QueuePage(selecting)},
		{Name: "bulk", Page: views.BulkPage(compared)},
		{Name: "bulk-file-refused", Page: views.BulkPage(file), Failed: true},
		{Name: "bulk-nothing", Page: views.BulkPage(nothing)},
		{Name: "bulk-outcome", Page: views.BulkOutcomePage(outcome)},
		{Name: "bulk-progress-fragment", Page: views.BulkProgress(going), Fragment: true},
	}
}
