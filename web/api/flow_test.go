package api_test

import (
	"net/http"
	"testing"
)

func TestAPaymentIsCreatedByOneAndApprovedByAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, sample := range map[string]string{createSwiss: sample, createEuropean: europeanSample} {
		a := b.Send(t, call{Path: path, Who: maker1, Body: order(sample)})
		if a.Status != http.StatusOK || a.GroupStatus() != "PNDG" {
			t.Fatalf("create: %d %s", a.Status, a.Body)
		}
		id := a.Text("identifiers", "internalId")
		a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
		if a.Status != http.StatusOK || a.GroupStatus() != "ACSP" {
			t.Fatalf("approve: %d %s", a.Status, a.Body)
		}
		a = b.Send(t, get("/api/common/v1/transaction/"+id, supervisor1))
		if a.Status != http.StatusOK || a.Text("transaction", "state") != "Approved" || a.Text("transaction", "createdBy") != "maker1" {
			t.Errorf("read: %d %s", a.Status, a.Body)
		}
		if a.Text("transaction", "approvals", 0, "by") != "Checker 1" {
			t.Errorf("approvals: %s", a.Body)
		}
	}
}
