package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestEveryAliasOfApprovalDecides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{approvePath, "/api/sic-inst/v1/instruction/approval", "/api/sic-inst/v1/instruction/approve"} {
		id := b.created(t, maker1)
		if a := b.send(t, call{path: path, who: both1, body: verdict(b.created(t, both1), "approve")}); a.status != http.StatusForbidden {
			t.Errorf("%s by the maker: %d %s", path, a.status, a.body)
		}
		if a := b.send(t, call{path: path, who: checker1, body: verdict(id, "approve")}); a.status != http.StatusOK || a.groupStatus() != "ACSP" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/sct-inst/v1/instruction/approval", "/api/sct-inst/v1/instruction/approve"} {
		id := b.created(t, maker1)
		a := b.send(t, call{path: path, who: checker1, body: verdict(id, "approve")})
		if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || !strings.Contains(a.body, "use the path of that kind and scheme") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		if a = b.send(t, get("/api/common/v1/transaction/"+id, checker1)); a.text("transaction", "state") != "Approval Pending" {
			t.Errorf("%s decided: %s", path, a.body)
		}
	}
}

func TestADecisionIsAboutTheContentThatWasSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	hash := b.send(t, get("/api/common/v1/transaction/"+id, checker1)).text("transaction", "contentHash")
	a := b.send(t, call{path: "/api/sic-inst/v1/instruction/update", who: maker2, body: updateOf(id, strings.Replace(order(sample), "Peter Haller", "Petra Haller", 1))})
	if a.status != http.StatusOK || a.groupStatus() != "PNDG" {
		t.Fatalf("update: %d %s", a.status, a.body)
	}
	for old, code := range map[string]string{hash: "CH16", strings.Repeat("0", 64): "FF01"} {
		a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve", "contentHash", old)})
		if got := found(a); a.status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash "+code {
			t.Errorf("with the old digest: %d %s", a.status, a.body)
		}
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve", "contentHash", "abc")})
	if got := found(a); a.status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash FF01" {
		t.Errorf("with half a digest: %d %s", a.status, a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+id, checker1))
	if a.text("transaction", "state") != "Approval Pending" || a.at("transaction", "version") != 2.0 {
		t.Fatalf("after the refusals: %s", a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve", "contentHash", a.text("transaction", "contentHash"))})
	if a.status != http.StatusOK || a.groupStatus() != "ACSP" {
		t.Errorf("with the right digest: %d %s", a.status, a.body)
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
	id := b.created(t, maker1)
	if a := b.send(t, call{path: "/api/sic-inst/v1/instruction/update", who: both1, body: updateOf(id, order(sample))}); a.status != http.StatusOK {
		t.Fatalf("update: %d %s", a.status, a.body)
	}
	a := b.send(t, call{path: approvePath, who: both1, body: verdict(id, "approve")})
	if a.status != http.StatusForbidden || a.text("errorCode") != "403_FOUR_EYES" {
		t.Errorf("approve by the editor: %d %s", a.status, a.body)
	}
}

func TestARejectionHasAReasonAndAnApprovalMayHaveARemark(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	before := b.rows(t)
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
		a := b.send(t, call{path: approvePath, who: checker1, body: test.body})
		got := found(a)
		has := false
		for _, one := range got {
			has = has || one == test.want
		}
		if a.status != http.StatusBadRequest || !has {
			t.Errorf("%s: %d, found %q, want %q", name, a.status, got, test.want)
		}
	}
	if after := b.rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	a := b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "reject", "rejectReason", strings.Repeat("ü", 512))})
	if a.status != http.StatusOK || a.groupStatus() != "RJCT" {
		t.Errorf("the longest reason: %d %s", a.status, a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+id, maker1))
	if a.text("transaction", "state") != "Rejected" || a.text("transaction", "rejectReason") != strings.Repeat("ü", 512) {
		t.Errorf("afterwards: %s", a.body)
	}
}

func TestOfManyDecisionsOneCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	b.token(t, checker1)
	b.token(t, checker2)
	answers := make([]answer, 16)
	var group sync.WaitGroup
	for i := range answers {
		body, who := verdict(id, "approve"), checker1
		if i%2 == 1 {
			body, who = verdict(id, "reject", "rejectReason", "no"), checker2
		}
		group.Go(func() { answers[i] = b.send(t, call{path: approvePath, who: who, body: body}) })
	}
	group.Wait()
	won := 0
	for _, a := range answers {
		switch {
		case a.status == http.StatusOK && a.header.Get("Idempotent-Replayed") == "true":
		case a.status == http.StatusOK:
			won++
		case a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || !strings.Contains(a.body, "This message was already"):
			t.Errorf("a loser is told: %d %s", a.status, a.body)
		}
	}
	if won != 1 {
		t.Errorf("%d decisions counted", won)
	}
	var decisions int
	must(t, b.db.Connect(t).QueryRow(t.Context(), "SELECT count(*) FROM decision").Scan(&decisions))
	if decisions != 1 {
		t.Errorf("%d decisions are stored", decisions)
	}
}
