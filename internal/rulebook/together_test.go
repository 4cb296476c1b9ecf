package rulebook_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// Several changes at once: all findings come, in document order, none twice, each of a known rule. A change may undo what another one needs
// (it may take the account away whose number the next one spoils); such a document is passed over.
func TestChangesTogether(t *testing.T) {
	t.Parallel()
	cases := slices.DeleteFunc(allCases(), func(c ruleCase) bool { return c.change == nil })
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]func() *document{swissPayment, sepaPayment, qrPayment}).Draw(t, "base")
		document := base()
		scheme := rapid.SampledFrom(rulebook.Schemes()).Draw(t, "scheme")
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			chosen := rapid.IntRange(0, len(cases)-1).Draw(t, "case")
			if !applies(cases[chosen], document) {
				return
			}
		}
		findings := rulebook.Check(rulebook.Input{
			Scheme: scheme, Document: document.CustomerCreditTransferInitiation, Today: today, Now: today,
		})
		seen := map[iso20022.Finding]bool{}
		for _, finding := range findings {
			row := rowOf(finding.Rule)
			if seen[finding] || row.Code != finding.Code || !row.HoldsFor(scheme) || finding.Text == "" {
				t.Fatalf("finding %+v stands twice or does not follow its row", finding)
			}
			seen[finding] = true
		}
		inOrder := slices.IsSortedFunc(findings, func(a, b iso20022.Finding) int {
			return rulebook.ComparePointers(a.Pointer, b.Pointer)
		})
		if !inOrder {
			t.Fatalf("findings out of order: %+v", findings)
		}
	})
}

// applies makes the change and reports whether what it needs was there.
func applies(test ruleCase, document *document) (applied bool) {
	defer func() {
		applied = recover() == nil
	}()
	test.change(document)
	return true
}
