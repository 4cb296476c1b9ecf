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

// TestPaymentsGoOnOverTheSchemaOfTheNextVersion: a migration that only adds comes under traffic. Statements that were prepared before it, and
// those after it, go on working.
func TestPaymentsGoOnOverTheSchemaOfTheNextVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 2 {
		id := b.Created(t, maker1)
		a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
		if a.Status != http.StatusOK {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		_, err := b.DB.Owner(t).Exec(t.Context(), `ALTER TABLE message ADD COLUMN IF NOT EXISTS of_next text DEFAULT 'x';
			ALTER TABLE message_version ADD COLUMN IF NOT EXISTS of_next integer; ALTER TABLE document ADD COLUMN IF NOT EXISTS of_next bytea;
			ALTER TABLE audit_event ADD COLUMN IF NOT EXISTS of_next uuid; CREATE INDEX IF NOT EXISTS of_next ON message (of_next);
			CREATE TABLE IF NOT EXISTS next_version (realm text)`)
		must(t, err)
	}
}
