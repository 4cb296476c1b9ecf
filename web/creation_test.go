package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheSameRequestHasTheSameAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	first := b.send(t, call{path: createSwiss, who: maker1, body: body})
	if first.status != http.StatusOK || first.header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("first: %d %v", first.status, first.header)
	}
	id := first.text("identifiers", "internalId")
	before := b.rows(t)
	for _, state := range []string{"pending", "approved"} {
		again := b.send(t, call{path: createSwiss, who: maker1, body: body})
		if again.status != http.StatusOK || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("again while %s: %d %v", state, again.status, again.header)
		}
		delete(again.json, "header")
		want := map[string]any{"identifiers": first.json["identifiers"], "message": first.json["message"]}
		if diff := cmp.Diff(want, again.json); diff != "" {
			t.Errorf("again while %s (-first +again):\n%s", state, diff)
		}
		if state == "pending" {
			if after := b.rows(t); after != before {
				t.Errorf("%d rows were stored", after-before)
			}
			b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
		}
	}
}

func TestTheSameRequestAtTheSameTimeMakesOnePayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.token(t, maker1)
	body := order(sample)
	answers := make([]answer, 8)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.send(t, call{path: createSwiss, who: maker1, body: body}) })
	}
	group.Wait()
	first := 0
	for _, a := range answers {
		if a.status != http.StatusOK || a.text("identifiers", "internalId") != answers[0].text("identifiers", "internalId") {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d requests made a payment", first)
	}
}

func TestAKeyNamesOneOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	b.send(t, call{path: createSwiss, who: maker1, body: body})
	before := b.rows(t)
	for name, test := range map[string]struct{ body, want string }{
		"other content": {strings.Replace(body, "Invoice 118", "Invoice 119", 1), "/identifiers/externalId DU01"},
		"other key, same MsgId": {
			strings.Replace(body, `"externalId":"X`, `"externalId":"Y`, 1), "/Document/CstmrCdtTrfInitn/GrpHdr/MsgId DU01",
		},
		"wrapped": {
			`{"paymentRequest":` + strings.Replace(body, "Invoice 118", "Invoice 119", 1) + `}`, "/paymentRequest/identifiers/externalId DU01",
		},
	} {
		a := b.send(t, call{path: createSwiss, who: maker1, body: test.body})
		if got := found(a); a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if after := b.rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	if a := b.send(t, call{path: createSwiss, who: otherMaker, body: body}); a.status != http.StatusOK || a.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the same key in another realm: %d %s", a.status, a.body)
	}
}

func TestValidationStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.token(t, maker1)
	before := b.rows(t)
	const path = "/api/sic-inst/v1/instruction/validate"
	var bare map[string]any
	must(t, json.Unmarshal([]byte(order(sample)), &bare))
	delete(bare, "identifiers")
	content, err := json.Marshal(bare)
	must(t, err)
	for _, body := range []string{order(sample), string(content), `{"paymentRequest":` + string(content) + `}`} {
		a := b.send(t, call{path: path, who: maker1, body: body})
		if a.status != http.StatusOK || a.text("success", "status") != "Success" {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	a := b.send(t, call{path: path, who: maker1, body: strings.Replace(order(sample), `"PmtMtd":"TRF"`, `"PmtMtd":"XXX","PmtMth":1`, 1)})
	if a.status != http.StatusBadRequest || a.text("error", "message") == "" || len(a.at("errors").([]any)) != 2 {
		t.Errorf("malformed: %d %s", a.status, a.body)
	}
	if after := b.rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestOnlyItsMakerWithdrawsAPendingPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/sic-inst/v1/instruction/cancel"
	id := b.created(t, maker1)
	body := `{"identifiers":{"internalId":"` + id + `"},"reason":"Entered twice"}`
	for who, want := range map[person]int{maker2: 403, checker1: 403, admin1: 403} {
		if a := b.send(t, call{path: path, who: who, body: body}); a.status != want || a.text("errorCode") != "403_FORBIDDEN" {
			t.Errorf("by %s: %d %s", who.user, a.status, a.body)
		}
	}
	a := b.send(t, call{path: "/api/sct-inst/v1/instruction/cancel", who: maker1, body: body})
	if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || a.text("identifiers", "globalId") == "" {
		t.Errorf("by the path of the other scheme: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: path, who: maker1, body: body})
	if a.status != http.StatusOK || a.groupStatus() != "RJCT" {
		t.Errorf("by its maker: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: path, who: maker1, body: body})
	if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || a.text("identifiers", "internalId") != id {
		t.Errorf("again: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
	if a.status != http.StatusBadRequest || !strings.Contains(a.body, "Withdrawn") {
		t.Errorf("approval afterwards: %d %s", a.status, a.body)
	}
}

func TestAnUpdateIsHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/sic-inst/v1/instruction/update"
	id := b.created(t, maker1)
	wrong := strings.Replace(order(sample), "CH4821966000009613388", "CH4821966000009613389", 1)
	a := b.send(t, call{path: path, who: maker1, body: updateOf(id, wrong)})
	if got := found(a); a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || len(got) != 1 || a.text("identifiers", "internalId") != id {
		t.Errorf("a wrong account: %d %s", a.status, a.body)
	}
	if a = b.send(t, call{path: path, who: checker1, body: updateOf(id, order(sample))}); a.status != http.StatusForbidden {
		t.Errorf("by a checker: %d %s", a.status, a.body)
	}
	b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
	if a = b.send(t, call{path: path, who: maker1, body: updateOf(id, order(sample))}); a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" {
		t.Errorf("after approval: %d %s", a.status, a.body)
	}
}
