package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/testutil"
)

const bulkPath = approvePath + "/bulk"

// hashOf reads the digest of a message's content.
func (b *bundle) hashOf(t *testing.T, id string) string {
	t.Helper()
	return b.Send(t, get("/api/common/v1/transaction/"+id, supervisor1)).Text("transaction", "contentHash")
}

func batchOf(entries ...string) string { return `{"approvals":[` + strings.Join(entries, ",") + `]}` }

// TestABatchDecidesEachByItself: what is malformed, refused, unknown, forbidden or repeated has its own result in its own place.
func TestABatchDecidesEachByItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	approved, rejected, own, stale := b.Created(t, maker1), b.Created(t, maker1), b.Created(t, both1), b.Created(t, maker1)
	first := verdict(approved, "approve", "contentHash", b.hashOf(t, approved))
	body := batchOf(
		first,
		verdict(rejected, "approve"), // names no content
		verdict(own, "approve", "contentHash", b.hashOf(t, own)),
		verdict(rejected, "reject", "rejectReason", "not ours", "contentHash", b.hashOf(t, rejected)),
		verdict(stale, "approve", "contentHash", strings.Repeat("a", 64)),
		verdict("019b0a50-0000-7000-8000-000000000001", "approve", "contentHash", strings.Repeat("a", 64)),
		first,
		`7`,
		verdict(rejected, "approve", "contentHash", b.hashOf(t, rejected)),
		strings.Replace(verdict(stale, "approve", "contentHash", b.hashOf(t, stale)), `"action"`, `"Action"`, 1),
	)
	a := b.ok(t, call{Path: bulkPath, Who: both1, Body: body})
	status := func(i int) any {
		return a.At("results", i, "answer", "message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "GrpSts")
	}
	field := func(i int) string {
		return a.Text("results", i, "answer", "fields", 0, "fieldMap") + " " + a.Text("results", i, "answer", "fields", 0, "reasonCode")
	}
	want := []string{
		"200 ACSP", "400 /approvals/1/ApprovalDetails/contentHash CH21", "403 403_FOUR_EYES", "200 RJCT",
		"400 /approvals/4/ApprovalDetails/contentHash CH16", "400 RJCT", "200 ACSP replayed", "400 /approvals/7 FF01", "400 RJCT",
		"400 /approvals/9/ApprovalDetails/action CH21",
	}
	var got []string
	results, _ := a.At("results").([]any)
	for i := range results {
		words := []any{a.At("results", i, "status")}
		switch {
		case status(i) != nil:
			words = append(words, status(i))
		case a.Text("results", i, "answer", "errorCode") != "":
			words = append(words, a.Text("results", i, "answer", "errorCode"))
		default:
			words = append(words, field(i))
		}
		if a.At("results", i, "replayed") == true {
			words = append(words, "replayed")
		}
		got = append(got, strings.TrimSpace(fmt.Sprintln(words...)))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for id, state := range map[string]string{approved: "Approved", rejected: "Rejected", own: "Approval Pending", stale: "Approval Pending"} {
		if now := b.Send(t, get("/api/common/v1/transaction/"+id, supervisor1)).Text("transaction", "state"); now != state {
			t.Errorf("%s is %s, want %s", id, now, state)
		}
	}
}

// TestABatchThatIsNoneIsRefusedAsAWhole: and nothing of it is decided.
func TestABatchThatIsNoneIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	good := verdict(id, "approve", "contentHash", b.hashOf(t, id))
	many := make([]string, 101)
	for i := range many {
		many[i] = good
	}
	before := b.Rows(t)
	for name, test := range map[string]struct{ body, want string }{
		"empty":           {batchOf(), "[/approvals CH21]"},
		"too many":        {batchOf(many...), "[/approvals FF01]"},
		"no list":         {`{"approvals":` + good + `}`, "[/approvals FF01]"},
		"missing":         {`{}`, "[/approvals CH21]"},
		"another":         {`{"approvals":[` + good + `],"x":1}`, "[/x CH17]"},
		"was interrupted": {`{"approvals":[` + good + `,`, "[/approvals FF01]"},
		"trailing":        {batchOf(good) + `{}`, "[ FF01]"},
		"wrapped":         {`{"paymentRequest":` + batchOf(good) + `}`, "[/approvals CH21 /paymentRequest CH17]"},
	} {
		a := b.Send(t, call{Path: bulkPath, Who: checker1, Body: test.body})
		if got := fmt.Sprint(found(a)); a.Status != http.StatusBadRequest || got != test.want && name != "was interrupted" {
			t.Errorf("%s: %d %s, want %s", name, a.Status, got, test.want)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

// TestABatchWithMoreMistakesThanAreToldDecidesNothing: what is not told of an entry must not make it a good one.
func TestABatchWithMoreMistakesThanAreToldDecidesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	good := verdict(id, "approve", "contentHash", b.hashOf(t, id))
	before := b.Rows(t)
	for name, test := range map[string]struct {
		body string
		want int
	}{
		"strange members":  {batchOf(strings.Repeat(`{"a":1,"b":2,"c":3},`, 99) + good), 200},
		"missing members":  {batchOf(good + strings.Repeat(`,{"identifiers":{},"ApprovalDetails":{}},{}`, 49) + `,{"x":1}`), 200},
		"10,000 of a list": {batchOf(good + strings.Repeat(`,0`, 10_000)), 100}, // the list itself, and the first hundred without the good one
	} {
		a := b.Send(t, call{Path: bulkPath, Who: checker1, Body: test.body})
		if got := found(a); a.Status != http.StatusBadRequest || len(got) != test.want {
			t.Errorf("%s: %d with %d fields, want %d", name, a.Status, len(got), test.want)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

// TestAHundredDecisionsAtOnceTwice: two equal batches race, each message is decided once, and both are told the same.
func TestAHundredDecisionsAtOnceTwice(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	entries := make([]string, 100)
	for i := range entries {
		id := b.Created(t, maker1)
		entries[i] = verdict(id, "approve", "contentHash", b.hashOf(t, id))
	}
	b.Token(t, checker1)
	var answers [2]answer
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = b.Send(t, call{Path: bulkPath, Who: checker1, Body: batchOf(entries...)}) })
	}
	group.Wait()
	late := b.Send(t, call{Path: bulkPath, Who: checker1, Body: batchOf(entries...)}) // what a loaded machine did not reach in time
	for i := range entries {
		if late.At("results", i, "status") != 200.0 ||
			late.Text("results", i, "answer", "message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "GrpSts") != "ACSP" {
			t.Errorf("%d: %v", i, late.At("results", i))
		}
		for _, a := range answers {
			if a.At("results", i, "status") == 200.0 &&
				!reflect.DeepEqual(a.At("results", i, "answer", "message"), late.At("results", i, "answer", "message")) {
				t.Errorf("%d: %v and %v", i, a.At("results", i), late.At("results", i))
			}
		}
	}
	var decisions int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM decision").Scan(&decisions))
	if decisions != len(entries) {
		t.Errorf("%d decisions are stored", decisions)
	}
}

// TestAHundredCreatedPaymentsAreDecidedByOneCall: the answers of the creations have all that the approval names, and one call decides a
// hundred, several at a time.
func TestAHundredCreatedPaymentsAreDecidedByOneCall(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for round := range testutil.Count(t, "COUNTERSIGN_BULKS", 2) {
		entries := make([]string, 100)
		for i := range entries {
			a := b.ok(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
			if a.Text("transaction", "state") != "Approval Pending" || a.At("transaction", "approvalsRequired") != 1.0 {
				t.Fatal(a.Body)
			}
			entries[i] = verdict(a.Text("transaction", "internalId"), "approve", "contentHash", a.Text("transaction", "contentHash"))
		}
		began := time.Now()
		a := b.ok(t, call{Path: bulkPath, Who: checker1, Body: batchOf(entries...)})
		t.Logf("round %d: %s", round, time.Since(began))
		for i := range entries {
			if a.At("results", i, "status") != 200.0 {
				t.Errorf("round %d, %d: %v", round, i, a.At("results", i))
			}
		}
	}
}
