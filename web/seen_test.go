package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/auth"
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

// TestAnApprovalMayCarryARemark: absent, null, empty or a text, by the Global ID as well, and whoever comes second reads who was first.
func TestAnApprovalMayCarryARemark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, remark := range map[string]string{"null": "null", "empty": `""`, "text": `"seen on paper"`} {
		id := b.created(t, maker1)
		global := b.send(t, get("/api/common/v1/transaction/"+id, checker1)).text("transaction", "globalId")
		body := `{"identifiers":{"internalId":"` + global + `"},"ApprovalDetails":{"action":"approve","rejectReason":` + remark + `}}`
		if a := b.send(t, call{path: approvePath, who: checker1, body: body}); a.status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, a.status, a.body)
		}
		a := b.send(t, get("/api/common/v1/transaction/"+id, checker1))
		if got := a.text("transaction", "approvals", 0, "remark"); got != strings.TrimPrefix(strings.Trim(remark, `"`), "null") {
			t.Errorf("%s: the remark is %q", name, got)
		}
		a = b.send(t, call{path: approvePath, who: checker2, body: verdict(id, "reject", "rejectReason", "late")})
		if a.text("state") != "Approved" || a.text("decision", "userId") != "checker1" || a.text("decision", "action") != "approve" {
			t.Errorf("%s: the loser reads %s", name, a.body)
		}
	}
}

// TestASignInThatFailsIsInTheAuditTrail: wrong passwords and locked names, known and unknown, at most a hundred of a kind in a minute.
func TestASignInThatFailsIsInTheAuditTrail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 7 {
		for _, name := range []string{"maker1", "nobody"} {
			_, err := b.auth.SignIn(t.Context(), auth.SignInInput{Realm: "demo", Name: name, Password: "wrong", SourceAddress: "192.0.2.7"})
			if err == nil {
				t.Fatal("a wrong password signs in")
			}
		}
	}
	var refused, locked, named int
	err := b.db.Connect(t).QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE event = 'sign-in.refused'), count(*) FILTER (WHERE event = 'sign-in.locked'),
		count(*) FILTER (WHERE detail LIKE '%nobody%' OR actor_name LIKE '%nobody%') FROM audit_event WHERE outcome = 'refused'`).Scan(&refused, &locked, &named)
	if err != nil || refused != 10 || locked != 4 || named != 0 {
		t.Errorf("%d refused, %d locked, %d with what was typed: %v", refused, locked, named, err)
	}
}

// TestARowThatCannotBeReadIsWithheldInTheLists: a message whose currency nobody knows is told as withheld, and no list fails for it.
func TestARowThatCannotBeReadIsWithheldInTheLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.reader.Message(t.Context(), "demo", parse(t, b.created(t, maker1)))
	must(t, err)
	strange := stationtest.Forge(t, b.db, m, map[string]string{"currency": "'XXX'"}).String()
	for _, path := range []string{
		"/api/common/v1/transaction/list", "/api/common/v1/transaction/" + strange, "/api/common/v1/transaction/" + strange + "/history",
		"/api/common/v1/transaction/" + strange + "/audit", "/api/common/v1/transaction/" + strange + "/related",
		"/api/common/v1/transaction/" + strange + "/messages", "/api/common/v1/interface/list", "/api/common/v1/error/list",
	} {
		got := b.send(t, get(path, checker1))
		if got.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	list := b.send(t, get("/api/common/v1/transaction/list", checker1))
	if list.at("transactions", 0, "internalId") != strange || list.at("transactions", 0, "withheld") == nil || list.at("transactions", 1, "withheld") != nil {
		t.Errorf("the list: %s", list.body)
	}
}
