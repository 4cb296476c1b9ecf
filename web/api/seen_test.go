package api_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/auth"
	"countersign/internal/identity"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// updatedTo amends a payment of the sample to another amount.
func (b *bundle) updatedTo(t *testing.T, who person, id, amount string) answer {
	t.Helper()
	body := strings.ReplaceAll(updateOf(id, order(sample)), "199.95", amount)
	return b.Send(t, call{Path: "/api/sic-inst/v1/instruction/update", Who: who, Body: body})
}

// TestAnAmendedPaymentIsApprovedByItsContentOnly: content that nobody read leaves by no request.
func TestAnAmendedPaymentIsApprovedByItsContentOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	if a := b.updatedTo(t, maker2, id, "9999.00"); a.Status != http.StatusOK {
		t.Fatalf("update: %d %s", a.Status, a.Body)
	}
	a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	got := found(a)
	if a.Status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash CH21" ||
		!strings.Contains(a.Body, "The payment or request has been amended. Read the new version before you decide.") {
		t.Errorf("without a digest: %d %s", a.Status, a.Body)
	}
	if a = b.Send(t, get("/api/common/v1/transaction/"+id, checker1)); a.Text("transaction", "state") != "Approval Pending" {
		t.Errorf("afterwards: %s", a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", "not ours")})
	if a.Status != http.StatusOK {
		t.Errorf("a rejection needs no digest: %d %s", a.Status, a.Body)
	}
}

// TestAnUpdateIsAskedItsPolicyAgain: a payment of one approval does not become one of two.
func TestAnUpdateIsAskedItsPolicyAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	for _, who := range []person{maker1, maker2} {
		a := b.updatedTo(t, who, id, "10000.00")
		if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || !strings.Contains(a.Body, "Withdraw the payment and enter it "+
			"again.") {
			t.Errorf("%s: %d %s", who.User, a.Status, a.Body)
		}
	}
	a := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.At("transaction", "version") != 1.0 || a.Text("transaction", "amount", "value") != "199.95" {
		t.Errorf("afterwards: %s", a.Body)
	}
	if a = b.Send(t, get("/api/common/v1/transaction/"+id+"/audit", checker1)); strings.Count(a.Body, `"instruction.amend-refused"`) != 2 {
		t.Errorf("the audit trail: %s", a.Body)
	}
}

// TestNobodyApprovesAPaymentWhoseColumnsTellAnother: who writes rows as the application shows a checker what is not signed. The read says
// that the message is withheld, its approval is refused, and nothing leaves.
func TestNobodyApprovesAPaymentWhoseColumnsTellAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.Reader.Message(t.Context(), "demo", parse(t, b.Created(t, maker1)))
	must(t, err)
	id := servicetest.Forge(t, b.DB, m, map[string]string{
		"amount": "2100", "creditor_name": "'Petra Muster'", "creditor_account": "'CH9300762011623852957'",
	}).String()
	a := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.Status != http.StatusOK || a.Text("transaction", "withheld") == "" {
		t.Errorf("the read: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", a.Text("transaction", "contentHash"))})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || !strings.Contains(a.Body, "This payment or request is withheld.") {
		t.Errorf("the approval: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", "Not ours.")})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || !strings.Contains(a.Body, "This payment or request is withheld.") {
		t.Errorf("the rejection: %d %s", a.Status, a.Body)
	}
	if a = b.updatedTo(t, maker2, id, "210.00"); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "This payment or request "+
		"is withheld.") {
		t.Errorf("the update, which would seal it anew: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.Text("transaction", "state") != "Approval Pending" || a.At("transaction", "version") != 1.0 {
		t.Errorf("afterwards: %s", a.Body)
	}
	if a = b.Send(t, get("/api/common/v1/transaction/"+id+"/audit", checker1)); !strings.Contains(a.Body, `"refused":"withheld"`) {
		t.Errorf("the audit trail: %s", a.Body)
	}
}

// TestWordsOfADecisionAreThoseOfADocument: a character that no XML document holds is refused with its place, whatever is decided, and in a
// withdrawal too; the payment waits as before, and is decided with a text of several lines.
func TestWordsOfADecisionAreThoseOfADocument(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	for _, bad := range []string{"a\x01b", "\x00", "a\x1f", "\ufffe", "\uffff"} {
		text, err := json.Marshal(bad)
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range []call{
			{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", bad)},
			{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "rejectReason", bad)},
			{Path: cancelPath, Who: maker1, Body: `{"identifiers":{"internalId":"` + id + `"},"reason":` + string(text) + `}`},
		} {
			a := b.Send(t, asked)
			if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "control characters") {
				t.Errorf("%s: %d %s", asked.Body, a.Status, a.Body)
			}
		}
	}
	a := b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", "Two lines:\r\n\tthe second\u007f")})
	if a.GroupStatus() != "RJCT" {
		t.Errorf("then: %s", a.Body)
	}
}

// TestAnApprovalMayCarryARemark: absent, null, empty or a text, by the Global ID as well, and the second caller reads who was first.
func TestAnApprovalMayCarryARemark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, remark := range map[string]string{"null": "null", "empty": `""`, "text": `"seen on paper"`} {
		id := b.Created(t, maker1)
		global := b.Send(t, get("/api/common/v1/transaction/"+id, checker1)).Text("transaction", "globalId")
		body := `{"identifiers":{"internalId":"` + global + `"},"ApprovalDetails":{"action":"approve","rejectReason":` + remark + `}}`
		if a := b.Send(t, call{Path: approvePath, Who: checker1, Body: body}); a.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, a.Status, a.Body)
		}
		a := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
		if got := a.Text("transaction", "approvals", 0, "remark"); got != strings.TrimPrefix(strings.Trim(remark, `"`), "null") {
			t.Errorf("%s: the remark is %q", name, got)
		}
		a = b.Send(t, call{Path: approvePath, Who: checker2, Body: verdict(id, "reject", "rejectReason", "late")})
		if a.Text("state") != "Approved" || a.Text("decision", "userId") != "checker1" || a.Text("decision", "action") != "approve" {
			t.Errorf("%s: the loser reads %s", name, a.Body)
		}
	}
}

// TestASignInThatFailsIsInTheAuditTrail: wrong passwords and locked names, known and unknown, at most a hundred of a kind in a minute.
func TestASignInThatFailsIsInTheAuditTrail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 7 {
		for _, name := range []string{"maker1", "nobody"} {
			_, err := b.Auth.SignIn(t.Context(), auth.SignInInput{Realm: "demo", Name: name, Password: "wrong", SourceAddress: "192.0.2.7"})
			if err == nil {
				t.Fatal("a wrong password signs in")
			}
		}
	}
	for number := range 101 { // a flood of unknown names hides no known one
		b.DB.Database.Refused(t.Context(), store.Refusal{
			Realm: "demo", Event: "sign-in.refused", Why: "x", At: b.Now(),
			Actor: identity.Actor{Name: "flood " + strconv.Itoa(number), Channel: "api"},
		})
	}
	_, err := b.Auth.SignIn(t.Context(), auth.SignInInput{Realm: "demo", Name: "maker2", Password: "wrong", SourceAddress: "192.0.2.7"})
	if err == nil {
		t.Fatal("a wrong password signs in")
	}
	var refused, locked, named, accounts, flood int
	err = b.DB.Owner(t).QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE event = 'sign-in.refused' AND actor_name NOT LIKE 'flood%'),
		count(*) FILTER (WHERE event = 'sign-in.locked'), count(*) FILTER (WHERE detail LIKE '%nobody%' OR actor_name LIKE '%nobody%'),
		count(*) FILTER (WHERE actor_user IS NOT NULL), count(*) FILTER (WHERE actor_name LIKE 'flood%')
		FROM audit_event WHERE outcome = 'refused'`).Scan(&refused, &locked, &named, &accounts, &flood)
	if err != nil || refused != 11 || locked != 4 || named != 0 || accounts != 8 || flood != 95 {
		t.Errorf("%d refused, %d locked, %d with what was typed, %d of an account, %d of the flood: %v",
			refused, locked, named, accounts, flood, err)
	}
	locks := b.Send(t, get(auditPath+"?event=sign-in.locked&actor=maker1", supervisor1))
	if list, _ := locks.At("events").([]any); len(list) != 2 || locks.Text("events", 0, "userId") != "maker1" {
		t.Errorf("the locks of a known name: %s", locks.Body)
	}
	b.CheckInvariants(t)
}

// TestARowThatCannotBeReadIsWithheldInTheLists: a message whose currency nobody knows is told as withheld, and no list fails for it.
func TestARowThatCannotBeReadIsWithheldInTheLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.Reader.Message(t.Context(), "demo", parse(t, b.Created(t, maker1)))
	must(t, err)
	strange := servicetest.Forge(t, b.DB, m, map[string]string{"currency": "'XXX'"}).String()
	for _, path := range []string{
		"/api/common/v1/transaction/list", "/api/common/v1/transaction/" + strange, "/api/common/v1/transaction/" + strange + "/history",
		"/api/common/v1/transaction/" + strange + "/audit", "/api/common/v1/transaction/" + strange + "/related",
		"/api/common/v1/transaction/" + strange + "/messages", "/api/common/v1/interface/list", "/api/common/v1/error/list",
	} {
		got := b.Send(t, get(path, checker1))
		if got.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	list := b.Send(t, get("/api/common/v1/transaction/list", checker1))
	if list.At("transactions", 0, "internalId") != strange || list.At("transactions", 0, "withheld") == nil || list.At("transactions", 1,
		"withheld") != nil {
		t.Errorf("the list: %s", list.Body)
	}
}

// TestAPaymentThatCannotBeReadIsWithdrawnAlone: nobody decides a broken payment, and its maker withdraws it and reads that it is done, in a
// word and not in a report about an order that nobody can read.
func TestAPaymentThatCannotBeReadIsWithdrawnAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	_, err := b.DB.Connect(t).Exec(t.Context(), `SET session_replication_role = replica;
		UPDATE document SET content = 'x', content_hash = sha256('x') WHERE direction = 'in'`)
	must(t, err)
	a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", "it is broken")})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "This payment or request is withheld.") {
		t.Errorf("the rejection: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: "/api/sic-inst/v1/instruction/cancel", Who: maker1, Body: `{"identifiers":{"internalId":"` + id + `"}}`})
	state := b.Send(t, get("/api/common/v1/transaction/"+id, checker1)).Text("transaction", "state")
	if a.Status != http.StatusOK || a.Text("success", "status") != state || state != "Withdrawn" {
		t.Errorf("it is %s: %d %s", state, a.Status, a.Body)
	}
}

// TestTheZeroIdFindsNothing: it is no id of anybody, and not the same as no filter.
func TestTheZeroIdFindsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Created(t, maker1)
	const zero = "00000000-0000-0000-0000-000000000000"
	for list, path := range map[string]string{
		"transactions": listPath + "?internalId=", "messages": "/api/common/v1/interface/list?internalId=", "events": auditPath + "?messageId=",
	} {
		a := b.Send(t, get(path+zero, supervisor1))
		if found, _ := a.At(list).([]any); a.Status != http.StatusOK || len(found) != 0 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}

// TestARecallOrPaymentThatSomebodyChangedIsWithheldInTheLists: so are what came in and what is asked back.
func TestARecallOrPaymentThatSomebodyChangedIsWithheldInTheLists(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	incoming, _, document := b.booked(t, european)
	received, _ := b.recalled(t, european, document, "CUST")
	_, err := b.DB.Owner(t).Exec(t.Context(), `UPDATE message_version SET amount = amount * 2 WHERE message_id::text = ANY ($1)`,
		[]string{incoming, received})
	must(t, err)
	list := b.ok(t, get(listPath+"?direction=in", supervisor1))
	for i, id := range []string{received, incoming} {
		if list.At("transactions", i, "internalId") != id || list.At("transactions", i, "withheld") == nil {
			t.Errorf("the list does not withhold %s: %s", id, list.Body)
		}
		if one := b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1)); one.Text("transaction", "withheld") == "" {
			t.Errorf("a changed message is told as true: %s", one.Body)
		}
	}
}
