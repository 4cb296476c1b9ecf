package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/stationtest"
)

// updatedTo amends a payment of the sample to another amount.
func (b *bundle) updatedTo(t *testing.T, who person, id, amount string) answer {
	t.Helper()
	body := strings.ReplaceAll(updateOf(id, order(sample)), "199.95", amount)
	return b.send(t, call{path: "/api/sic-inst/v1/instruction/update", who: who, body: body})
}

// TestAnAmendedPaymentIsApprovedByItsContentOnly: content that nobody read leaves by no request.
func TestAnAmendedPaymentIsApprovedByItsContentOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	if a := b.updatedTo(t, maker2, id, "9999.00"); a.status != http.StatusOK {
		t.Fatalf("update: %d %s", a.status, a.body)
	}
	a := b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
	got := found(a)
	if a.status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash CH21" ||
		!strings.Contains(a.body, "Read the message again: it was amended.") {
		t.Errorf("without a digest: %d %s", a.status, a.body)
	}
	if a = b.send(t, get("/api/common/v1/transaction/"+id, checker1)); a.text("transaction", "state") != "Approval Pending" {
		t.Errorf("afterwards: %s", a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "reject", "rejectReason", "not ours")})
	if a.status != http.StatusOK {
		t.Errorf("a rejection needs no digest: %d %s", a.status, a.body)
	}
}

// TestAnUpdateIsAskedItsPolicyAgain: a payment of one approval does not become one of two.
func TestAnUpdateIsAskedItsPolicyAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	for _, who := range []person{maker1, maker2} {
		a := b.updatedTo(t, who, id, "10000.00")
		if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || !strings.Contains(a.body, "Withdraw it and enter it anew.") {
			t.Errorf("%s: %d %s", who.user, a.status, a.body)
		}
	}
	a := b.send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.at("transaction", "version") != 1.0 || a.text("transaction", "amount", "value") != "199.95" {
		t.Errorf("afterwards: %s", a.body)
	}
	if a = b.send(t, get("/api/common/v1/transaction/"+id+"/audit", checker1)); strings.Count(a.body, `"instruction.amend-refused"`) != 2 {
		t.Errorf("the audit trail: %s", a.body)
	}
}

// TestNobodyApprovesAPaymentWhoseColumnsTellAnother: who writes rows as the application shows a checker what is not signed. The read says
// that the message is withheld, its approval is refused, and nothing leaves.
func TestNobodyApprovesAPaymentWhoseColumnsTellAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.reader.Message(t.Context(), "demo", parse(t, b.created(t, maker1)))
	must(t, err)
	id := stationtest.Forge(t, b.db, m, map[string]string{
		"amount": "2100", "creditor_name": "'Petra Muster'", "creditor_account": "'CH9300762011623852957'",
	}).String()
	a := b.send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.status != http.StatusOK || a.text("transaction", "withheld") == "" {
		t.Errorf("the read: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve", "contentHash", a.text("transaction", "contentHash"))})
	if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || !strings.Contains(a.body, "This message is withheld.") {
		t.Errorf("the approval: %d %s", a.status, a.body)
	}
	if a = b.send(t, get("/api/common/v1/transaction/"+id, checker1)); a.text("transaction", "state") != "Approval Pending" {
		t.Errorf("afterwards: %s", a.body)
	}
	if a = b.send(t, get("/api/common/v1/transaction/"+id+"/audit", checker1)); !strings.Contains(a.body, `"refused":"withheld"`) {
		t.Errorf("the audit trail: %s", a.body)
	}
}
