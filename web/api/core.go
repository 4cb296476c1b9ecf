package api

import (
	"cmp"

	"countersign/internal/payment"
)

// coreOf writes what core banking said of a payment; nil when there is no record.
func coreOf(b *payment.CoreBooking) *Core {
	if b == nil {
		return nil
	}
	if b.Withheld != "" {
		return &Core{Outcome: "withheld", Text: b.Withheld}
	}
	return &Core{
		Outcome: cmp.Or(string(b.Answer.Outcome), "asked"), Code: b.Answer.Code, Text: b.Answer.Text, At: moment(b.Answer.At),
		Told: string(b.Told), ToldAt: moment(b.ToldAt),
	}
}
