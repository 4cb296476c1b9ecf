package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/rulebook"
)

// life is one R-transaction from its creation on.
type life struct {
	kind, body string
	payment    string // it is about
	recall     string // that it answers
	shows      string // what the payment shows from then on
}

// lives makes one of each kind of a scheme, ready to be created.
func (b *interbankBundle) lives(t *testing.T, scheme rulebook.Scheme) []life {
	t.Helper()
	ours, _ := b.settled(t, scheme)
	plain, _, _ := b.booked(t, scheme)
	first, _, document := b.booked(t, scheme)
	granted, _ := b.recalled(t, scheme, document, "CUST")
	second, secondGlobal, document := b.booked(t, scheme)
	refused, refusedGlobal := b.recalled(t, scheme, document, "FRAD")
	return []life{
		{
			kind: "recall", body: recallBody(ours, "CUST", "additionalInformation", "Asked by the customer"), payment: ours,
			shows: "Recall in Progress",
		},
		{kind: "return", body: returnBody(plain, "AC04"), payment: plain, shows: "Return in Progress"},
		{kind: "return", body: returnBody(first, "FOCR"), payment: first, recall: granted, shows: "Return in Progress"},
		{kind: "resolution", body: resolutionBody(secondGlobal, strings.ToLower(refusedGlobal), "NOAS"), payment: second, recall: refused},
	}
}

func TestEachKindIsCreatedByOneAndApprovedByAnother(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		b := setupInterbank(t)
		for _, l := range b.lives(t, scheme) {
			b.live(t, scheme, l)
		}
	}
}

// live creates, reads, approves and reads again.
func (b *interbankBundle) live(t *testing.T, scheme rulebook.Scheme, l life) {
	t.Helper()
	made := b.ok(t, call{Path: requestPath(scheme, l.kind), Who: maker1, Body: l.body})
	id := made.Text("identifiers", "internalId")
	if made.Text("success", "status") != "Approval Pending" || made.Text("success", "transactionid") != made.Text("identifiers", "globalId") {
		t.Errorf("%s %s: created: %s", scheme, l.kind, made.Body)
	}
	credit := l.payment
	if l.kind == "recall" {
		credit = ""
	}
	b.checkRead(t, id, l, map[string]string{"state": "Approval Pending", "createdBy": "maker1", "creditId": credit, "scheme": string(scheme)})
	paths := []string{
		approvePath, "/api/common/v1/" + l.kind + "/approval",
		"/api/" + string(scheme) + "/v1/" + l.kind + "/approval", "/api/" + string(scheme) + "/v1/" + l.kind + "/approve",
	}
	for _, path := range paths {
		if a := b.Send(t, call{Path: path, Who: maker2, Body: verdict(id, "approve")}); a.Status != http.StatusForbidden {
			t.Errorf("%s as no checker: %d %s", path, a.Status, a.Body)
		}
	}
	decided := b.ok(t, call{Path: paths[int(b.number.Add(1))%len(paths)], Who: checker1, Body: verdict(id, "approve")})
	if decided.Text("success", "status") != "Approved" || decided.Text("identifiers", "creditId") != credit ||
		decided.Text("identifiers", "recallId") != l.recall {
		t.Errorf("%s %s: approved: %s", scheme, l.kind, decided.Body)
	}
	again := b.Send(t, call{Path: approvePath, Who: checker2, Body: verdict(id, "approve")})
	if again.Status != http.StatusBadRequest || again.GroupStatus() != "RJCT" ||
		!strings.Contains(again.Body, "Already approved by Checker 1") {
		t.Errorf("%s %s: approved twice: %d %s", scheme, l.kind, again.Status, again.Body)
	}
	b.deliver(t, id)
	state := "Processing"
	if l.kind == "resolution" && scheme == rulebook.SchemeSCT {
		state = "Communicated"
	}
	b.checkRead(t, id, l, map[string]string{"state": state, "originalInternalId": l.payment, "recallId": l.recall})
	about := b.ok(t, get("/api/common/v1/transaction/"+l.payment, supervisor1))
	if l.kind == "recall" && about.Text("transaction", "recallStatus") != l.shows ||
		l.kind == "return" && about.Text("transaction", "returnStatus") != l.shows {
		t.Errorf("%s %s: the payment: %s", scheme, l.kind, about.Body)
	}
}

// checkRead holds a transaction against what it should show, alone and in the list.
func (b *interbankBundle) checkRead(t *testing.T, id string, l life, want map[string]string) {
	t.Helper()
	want["kind"], want["direction"] = l.kind, "out"
	one := b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1))
	list := b.ok(t, get(listPath+"?direction=out&kind="+l.kind+"&state="+strings.ReplaceAll(want["state"], " ", "+"), supervisor1))
	for name, value := range want {
		if got := one.Text("transaction", name); got != value {
			t.Errorf("%s: %s is %q, want %q", l.kind, name, got, value)
		}
		if got := list.Text("transactions", 0, name); got != value {
			t.Errorf("%s in the list: %s is %q, want %q", l.kind, name, got, value)
		}
	}
	if !strings.Contains(l.body, `"`+one.Text("transaction", "reason")+`"`) || one.Text("transaction", "reason") == "" {
		t.Errorf("%s: reason %q", l.kind, one.Text("transaction", "reason"))
	}
}

func TestTheTreeOfAPayment(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	const scheme = rulebook.SchemeSCT
	payment, global, document := b.booked(t, scheme)
	recall, _ := b.recalled(t, scheme, document, "CUST")
	made := b.ok(t, call{Path: requestPath(scheme, "resolution"), Who: maker1, Body: resolutionBody(payment, recall, "CUST")})
	resolution := made.Text("identifiers", "internalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(resolution, "reject", "rejectReason", "Ask again")})
	made = b.ok(t, call{Path: requestPath(scheme, "return"), Who: maker1, Body: returnBody(payment, "FOCR")})
	back := made.Text("identifiers", "internalId")
	for from, want := range map[string][]string{
		payment: {back, resolution, recall}, global: {back, resolution, recall}, recall: {back, resolution, payment},
		back: {resolution, recall, payment},
	} {
		a := b.ok(t, get("/api/common/v1/transaction/"+from+"/related", checker1))
		var got []string
		for i := range a.At("transactions").([]any) {
			got = append(got, a.Text("transactions", i, "internalId"))
			if name := a.Text("transactions", i, "originalInternalId"); name != payment && got[i] != payment {
				t.Errorf("%s names %q as its payment", a.Text("transactions", i, "kind"), name)
			}
			if kind := a.Text(
				"transactions", i, "kind",
			); (kind == "return" || kind == "resolution") != (a.Text("transactions", i, "recallId") == recall) {
				t.Errorf("a %s answers %q", kind, a.Text("transactions", i, "recallId"))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("from %s: %v, want %v", from, got, want)
		}
	}
	a := b.ok(t, get("/api/common/v1/transaction/"+recall, checker1))
	for name, want := range map[string]string{
		"kind": "recall", "direction": "in", "state": "Awaiting Decision", "reason": "CUST", "creditId": payment, "createdBy": "",
		"channel": "clearing",
	} {
		if got := a.Text("transaction", name); got != want {
			t.Errorf("the received recall: %s is %q, want %q", name, got, want)
		}
	}
	if got := a.Text("transaction", "answerBy"); got < "2026-12-11" || got > "2026-12-12T23" {
		t.Errorf("the recall is to be answered by %q", got)
	}
	a = b.ok(t, get("/api/common/v1/transaction/"+payment, checker1))
	if a.Text("transaction", "creditId") != payment || a.Text("transaction", "returnStatus") != "Return in Progress" ||
		a.At("transaction", "recallStatus") != nil {
		t.Errorf("the payment: %s", a.Body)
	}
}

func TestRecallsOfBothDirectionsAreOneKind(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	var want []string
	for range 3 {
		payment, _ := b.settled(t, rulebook.SchemeSIC)
		made := b.ok(t, call{Path: requestPath(rulebook.SchemeSIC, "recall"), Who: maker1, Body: recallBody(payment, "CUST")})
		_, _, document := b.booked(t, rulebook.SchemeSIC)
		received, _ := b.recalled(t, rulebook.SchemeSIC, document, "CUST")
		want = append([]string{received, made.Text("identifiers", "internalId")}, want...)
	}
	pages := func(query string) (got []string) {
		for next := query; next != "" && len(got) < 20; {
			a := b.ok(t, get(listPath+"?kind=recall"+next, supervisor1))
			for i := range a.At("transactions").([]any) {
				got = append(got, a.Text("transactions", i, "internalId"))
			}
			cursor := a.Text("page", "next")
			if next = ""; cursor != "" {
				next = query + "&after=" + cursor
			}
		}
		return got
	}
	even, odd := []string{want[0], want[2], want[4]}, []string{want[1], want[3], want[5]}
	for query, want := range map[string][]string{
		"&pageSize=1": want, "&pageSize=4": want, "&pageSize=6": want, "&pageSize=2&direction=in": even, "&pageSize=2&direction=out": odd,
		"&pageSize=4&state=Awaiting+Decision": even, "&pageSize=4&createdBy=maker1": odd,
	} {
		if got := pages(query); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for page, want := range map[int][]string{1: want[:4], 2: want[4:], 3: nil} {
		a := b.ok(t, get(fmt.Sprintf("%s?kind=recall&pageSize=4&currentPage=%d", listPath, page), supervisor1))
		var got []string
		for i := range a.At("transactions").([]any) {
			got = append(got, a.Text("transactions", i, "internalId"))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("page %d: %v, want %v", page, got, want)
		}
	}
	if a := b.Send(t, get(listPath+"?kind=received+recall", supervisor1)); a.Status != http.StatusBadRequest {
		t.Errorf("the kind of the inside: %d", a.Status)
	}
}
