package rulebook_test

import (
	"slices"
	"testing"

	"countersign/internal/rulebook"
)

// hostilePayment breaks a rule in each of many texts, as many as fit into the largest document.
func hostilePayment(count int) *document {
	d := swissPayment()
	d.tx.RemittanceInformation.Structured = nil
	d.tx.RemittanceInformation.Unstructured = slices.Repeat([]string{"ж"}, count)
	return d
}

func BenchmarkCheckHostile(b *testing.B) {
	for name, count := range map[string]int{"half": 7_000, "whole": 14_000} {
		b.Run(name, func(b *testing.B) {
			input := rulebook.Input{Scheme: rulebook.SchemeSIC, Document: hostilePayment(count).CustomerCreditTransferInitiation, Today: today}
			b.ReportAllocs()
			for b.Loop() {
				rulebook.Check(input)
			}
		})
	}
}
