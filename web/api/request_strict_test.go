package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

func TestRequestsAreReadStrictly(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, _ := b.settled(t, european)
	before := b.Rows(t)
	good := recallBody(id, "CUST")
	head := `{"identifiers":{"internalId":"` + id + `"}`
	reason, line := "/RecallDetails/reason", "/RecallDetails/additionalInformation"
	for _, test := range []struct{ body, want string }{
		{``, "[ FF01]"},
		{`[]`, "[ FF01]"},
		{`null`, "[ FF01]"},
		{good + `{}`, "[ FF01]"},
		{"\xef\xbb\xbf" + good, "[ FF01]"},
		{`{}`, "[/identifiers CH21 " + reason + " CH21]"},
		{head + `}`, "[" + reason + " CH21]"},
		{head[:40], "[/identifiers/internalId FF01]"},
		{`{"identifiers":{},"RecallDetails":{}}`, "[/identifiers/internalId CH21 " + reason + " CH21]"},
		{`{"identifiers":5,"RecallDetails":null}`, "[/identifiers FF01 /RecallDetails FF01]"},
		{head + `,"RecallDetails":{"reason":5}}`, "[" + reason + " FF01]"},
		{head + `,"RecallDetails":{"reason":""}}`, "[" + reason + " CH21]"},
		{head + `,"RecallDetails":{"reason":null}}`, "[" + reason + " FF01]"},
		{head + `,"RecallDetails":{"reason":"TOO LONG"}}`, "[" + reason + " FF01]"},
		{head + `,"reason":"CUST","RecallDetails":{"reason":"CUST"}}`, "[/reason FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST"},"reason":null}`, "[/reason FF01]"},
		{head + `,"recallDetails":{"reason":"CUST"},"reason":"CUST"}`, "[/recallDetails FF01]"},
		{head + `,"RecallDetails":{"Reason":"CUST"}}`, "[" + reason + " CH21 " + reason[:14] + "/Reason FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","reason":"DUPL"}}`, "[" + reason + " FF01]"},
		{head + `,"ReturnDetails":{"reason":"CUST"},"reason":"CUST"}`, "[/ReturnDetails CH17]"},
		{head + `,"reason":"CUST","chargeAmount":"1.00"}`, "[/chargeAmount CH17]"},
		{head + `,"reason":"CUST","state":"Approved","realm":"demo2"}`, "[/state CH17 /realm CH17]"},
		{head + `,"reason":"CUST","additionalInformation":[]}`, ""},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":5}}`, "[" + line + " FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":{}}}`, "[" + line + " FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":["x",5]}}`, "[" + line + "/1 FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":["x",["y"]]}}`, "[" + line + "/1 FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":["x"`, "[ FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":["` + strings.Repeat("ü", 106) + `"]}}`, "[" + line + "/0 FF01]"},
		{head + `,"RecallDetails":{"reason":"CUST","additionalInformation":"` + strings.Repeat("ü", 106) + `"}}`, "[" + line + " FF01]"},
		{head + `,"reason":"CUST","additionalInformation":["x"` + strings.Repeat(`,"x"`, 100) + `]}`, "[/additionalInformation FF01]"},
		{head + `,"reason":"CUST","additionalInformation":` + strings.Repeat("[", 100_000), "[/additionalInformation/0 FF01]"},
		{head + `,"reason":"CUST","additionalInformation":"x","RecallDetails":{"additionalInformation":"y"}}`, "[/additionalInformation FF01]"},
		{
			`{"paymentRequest":` + head + `,"reason":"CUST","RecallDetails":{"reason":"CUST","x":1}}}`,
			"[/paymentRequest/reason FF01 /paymentRequest/RecallDetails/x CH17]",
		},
		{`{"paymentRequest":` + good + `,"reason":"CUST"}`, "[/reason CH17]"},
		{
			`{"identifiers":{"creditId":"x","internalId":"` + id + `","externalId":"` + strings.Repeat("x", 37) + `"},"reason":"CUST"}`,
			"[/identifiers/creditId CH17 /identifiers/externalId FF01]",
		},
	} {
		body, want := test.body, test.want
		kind := "validated"
		if want == "" { // nothing is wrong with how it is written: its payment is another realm's
			kind, want = "refused", "[/identifiers/internalId NARR]"
		}
		a := b.Send(t, call{Path: requestPath(european, "recall"), Who: otherMaker, Body: body})
		if a.Status != http.StatusBadRequest || fmt.Sprint(found(a)) != want {
			t.Errorf("%s %.120s: %d %v, want %s", kind, body, a.Status, found(a), want)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestRequestsNameTheirPaymentOnceAndComeByTheDoor(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, _ := b.settled(t, european)
	before := b.Rows(t)
	good := recallBody(id, "CUST")
	for body, want := range map[string]string{
		`{"identifiers":{"creditId":"a","internalId":"a"},"reason":"AC04"}`: "[/identifiers/internalId FF01]",
		`{"identifiers":{},"reason":"AC04"}`:                                "[/identifiers/creditId CH21]",
		`{"identifiers":{"recallId":"a"},"reason":"AC04"}`:                  "[/identifiers/creditId CH21 /identifiers/recallId CH17]",
	} {
		if a := b.Send(t, call{Path: requestPath(european, "return"), Who: maker1, Body: body}); fmt.Sprint(found(a)) != want {
			t.Errorf("return %s: %v, want %s", body, found(a), want)
		}
	}
	a := b.Send(t, call{Path: requestPath(european, "resolution"), Who: maker1, Body: `{"identifiers":{"internalId":"a"},"reason":"CUST"}`})
	if fmt.Sprint(found(a)) != "[/identifiers/recallId CH21]" {
		t.Errorf("resolution without its recall: %s", a.Body)
	}
	for name, c := range map[string]call{
		"type":  {Path: requestPath(european, "recall"), Who: maker1, Body: good, Kind: "text/plain"},
		"size":  {Path: requestPath(european, "recall"), Who: maker1, Body: good + strings.Repeat(" ", 300<<10)},
		"token": {Path: requestPath(european, "recall"), Body: good},
		"role":  {Path: requestPath(european, "recall"), Who: checker1, Body: good},
		"other": {Path: requestPath(european, "recall"), Who: supervisor1, Body: good},
	} {
		want := map[string]int{"type": 415, "size": 413, "token": 401, "role": 403, "other": 403}[name]
		if a := b.Send(t, c); a.Status != want {
			t.Errorf("%s: %d, want %d: %s", name, a.Status, want, a.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestARequestThatComesAgainHasTheFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	path := requestPath(european, "recall")
	for name, key := range map[string]func(externalID string) call{
		"key":        func(string) call { return call{Change: withKey("k-1")} },
		"externalId": func(string) call { return call{} },
	} {
		id, _ := b.settled(t, european)
		external := ""
		if name == "externalId" {
			external = "external-" + uuid.NewString()[:8]
		}
		send := func(who person, body string) answer {
			c := key(external)
			c.Path, c.Who, c.Body = path, who, body
			return b.Send(t, c)
		}
		body := string(object(
			"identifiers", object("internalId", id, "externalId", external), "RecallDetails", object("reason", "FRAD", "additionalInformation", "x"),
		))
		first := send(maker1, body)
		if first.Status != http.StatusOK || first.Header.Get("Idempotent-Replayed") != "" || first.Text("identifiers", "externalId") != external {
			t.Fatalf("%s: %d %s", name, first.Status, first.Body)
		}
		before := b.Rows(t)
		spaced := strings.NewReplacer(":", " : ", ",", "\n,").Replace(body)
		for _, repeated := range []string{body, spaced} {
			again := send(maker1, repeated)
			delete(again.JSON, "header")
			want := map[string]any{
				"success": first.JSON["success"], "identifiers": first.JSON["identifiers"], "transaction": first.JSON["transaction"],
			}
			if again.Status != http.StatusOK || again.Header.Get("Idempotent-Replayed") != "true" || fmt.Sprint(again.JSON) != fmt.Sprint(want) {
				t.Errorf("%s again: %d %v %s", name, again.Status, again.Header, again.Body)
			}
		}
		for what, changed := range map[string]string{
			"reason": strings.Replace(body, "FRAD", "CUST", 1), "information": strings.Replace(body, `"x"`, `"y"`, 1),
		} {
			a := send(maker1, changed)
			if name == "key" && (a.Status != http.StatusUnprocessableEntity || a.Text("errorCode") != "422_IDEMPOTENCY_KEY_REUSED") ||
				name == "externalId" && (a.Status != http.StatusBadRequest || fmt.Sprint(found(a)) != "[/identifiers/externalId DU01]") {
				t.Errorf("%s with another %s: %d %s", name, what, a.Status, a.Body)
			}
		}
		if a := send(otherMaker, body); a.GroupStatus() != "RJCT" || strings.Contains(a.Body, first.Text("identifiers", "globalId")) {
			t.Errorf("%s of another realm: %d %s", name, a.Status, a.Body)
		}
		if after := b.Rows(t); after != before {
			t.Errorf("%s: %d rows were stored", name, after-before)
		}
		b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(first.Text("identifiers", "internalId"), "approve")})
		if a := send(maker1, body); a.Status != http.StatusOK || a.Text("success", "status") != "Approval Pending" {
			t.Errorf("%s after the approval: %d %s", name, a.Status, a.Body)
		}
	}
	for _, bad := range []string{"", strings.Repeat("k", 256), "a\tb"} {
		a := b.Send(t, call{Path: path, Who: maker1, Body: recallBody("x", "CUST"), Change: withKey(bad)})
		if fmt.Sprint(found(a)) != "[Idempotency-Key FF01]" {
			t.Errorf("key %q: %d %s", bad, a.Status, a.Body)
		}
	}
}

func TestTheSameRequestAtTheSameTimeMakesOneReturn(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	b.Token(t, maker1)
	id, _, _ := b.booked(t, swiss)
	answers := make([]answer, 8)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			answers[i] = b.Send(t, call{Path: requestPath(swiss, "return"), Who: maker1, Body: returnBody(id, "AC04"), Change: withKey("same")})
		})
	}
	group.Wait()
	made := map[string]bool{}
	first := 0
	for _, a := range answers {
		switch a.Status {
		case http.StatusOK:
			made[a.Text("identifiers", "internalId")] = true
			if a.Header.Get("Idempotent-Replayed") == "" {
				first++
			}
		case http.StatusConflict:
			if a.Text("errorCode") != "409_IN_FLIGHT" || a.Header.Get("Retry-After") == "" {
				t.Errorf("in flight: %v %s", a.Header, a.Body)
			}
		default:
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if len(made) != 1 || first != 1 {
		t.Errorf("%d returns, %d first answers", len(made), first)
	}
}

func TestAnAliasOfAnotherKindOrSchemeIsRefused(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, _ := b.settled(t, european)
	made := b.ok(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(id, "CUST")}).Text("identifiers", "internalId")
	instruction := b.Created(t, maker1) // of the Swiss scheme
	payment, _, document := b.booked(t, european)
	received, _ := b.recalled(t, european, document, "CUST")
	before := b.Rows(t)
	wrong := map[string][]string{
		made: {
			"/api/sct-inst/v1/instruction/approval", "/api/sct-inst/v1/instruction/approve", "/api/sct-inst/v1/return/approval",
			"/api/sct-inst/v1/resolution/approve", "/api/sic-inst/v1/recall/approval", "/api/sic-inst/v1/recall/approve",
			"/api/common/v1/return/approval", "/api/common/v1/resolution/approval",
		},
		instruction: {
			"/api/sct-inst/v1/instruction/approve", "/api/sic-inst/v1/recall/approve", "/api/common/v1/recall/approval",
		},
		received: {"/api/common/v1/recall/approval", "/api/sct-inst/v1/recall/approve"},
		payment:  {"/api/common/v1/return/approval"},
	}
	for id, paths := range wrong {
		for _, path := range paths {
			a := b.Send(t, call{Path: path, Who: checker1, Body: verdict(id, "approve")})
			if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("identifiers", "internalId") != id {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
		}
	}
	for _, path := range []string{"/api/sct-inst/v1/return/cancel", "/api/sic-inst/v1/recall/cancel", "/api/sct-inst/v1/instruction/cancel"} {
		a := b.Send(t, call{Path: path, Who: maker1, Body: string(object("identifiers", object("internalId", made)))})
		if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	for _, id := range []string{received, payment} { // the path of all kinds takes nothing that came in either
		if a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")}); a.Status != http.StatusForbidden {
			t.Errorf("approving what came in: %d %s", a.Status, a.Body)
		}
	}
}

func TestARequestIsWithdrawnByItsMakerAndFreesItsPayment(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	ours, _ := b.settled(t, swiss)
	payment, _, document := b.booked(t, swiss)
	recall, _ := b.recalled(t, swiss, document, "CUST")
	for _, l := range []life{
		{kind: "recall", body: recallBody(ours, "CUST")},
		{kind: "return", body: returnBody(payment, "FOCR")},
		{kind: "resolution", body: resolutionBody(payment, recall, "CUST")},
	} {
		id := b.ok(t, call{Path: requestPath(swiss, l.kind), Who: maker1, Body: l.body}).Text("identifiers", "internalId")
		path := "/api/sic-inst/v1/" + l.kind + "/cancel"
		body := string(object("identifiers", object("internalId", id), "reason", "Not needed"))
		if a := b.Send(t, call{Path: path, Who: maker2, Body: body}); a.Status != http.StatusForbidden {
			t.Errorf("%s by another maker: %d %s", l.kind, a.Status, a.Body)
		}
		a := b.ok(t, call{Path: path, Who: maker1, Body: body})
		if a.Text("success", "status") != "Withdrawn" || a.Text("identifiers", "internalId") != id {
			t.Errorf("%s: %s", l.kind, a.Body)
		}
		b.again(t, call{Path: path, Who: maker1, Body: body}, a)
		other := strings.Replace(body, "Not needed", "Wrong", 1)
		if a = b.Send(t, call{Path: path, Who: maker1, Body: other}); a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" {
			t.Errorf("%s again for another reason: %d %s", l.kind, a.Status, a.Body)
		}
		b.ok(t, call{Path: requestPath(swiss, l.kind), Who: maker2, Body: l.body})
		second := b.ok(t, get(listPath+"?kind="+l.kind+"&direction=out&state=Approval+Pending", supervisor1)).Text(
			"transactions", 0, "internalId",
		)
		b.ok(t, call{Path: path, Who: maker2, Body: string(object("paymentRequest", object("identifiers", object("internalId", second))))})
	}
}

func TestRequestsHaveTheBodiesOfTheInterface(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	ours, _ := b.settled(t, swiss)
	payment, _, document := b.booked(t, swiss)
	recall, _ := b.recalled(t, swiss, document, "CUST")
	body := resolutionBody(payment, recall, "CUST")
	created := b.Send(t, call{Path: requestPath(swiss, "resolution"), Who: maker1, Body: body, Change: withKey("golden")})
	golden(t, "resolution-create", created)
	id := created.Text("identifiers", "internalId")
	for _, step := range []struct {
		name string
		call call
	}{
		{"recall-fields", call{
			Path: requestPath(swiss, "recall"), Who: maker1, Body: recallBody("", "TOO LONG", "additionalInformation", 5, "state", "Settled"),
		}},
		{"recall-refused", call{
			Path: requestPath(swiss, "recall"), Who: maker1, Body: recallBody(ours, "FRAD", "additionalInformation", []string{" ", "Ω"}),
		}},
		{"recall-unknown", call{Path: requestPath(swiss, "recall"), Who: maker1, Body: recallBody("nothing-like-it", "FRAD")}},
		{"recall-straight", call{Path: requestPath(swiss, "recall"), Who: straight, Body: recallBody(ours, "DUPL")}},
		{"resolution-key-reused", call{
			Path: requestPath(swiss, "resolution"), Who: maker1, Body: resolutionBody(payment, recall, "AC04"), Change: withKey("golden"),
		}},
		{"resolution-wrong-path", call{Path: "/api/common/v1/return/approval", Who: checker1, Body: verdict(id, "approve")}},
		{"resolution-approve", call{Path: "/api/common/v1/resolution/approval", Who: checker1, Body: verdict(id, "approve")}},
		{"resolution-decided", call{Path: approvePath, Who: checker2, Body: verdict(id, "reject", "rejectReason", "No")}},
		{"resolution-transaction", get("/api/common/v1/transaction/"+id, checker1)},
		{"received-recall-transaction", get("/api/common/v1/transaction/"+recall, checker1)},
	} {
		golden(t, step.name, b.Send(t, step.call))
	}
}
