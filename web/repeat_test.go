package web_test

import (
	"maps"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
)

const (
	cancelPath = "/api/sic-inst/v1/instruction/cancel"
	updatePath = "/api/sic-inst/v1/instruction/update"
)

// said is an answer without its header, which is of the request and not of what was done.
func said(a answer) map[string]any {
	rest := maps.Clone(a.json)
	delete(rest, "header")
	return rest
}

// again sends a request once more, and wants the first answer back and nothing stored.
func (b *bundle) again(t *testing.T, c call, first answer) {
	t.Helper()
	before := b.rows(t)
	a := b.send(t, c)
	if a.status != http.StatusOK || a.header.Get("Idempotent-Replayed") != "true" || !reflect.DeepEqual(said(a), said(first)) {
		t.Errorf("%s again: %d %v\n got %s\nwant %s", c.path, a.status, a.header.Get("Idempotent-Replayed"), a.body, first.body)
	}
	if after := b.rows(t); after != before {
		t.Errorf("%s again: %d rows were stored", c.path, after-before)
	}
}

func TestADecisionThatComesAgainHasItsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, body := range map[string]func(id string) string{
		"approve":               func(id string) string { return verdict(id, "approve") },
		"approve with a remark": func(id string) string { return verdict(id, "approve", "rejectReason", " seen ") },
		"reject":                func(id string) string { return verdict(id, "reject", "rejectReason", "not ours") },
	} {
		id := b.created(t, maker1)
		c := call{path: approvePath, who: checker1, body: body(id)}
		first := b.ok(t, c)
		if first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: the first answer is no repeat", name)
		}
		b.again(t, c, first)
		b.again(t, call{path: "/api/sic-inst/v1/instruction/approve", who: checker1, body: c.body}, first)
	}
}

func TestOnlyTheSameDecisionOfTheSamePersonIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	approved, rejected := b.created(t, maker1), b.created(t, maker1)
	hash := b.send(t, get("/api/common/v1/transaction/"+approved, checker1)).text("transaction", "contentHash")
	b.ok(t, call{path: approvePath, who: checker1, body: verdict(approved, "approve", "contentHash", hash)})
	b.ok(t, call{path: approvePath, who: checker1, body: verdict(rejected, "reject", "rejectReason", "not ours")})
	for name, c := range map[string]call{
		"another person":       {who: checker2, body: verdict(approved, "approve")},
		"the other action":     {who: checker1, body: verdict(approved, "reject", "rejectReason", "no")},
		"other content":        {who: checker1, body: verdict(approved, "approve", "contentHash", strings.Repeat("a", 64))},
		"a remark":             {who: checker1, body: verdict(approved, "approve", "rejectReason", "seen")},
		"another reason":       {who: checker1, body: verdict(rejected, "reject", "rejectReason", "another")},
		"approve the rejected": {who: checker1, body: verdict(rejected, "approve")},
	} {
		c.path = approvePath
		a := b.send(t, c)
		if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || a.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if a.text("decision", "userId") != "checker1" || a.text("decision", "by") != "Checker 1" || a.text("decision", "at") == "" || a.text("state") == "" {
			t.Errorf("%s: who decided is told in members: %s", name, a.body)
		}
	}
	b.again(t, call{path: approvePath, who: checker1, body: verdict(approved, "approve")}, // names no content, of which there was one version
		b.send(t, call{path: approvePath, who: checker1, body: verdict(approved, "approve", "contentHash", hash)}))
}

// TestAFirstApprovalOfTwoIsRepeatedAsItWas: also when the second one has released the message since.
func TestAFirstApprovalOfTwoIsRepeatedAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	large := strings.ReplaceAll(sample, "199.95", "12000.00")
	a := b.ok(t, call{path: createSwiss, who: maker1, body: order(large)})
	body := verdict(a.text("identifiers", "internalId"), "approve")
	one := call{path: approvePath, who: checker1, body: body}
	first := b.ok(t, one)
	if first.groupStatus() != "PNDG" {
		t.Fatalf("one of two: %s", first.body)
	}
	b.again(t, one, first)
	two := call{path: approvePath, who: checker2, body: body}
	second := b.ok(t, two)
	if second.groupStatus() != "ACSP" {
		t.Fatalf("two of two: %s", second.body)
	}
	b.again(t, one, first)
	b.again(t, two, second)
}

func TestACancellationThatComesAgainHasItsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	identifiers := `{"identifiers":{"internalId":"` + id + `"}`
	c := call{path: cancelPath, who: maker1, body: identifiers + `,"reason":"Entered twice"}`}
	b.again(t, c, b.ok(t, c))
	for name, other := range map[string]call{
		"another reason": {who: maker1, body: identifiers + `,"reason":"Other"}`},
		"no reason":      {who: maker1, body: identifiers + `}`},
	} {
		other.path = cancelPath
		if a := b.send(t, other); a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || a.text("state") != "Withdrawn" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := b.send(t, call{path: cancelPath, who: maker2, body: c.body}); a.status != http.StatusForbidden {
		t.Errorf("by another person: %d %s", a.status, a.body)
	}
}

// TestAnUpdateThatComesAgainHasItsFirstAnswer: by its meaning, and also when the message was decided since. An update that another one
// followed is a new one.
func TestAnUpdateThatComesAgainHasItsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	body := updateOf(id, strings.Replace(order(sample), "Peter Haller", "Petra Haller", 1))
	c := call{path: updatePath, who: maker2, body: body}
	first := b.ok(t, c)
	b.again(t, c, first)
	b.again(t, call{path: updatePath, who: maker2, body: strings.Replace(body, "2026-11-20T10:00:00+01:00", "2026-11-20T10:00:01+01:00", 1)}, first)
	hash := b.send(t, get("/api/common/v1/transaction/"+id, checker1)).text("transaction", "contentHash")
	b.ok(t, call{path: approvePath, who: checker1, body: verdict(id, "approve", "contentHash", hash)})
	b.again(t, c, first)
	if a := b.send(t, call{path: updatePath, who: maker1, body: body}); a.groupStatus() != "RJCT" {
		t.Errorf("by another person: %d %s", a.status, a.body)
	}
	if a := b.send(t, call{path: updatePath, who: maker2, body: strings.Replace(body, "Petra", "Paula", 1)}); a.groupStatus() != "RJCT" {
		t.Errorf("with other content: %d %s", a.status, a.body)
	}
}

// TestOneOfTheSameDecisionsIsStored: sixteen times the same approval at once has sixteen equal answers.
func TestOneOfTheSameDecisionsIsStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	b.token(t, checker1)
	answers := make([]answer, 16)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")}) })
	}
	group.Wait()
	first := 0
	for _, a := range answers {
		if a.status != http.StatusOK || !reflect.DeepEqual(said(a), said(answers[0])) {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	var decisions, refusals int
	connection := b.db.Connect(t)
	must(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM decision").Scan(&decisions))
	must(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM audit_event WHERE outcome = 'refused'").Scan(&refusals))
	if first != 1 || decisions != 1 || refusals != 0 {
		t.Errorf("%d first answers, %d decisions, %d refusals in the audit trail", first, decisions, refusals)
	}
}

func TestAKeyIsTakenOrRefusedInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	c := call{path: createSwiss, who: maker1, body: body, change: withKey("key-1")}
	b.again(t, c, b.ok(t, c))
	for name, other := range map[string]string{
		"other content":      strings.Replace(body, "Peter", "Petra", 1),
		"another order":      order(sample),
		"another externalId": strings.Replace(body, `"externalId":"X`, `"externalId":"Y`, 1),
	} {
		before := b.rows(t)
		a := b.send(t, call{path: createSwiss, who: maker1, body: other, change: withKey("key-1")})
		refused := a.status == http.StatusUnprocessableEntity || name == "other content" && found(a)[0] == "/identifiers/externalId DU01"
		if !refused || b.rows(t) != before {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	id := b.created(t, maker1)
	for path, body := range map[string]string{
		approvePath: verdict(id, "approve"), cancelPath: `{"identifiers":{"internalId":"` + id + `"}}`, updatePath: updateOf(id, order(sample)),
	} {
		a := b.send(t, call{path: path, who: maker1, body: body, change: withKey("key-2")})
		if got := found(a); a.status != http.StatusBadRequest || len(got) != 1 || got[0] != "Idempotency-Key CH17" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}
