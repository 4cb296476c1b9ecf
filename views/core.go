package views

import (
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// coreWords is the answer of core banking about a payment, in words.
var coreWords = map[payment.CoreOutcome]i18n.Text{
	"":                    "Requested, no answer yet",
	payment.CoreNotAsked:  "Not asked",
	payment.CoreAccepted:  "Agreed",
	payment.CoreRefused:   "Refused",
	payment.CoreUnreached: "No answer in time",
}

// CoreRow shows the answer of core banking about a payment, and the end reported to it; an empty row without a record.
func CoreRow(b *payment.CoreBooking) ui.Row {
	row := ui.Row{Term: "Core banking"}
	switch {
	case b == nil:
		return row
	case b.Withheld != "":
		row.Text = b.Withheld
		return row
	}
	row.Text = coreWords[b.Answer.Outcome]
	if b.Answer.Code != "" {
		row.Details = append(row.Details, i18n.Join(" ", i18n.Data(b.Answer.Code), i18n.Data(b.Answer.Text)))
	}
	if !b.Answer.At.IsZero() {
		row.Details = append(row.Details, i18n.Text("Asked at %s.").With(ui.DateTime(b.Answer.At)))
	}
	switch b.Told {
	case payment.CoreSettled:
		row.Details = append(row.Details, i18n.Text("Informed at %s that it settled.").With(ui.DateTime(b.ToldAt)))
	case payment.CoreFailed:
		row.Details = append(row.Details, i18n.Text("Informed at %s that it failed.").With(ui.DateTime(b.ToldAt)))
	}
	return row
}
