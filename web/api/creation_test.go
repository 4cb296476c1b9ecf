package api_test

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
	first := b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
	if first.Status != http.StatusOK || first.Header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("first: %d %v", first.Status, first.Header)
	}
	id := first.Text("identifiers", "internalId")
	before := b.Rows(t)
	for _, state := range []string{"pending", "approved"} {
		again := b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
		if again.Status != http.StatusOK || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("again while %s: %d %v", state, again.Status, again.Header)
		}
		delete(again.JSON, "header")
		want := map[string]any{
			"identifiers": first.JSON["identifiers"], "message": first.JSON["message"], "transaction": first.JSON["transaction"],
		}
		if diff := cmp.Diff(want, again.JSON); diff != "" {
			t.Errorf("again while %s (-first +again):\n%s", state, diff)
		}
		if state == "pending" {
			if after := b.Rows(t); after != before {
				t.Errorf("%d rows were stored", after-before)
			}
			b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
		}
	}
}

func TestTheSameRequestAtTheSameTimeMakesOnePayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, maker1)
	body := order(sample)
	answers := make([]answer, 8)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.Send(t, call{Path: createSwiss, Who: maker1, Body: body}) })
	}
	group.Wait()
	first := 0
	for _, a := range answers {
		if a.Status != http.StatusOK || a.Text("identifiers", "internalId") != answers[0].Text("identifiers", "internalId") {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		if a.Header.Get("Idempotent-Replayed") == "" {
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
	b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
	before := b.Rows(t)
	for name, test := range map[string]struct{ body, want string }{
		"other content": {strings.Replace(body, "Invoice 118", "Invoice 119", 1), "/identifiers/externalId DU01"},
		"other key, same MsgId": {
			strings.Replace(body, `"externalId":"X`, `"externalId":"Y`, 1), "/Document/CstmrCdtTrfInitn/GrpHdr/MsgId DU01",
		},
		"wrapped": {
			`{"paymentRequest":` + strings.Replace(body, "Invoice 118", "Invoice 119", 1) + `}`, "/paymentRequest/identifiers/externalId DU01",
		},
	} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: test.body})
		if got := found(a); a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || len(got) != 1 || got[0] != test.want {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	if a := b.Send(t, call{Path: createSwiss, Who: otherMaker, Body: body}); a.Status != http.StatusOK ||
		a.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the same key in another realm: %d %s", a.Status, a.Body)
	}
}

func TestValidationStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Token(t, maker1)
	before := b.Rows(t)
	const path = "/api/sic-inst/v1/instruction/validate"
	var bare map[string]any
	must(t, json.Unmarshal([]byte(order(sample)), &bare))
	delete(bare, "identifiers")
	content, err := json.Marshal(bare)
	must(t, err)
	for _, body := range []string{order(sample), string(content), `{"paymentRequest":` + string(content) + `}`} {
		a := b.Send(t, call{Path: path, Who: maker1, Body: body})
		if a.Status != http.StatusOK || a.Text("success", "status") != "Success" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	a := b.Send(t, call{Path: path, Who: maker1, Body: strings.Replace(order(sample), `"PmtMtd":"TRF"`, `"PmtMtd":"XXX","PmtMth":1`, 1)})
	if a.Status != http.StatusBadRequest || a.Text("error", "message") == "" || len(a.At("errors").([]any)) != 2 {
		t.Errorf("malformed: %d %s", a.Status, a.Body)
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestOnlyItsMakerWithdrawsAPendingPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/sic-inst/v1/instruction/cancel"
	id := b.Created(t, maker1)
	body := `{"identifiers":{"internalId":"` + id + `"},"reason":"Entered twice"}`
	for who, want := range map[person]int{maker2: 403, checker1: 403, admin1: 403} {
		if a := b.Send(t, call{Path: path, Who: who, Body: body}); a.Status != want || a.Text("errorCode") != "403_FORBIDDEN" {
			t.Errorf("by %s: %d %s", who.User, a.Status, a.Body)
		}
	}
	a := b.Send(t, call{Path: "/api/sct-inst/v1/instruction/cancel", Who: maker1, Body: body})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("identifiers", "globalId") == "" {
		t.Errorf("by the path of the other scheme: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: path, Who: maker1, Body: body})
	if a.Status != http.StatusOK || a.GroupStatus() != "RJCT" {
		t.Errorf("by its maker: %d %s", a.Status, a.Body)
	}
	b.again(t, call{Path: path, Who: maker1, Body: body}, a)
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "Withdrawn") {
		t.Errorf("approval afterwards: %d %s", a.Status, a.Body)
	}
}

func TestAnUpdateIsHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/sic-inst/v1/instruction/update"
	id := b.Created(t, maker1)
	wrong := strings.Replace(order(sample), "CH4821966000009613388", "CH4821966000009613389", 1)
	a := b.Send(t, call{Path: path, Who: maker1, Body: updateOf(id, wrong)})
	if got := found(a); a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || len(got) != 1 ||
		a.Text("identifiers", "internalId") != id {
		t.Errorf("a wrong account: %d %s", a.Status, a.Body)
	}
	if a = b.Send(t, call{Path: path, Who: checker1, Body: updateOf(id, order(sample))}); a.Status != http.StatusForbidden {
		t.Errorf("by a checker: %d %s", a.Status, a.Body)
	}
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if a = b.Send(t, call{Path: path, Who: maker1, Body: updateOf(id, order(sample))}); a.Status != http.StatusBadRequest ||
		a.GroupStatus() != "RJCT" {
		t.Errorf("after approval: %d %s", a.Status, a.Body)
	}
}
