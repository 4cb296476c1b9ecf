package web_test

import (
	"net/http"
	"testing"
)

func TestAPaymentIsCreatedByOneAndApprovedByAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, sample := range map[string]string{createSwiss: sample, createEuropean: europeanSample} {
		a := b.send(t, call{path: path, who: maker1, body: order(sample)})
		if a.status != http.StatusOK || a.groupStatus() != "PNDG" {
			t.Fatalf("create: %d %s", a.status, a.body)
		}
		id := a.text("identifiers", "internalId")
		a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
		if a.status != http.StatusOK || a.groupStatus() != "ACSP" {
			t.Fatalf("approve: %d %s", a.status, a.body)
		}
		a = b.send(t, get("/api/common/v1/transaction/"+id, supervisor1))
		if a.status != http.StatusOK || a.text("transaction", "state") != "Approved" || a.text("transaction", "createdBy") != "maker1" {
			t.Errorf("read: %d %s", a.status, a.body)
		}
		if a.text("transaction", "approvals", 0, "by") != "Checker 1" {
			t.Errorf("approvals: %s", a.body)
		}
	}
}
