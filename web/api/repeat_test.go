package api_test

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
	rest := maps.Clone(a.JSON)
	delete(rest, "header")
	return rest
}

// again sends a request once more, and wants the first answer back and nothing stored.
func (b *bundle) again(t *testing.T, c call, first answer) {
	t.Helper()
	before := b.Rows(t)
	a := b.Send(t, c)
	if a.Status != http.StatusOK || a.Header.Get("Idempotent-Replayed") != "true" || !reflect.DeepEqual(said(a), said(first)) {
		t.Errorf("%s again: %d %v\n got %s\nwant %s", c.Path, a.Status, a.Header.Get("Idempotent-Replayed"), a.Body, first.Body)
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%s again: %d rows were stored", c.Path, after-before)
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
		id := b.Created(t, maker1)
		c := call{Path: approvePath, Who: checker1, Body: body(id)}
		first := b.ok(t, c)
		if first.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: the first answer is no repeat", name)
		}
		b.again(t, c, first)
		b.again(t, call{Path: "/api/sic-inst/v1/instruction/approve", Who: checker1, Body: c.Body}, first)
	}
}

func TestOnlyTheSameDecisionOfTheSamePersonIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	approved, rejected := b.Created(t, maker1), b.Created(t, maker1)
	hash := b.Send(t, get("/api/common/v1/transaction/"+approved, checker1)).Text("transaction", "contentHash")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(approved, "approve", "contentHash", hash)})
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(rejected, "reject", "rejectReason", "not ours")})
	for name, c := range map[string]call{
		"another person":       {Who: checker2, Body: verdict(approved, "approve")},
		"the other action":     {Who: checker1, Body: verdict(approved, "reject", "rejectReason", "no")},
		"other content":        {Who: checker1, Body: verdict(approved, "approve", "contentHash", strings.Repeat("a", 64))},
		"a remark":             {Who: checker1, Body: verdict(approved, "approve", "rejectReason", "seen")},
		"another reason":       {Who: checker1, Body: verdict(rejected, "reject", "rejectReason", "another")},
		"approve the rejected": {Who: checker1, Body: verdict(rejected, "approve")},
	} {
		c.Path = approvePath
		a := b.Send(t, c)
		if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
		if a.Text("decision", "userId") != "checker1" || a.Text("decision", "by") != "Checker 1" || a.Text("decision", "at") == "" ||
			a.Text("state") == "" {
			t.Errorf("%s: who decided is told in members: %s", name, a.Body)
		}
	}
	b.again(t, call{Path: approvePath, Who: checker1, Body: verdict(approved, "approve")}, // names no content, of which there was one version
		b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(approved, "approve", "contentHash", hash)}))
}

// TestAFirstApprovalOfTwoIsRepeatedAsItWas: also when the second one has released the message since.
func TestAFirstApprovalOfTwoIsRepeatedAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	large := strings.ReplaceAll(sample, "199.95", "12000.00")
	a := b.ok(t, call{Path: createSwiss, Who: maker1, Body: order(large)})
	body := verdict(a.Text("identifiers", "internalId"), "approve")
	one := call{Path: approvePath, Who: checker1, Body: body}
	first := b.ok(t, one)
	if first.GroupStatus() != "PNDG" {
		t.Fatalf("one of two: %s", first.Body)
	}
	b.again(t, one, first)
	two := call{Path: approvePath, Who: checker2, Body: body}
	second := b.ok(t, two)
	if second.GroupStatus() != "ACSP" {
		t.Fatalf("two of two: %s", second.Body)
	}
	b.again(t, one, first)
	b.again(t, two, second)
}

func TestACancellationThatComesAgainHasItsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	identifiers := `{"identifiers":{"internalId":"` + id + `"}`
	c := call{Path: cancelPath, Who: maker1, Body: identifiers + `,"reason":"Entered twice"}`}
	b.again(t, c, b.ok(t, c))
	for name, other := range map[string]call{
		"another reason": {Who: maker1, Body: identifiers + `,"reason":"Other"}`},
		"no reason":      {Who: maker1, Body: identifiers + `}`},
	} {
		other.Path = cancelPath
		if a := b.Send(t, other); a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("state") != "Withdrawn" {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if a := b.Send(t, call{Path: cancelPath, Who: maker2, Body: c.Body}); a.Status != http.StatusForbidden {
		t.Errorf("by another person: %d %s", a.Status, a.Body)
	}
}

// TestAnUpdateThatComesAgainHasItsFirstAnswer: by its meaning, and also when the message was decided since. An update that another one
// followed is a new one.
func TestAnUpdateThatComesAgainHasItsFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	body := updateOf(id, strings.Replace(order(sample), "Peter Haller", "Petra Haller", 1))
	c := call{Path: updatePath, Who: maker2, Body: body}
	first := b.ok(t, c)
	b.again(t, c, first)
	b.again(
		t, call{Path: updatePath, Who: maker2, Body: strings.Replace(body, "2026-11-20T10:00:00+01:00", "2026-11-20T10:00:01+01:00", 1)}, first,
	)
	hash := b.Send(t, get("/api/common/v1/transaction/"+id, checker1)).Text("transaction", "contentHash")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", hash)})
	b.again(t, c, first)
	if a := b.Send(t, call{Path: updatePath, Who: maker1, Body: body}); a.GroupStatus() != "RJCT" {
		t.Errorf("by another person: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, call{Path: updatePath, Who: maker2, Body: strings.Replace(body, "Petra", "Paula", 1)}); a.GroupStatus() != "RJCT" {
		t.Errorf("with other content: %d %s", a.Status, a.Body)
	}
}

// TestOneOfTheSameDecisionsIsStored: sixteen times the same approval at once has sixteen equal answers.
func TestOneOfTheSameDecisionsIsStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	b.Token(t, checker1)
	answers := make([]answer, 16)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")}) })
	}
	group.Wait()
	first := 0
	for _, a := range answers {
		if a.Status != http.StatusOK || !reflect.DeepEqual(said(a), said(answers[0])) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		if a.Header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	var decisions, refusals int
	connection := b.DB.Connect(t)
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
	c := call{Path: createSwiss, Who: maker1, Body: body, Change: withKey("key-1")}
	b.again(t, c, b.ok(t, c))
	for name, other := range map[string]string{
		"other content":      strings.Replace(body, "Peter", "Petra", 1),
		"another order":      order(sample),
		"another externalId": strings.Replace(body, `"externalId":"X`, `"externalId":"Y`, 1),
	} {
		before := b.Rows(t)
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: other, Change: withKey("key-1")})
		refused := a.Status == http.StatusUnprocessableEntity || name == "other content" && found(a)[0] == "/identifiers/externalId DU01"
		if !refused || b.Rows(t) != before {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	other := call{Path: createSwiss, Who: maker1, Body: order(sample), Change: withKey("key-2")}
	first := b.ok(t, other)
	for _, key := range []string{"key-1", "key-3"} { // of another order, and free: the externalId speaks first, and leaves the key as it was
		b.again(t, call{Path: createSwiss, Who: maker1, Body: other.Body, Change: withKey(key)}, first)
	}
	b.ok(t, call{Path: createSwiss, Who: maker1, Body: order(sample), Change: withKey("key-3")})
	// Steps repeat by themselves: a key, also one of another request, changes nothing.
	id, withdrawn, amended := b.Created(t, maker1), b.Created(t, maker1), b.Created(t, maker1)
	for _, step := range []call{
		{Path: approvePath, Who: checker1, Body: verdict(id, "approve")},
		{Path: cancelPath, Who: maker1, Body: `{"identifiers":{"internalId":"` + withdrawn + `"}}`},
		{Path: updatePath, Who: maker1, Body: updateOf(amended, order(sample))},
	} {
		step.Change = withKey("key-2")
		b.again(t, step, b.ok(t, step))
		step.Change = withKey("\x00")
		if a := b.Send(t, step); a.Status != http.StatusBadRequest {
			t.Errorf("%s with a key that is none: %d", step.Path, a.Status)
		}
	}
}

// TestAPolicyMayAskThatEachApprovalNamesItsContent: of messages of one version too; a rejection needs no name.
func TestAPolicyMayAskThatEachApprovalNamesItsContent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, other := b.Created(t, maker1), b.Created(t, maker1)
	_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE policy SET content_hash_required = true WHERE realm = 'demo'")
	must(t, err)
	b.DB.SealMasterData(t)
	a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if got := found(a); a.Status != http.StatusBadRequest || len(got) != 1 || got[0] != "/ApprovalDetails/contentHash CH21" ||
		!strings.Contains(a.Body, "the approval policy requires it") {
		t.Errorf("without: %d %s", a.Status, a.Body)
	}
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", b.hashOf(t, id))})
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(other, "reject", "rejectReason", "no")})
}
