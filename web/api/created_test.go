package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestACreationNamesWhatIsApproved: the answer has the digest, the state and the number of approvals, and a repeat has those of the first
// answer after the message was amended and decided.
func TestACreationNamesWhatIsApproved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	first := b.ok(t, call{Path: createSwiss, Who: maker1, Body: body})
	id := first.Text("identifiers", "internalId")
	if first.Text("transaction", "contentHash") != b.hashOf(t, id) || first.Text("transaction", "internalId") != id {
		t.Error(first.Body)
	}
	amended := strings.Replace(order(strings.Replace(sample, "Invoice 118", "Invoice 119", 1)), `"identifiers":{"externalId"`, `"identifiers":{"internalId"`, 1)
	amended = amended[:strings.Index(amended, `"internalId":"`)] + `"internalId":"` + id + amended[strings.Index(amended, `"},"Document"`):]
	b.ok(t, call{Path: "/api/sic-inst/v1/instruction/update", Who: maker1, Body: amended})
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", b.hashOf(t, id))})
	again := b.ok(t, call{Path: createSwiss, Who: maker1, Body: body})
	if again.Header.Get("Idempotent-Replayed") != "true" || again.Text("transaction", "state") != "Approval Pending" ||
		again.Text("transaction", "contentHash") != first.Text("transaction", "contentHash") || again.Text("transaction", "contentHash") == b.hashOf(t, id) {
		t.Errorf("%d %s", again.Status, again.Body)
	}
	direct := b.ok(t, call{Path: createSwiss, Who: straight, Body: order(sample)})
	if direct.Text("transaction", "state") != "Processing" || direct.At("transaction", "approvalsRequired") != 0.0 {
		t.Error(direct.Body)
	}
	unknown := b.Send(t, call{Path: createSwiss, Who: maker1, Body: strings.Replace(order(sample), "CHF", "USD", 1)})
	if unknown.Status != http.StatusBadRequest || unknown.At("transaction") != nil {
		t.Errorf("%d %s", unknown.Status, unknown.Body)
	}
}
