package views

import (
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// coreWords is the answer of core banking about a payment, in words.
var coreWords = map[payment.CoreOutcome]i18n.Text{
	"":                    "No answer from core banking yet",
	payment.CoreNotAsked:  "Core banking was not asked about this payment",
	payment.CoreAccepted:  "Accepted by core banking",
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
	if b.Answer.Outcome != payment.CoreNotAsked && !b.Answer.At.IsZero() {
		row.Details = append(row.Details, i18n.Text("Core banking was asked about this payment on %s.").With(ui.DateTime(b.Answer.At)))
	}
	switch b.Told {
	case payment.CoreSettled:
		row.Details = append(row.Details, i18n.Text("Core banking was told on %s that the payment was settled.").With(ui.DateTime(b.ToldAt)))
	case payment.CoreFailed:
		row.Details = append(row.Details, i18n.Text("Core banking was told on %s that the payment failed.").With(ui.DateTime(b.ToldAt)))
	}
	return row
}
