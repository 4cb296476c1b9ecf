package rulebook_test

import (
	"slices"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// hostilePayment breaks a rule in each of many texts, as many as fit into the largest document.
func hostilePayment(count int) *document {
	d := swissPayment()
	d.tx.RemittanceInformation.Structured = nil
	d.tx.RemittanceInformation.Unstructured = slices.Repeat([]string{"ж"}, count)
	return d
}

// However many places break a rule, the answer stays readable and says that it is not the whole.
func TestThousandsOfFindingsAreCutShort(t *testing.T) {
	t.Parallel()
	check := func(count int) []iso20022.Finding {
		return rulebook.Check(rulebook.Input{
			Scheme: rulebook.SchemeSIC, Document: hostilePayment(count).CustomerCreditTransferInitiation, Today: today,
		})
	}
	// One more finding says that there is one text only.
	if findings := check(198); len(findings) != 199 || findings[198].Rule == rulebook.RuleMoreFindings {
		t.Errorf("%d findings, the last %+v", len(findings), findings[len(findings)-1])
	}
	for _, count := range []int{199, 14_000} {
		findings := check(count)
		last := findings[len(findings)-1]
		if len(findings) != 200 || last.Rule != rulebook.RuleMoreFindings || last.Code != rowOf(rulebook.RuleMoreFindings).Code {
			t.Errorf("%d findings for %d texts, the last %+v", len(findings), count, last)
		}
	}
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
