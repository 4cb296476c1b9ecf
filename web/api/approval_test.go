package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/demo"
)

func TestEveryAliasOfApprovalDecides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{approvePath, "/api/sic-inst/v1/instruction/approval", "/api/sic-inst/v1/instruction/approve"} {
		id := b.Created(t, maker1)
		if a := b.Send(t, call{Path: path, Who: both1, Body: verdict(b.Created(t, both1), "approve")}); a.Status != http.StatusForbidden {
			t.Errorf("%s by the maker: %d %s", path, a.Status, a.Body)
		}
		if a := b.Send(t, call{Path: path, Who: checker1, Body: verdict(id, "approve")}); a.Status != http.StatusOK || a.GroupStatus() != "ACSP" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	for _, path := range []string{"/api/sct-inst/v1/instruction/approval", "/api/sct-inst/v1/instruction/approve"} {
		id := b.Created(t, maker1)
		a := b.Send(t, call{Path: path, Who: checker1, Body: verdict(id, "approve")})
		other := strings.Contains(a.Body, `"The kind of this message is instruction, its scheme sic-inst: use their path."`)
		if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || !other {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
		if a = b.Send(t, get("/api/common/v1/transaction/"+id, checker1)); a.Text("transaction", "state") != "Approval Pending" {
			t.Errorf("%s decided: %s", path, a.Body)
		}
	}
}

func TestADecisionIsAboutTheContentThatWasSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	hash := b.Send(t, get("/api/common/v1/transaction/"+id, checker1)).Text("transaction", "contentHash")
	a := b.Send(t, call{
		Path: "/api/sic-inst/v1/instruction/update", Who: maker2,
		Body: updateOf(id, strings.Replace(order(sample), "Peter Haller", "Petra Haller", 1)),
	})
	if a.Status != http.StatusOK || a.GroupStatus() != "PNDG" {
		t.Fatalf("update: %d %s", a.Status, a.Body)
	}
	for old, code := range map[string]string{hash: "CH16", strings.Repeat("0", 64): "FF01"} {
		a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", old)})
		if got := found(a); a.Status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash "+code {
			t.Errorf("with the old digest: %d %s", a.Status, a.Body)
		}
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", "abc")})
	if got := found(a); a.Status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash FF01" {
		t.Errorf("with half a digest: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.Text("transaction", "state") != "Approval Pending" || a.At("transaction", "version") != 2.0 {
		t.Fatalf("after the refusals: %s", a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", a.Text("transaction", "contentHash"))})
	if a.Status != http.StatusOK || a.GroupStatus() != "ACSP" {
		t.Errorf("with the right digest: %d %s", a.Status, a.Body)
	}
}

// updateOf makes an update of a message from an order.
func updateOf(id, order string) string {
	var body map[string]any
	err := json.Unmarshal([]byte(order), &body)
	if err != nil {
		return ""
	}
	body["identifiers"] = map[string]string{"internalId": id}
	content, _ := json.Marshal(body) // always encodes
	return string(content)
}

func TestTheEditorMayNotDecide(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	if a := b.Send(
		t, call{Path: "/api/sic-inst/v1/instruction/update", Who: both1, Body: updateOf(id, order(sample))},
	); a.Status != http.StatusOK {
		t.Fatalf("update: %d %s", a.Status, a.Body)
	}
	a := b.Send(t, call{Path: approvePath, Who: both1, Body: verdict(id, "approve")})
	if a.Status != http.StatusForbidden || a.Text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("approve by the editor: %d %s", a.Status, a.Body)
	}
}

// TestTheClientOfAnEditorMayNotDecide: who only changed a message through a client cannot have it decided through that client.
func TestTheClientOfAnEditorMayNotDecide(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	editor, checker := person{
		Realm: demo.Realm, Client: demo.Straight, User: "maker2",
	}, person{
		Realm: demo.Realm, Client: demo.Straight, User: "checker1",
	}
	if a := b.Send(
		t, call{Path: "/api/sic-inst/v1/instruction/update", Who: editor, Body: updateOf(id, order(sample))},
	); a.Status != http.StatusOK {
		t.Fatalf("update: %d %s", a.Status, a.Body)
	}
	hash := b.Send(t, get("/api/common/v1/transaction/"+id, checker)).Text("transaction", "contentHash")
	body := verdict(id, "approve", "contentHash", hash)
	a := b.Send(t, call{Path: approvePath, Who: checker, Body: body})
	if a.Status != http.StatusForbidden || a.Text("errorCode") != "403_FOUR_EYES" ||
		!strings.Contains(a.Text("message"), "demo-straight changed") {
		t.Errorf("through the editor's client: %d %s", a.Status, a.Body)
	}
	if a = b.Send(t, call{Path: approvePath, Who: checker1, Body: body}); a.Status != http.StatusOK {
		t.Errorf("through another client: %d %s", a.Status, a.Body)
	}
}

func TestARejectionHasAReasonAndAnApprovalMayHaveARemark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	before := b.Rows(t)
	for name, test := range map[string]struct{ body, want string }{
		"without":       {verdict(id, "reject"), "/ApprovalDetails/rejectReason CH21"},
		"blank":         {verdict(id, "reject", "rejectReason", " \t "), "/ApprovalDetails/rejectReason CH21"},
		"empty":         {verdict(id, "reject", "rejectReason", ""), "/ApprovalDetails/rejectReason CH21"},
		"too long":      {verdict(id, "reject", "rejectReason", strings.Repeat("ü", 513)), "/ApprovalDetails/rejectReason FF01"},
		"with NUL":      {verdict(id, "reject", "rejectReason", "a\x00b"), "/ApprovalDetails/rejectReason FF01"},
		"long remark":   {verdict(id, "approve", "rejectReason", strings.Repeat("ü", 513)), "/ApprovalDetails/rejectReason FF01"},
		"other action":  {verdict(id, "Approve"), "/ApprovalDetails/action CH16"},
		"no action":     {`{"identifiers":{"internalId":"` + id + `"},"ApprovalDetails":{}}`, "/ApprovalDetails/action CH21"},
		"no details":    {`{"identifiers":{"internalId":"` + id + `"}}`, "/ApprovalDetails CH21"},
		"no identifier": {`{"identifiers":{},"ApprovalDetails":{"action":"approve"}}`, "/identifiers/internalId CH21"},
		"long id":       {verdict(strings.Repeat("a", 37), "approve"), "/identifiers/internalId FF01"},
		"wrapped":       {`{"paymentRequest":` + verdict(id, "approve") + `}`, "/paymentRequest CH17"},
	} {
		a := b.Send(t, call{Path: approvePath, Who: checker1, Body: test.body})
		got := found(a)
		has := false
		for _, one := range got {
			has = has || one == test.want
		}
		if a.Status != http.StatusBadRequest || !has {
			t.Errorf("%s: %d, found %q, want %q", name, a.Status, got, test.want)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", strings.Repeat("ü", 512))})
	if a.Status != http.StatusOK || a.GroupStatus() != "RJCT" {
		t.Errorf("the longest reason: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, get("/api/common/v1/transaction/"+id, maker1))
	if a.Text("transaction", "state") != "Rejected" || a.Text("transaction", "rejectReason") != strings.Repeat("ü", 512) {
		t.Errorf("afterwards: %s", a.Body)
	}
}

func TestOfManyDecisionsOneCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	b.Token(t, checker1)
	b.Token(t, checker2)
	answers := make([]answer, 16)
	var group sync.WaitGroup
	for i := range answers {
		body, who := verdict(id, "approve"), checker1
		if i%2 == 1 {
			body, who = verdict(id, "reject", "rejectReason", "no"), checker2
		}
		group.Go(func() { answers[i] = b.Send(t, call{Path: approvePath, Who: who, Body: body}) })
	}
	group.Wait()
	won := 0
	for _, a := range answers {
		switch {
		case a.Status == http.StatusOK && a.Header.Get("Idempotent-Replayed") == "true":
		case a.Status == http.StatusOK:
			won++
		case a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || !strings.Contains(a.Body, "Already "):
			t.Errorf("a loser is told: %d %s", a.Status, a.Body)
		}
	}
	if won != 1 {
		t.Errorf("%d decisions counted", won)
	}
	var decisions int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM decision").Scan(&decisions))
	if decisions != 1 {
		t.Errorf("%d decisions are stored", decisions)
	}
}
