package payment

import "strings"

// insertInOrder puts a finding about the payment information before those about its transaction and after those before it: the order
// in which a reader of the document meets them.
func insertInOrder(findings []Finding, f Finding) []Finding {
	at := len(findings)
	for i, other := range findings {
		if strings.Contains(other.Pointer, "/DbtrAgt") || strings.Contains(other.Pointer, "/CdtTrfTxInf/") {
			at = i
			break
		}
	}
	findings = append(findings, Finding{})
	copy(findings[at+1:], findings[at:])
	findings[at] = f
	return findings
}
