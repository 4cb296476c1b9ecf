package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/rulebook"
)

// refusedRequest is a request with what is found wrong with it.
type refusedRequest struct {
	name   string
	scheme rulebook.Scheme
	kind   string
	body   string
	want   []string // pointer and code
}

// refuse makes requests that a rule or the state of a payment refuses, and holds that nothing is stored.
func (b *interbankBundle) refuse(t *testing.T, cases []refusedRequest) {
	t.Helper()
	before := b.Rows(t)
	for _, test := range cases {
		a := b.Send(t, call{Path: requestPath(test.scheme, test.kind), Who: maker2, Body: test.body})
		if a.Status != http.StatusBadRequest || fmt.Sprint(found(a)) != fmt.Sprint(test.want) {
			t.Errorf("%s: %d %v, want %v: %s", test.name, a.Status, found(a), test.want, a.Body)
		}
		reasons, _ := a.At("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "StsRsnInf").([]any)
		if a.GroupStatus() != "RJCT" || len(reasons) != len(test.want) {
			t.Errorf("%s: the report has %d reasons: %s", test.name, len(reasons), a.Body)
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

const (
	swiss    = rulebook.SchemeSIC
	european = rulebook.SchemeSCT
)

func TestRecallsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	pending := b.Created(t, maker1)
	approved := b.Created(t, maker1)
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(approved, "approve")})
	settled, global := b.settled(t, european)
	swissSettled, _ := b.settled(t, swiss)
	incoming, _, _ := b.booked(t, swiss)
	recalled, _ := b.settled(t, swiss)
	first := b.ok(t, call{Path: requestPath(swiss, "recall"), Who: maker1, Body: recallBody(recalled, "DUPL")})
	second := b.Send(t, call{Path: requestPath(swiss, "recall"), Who: maker1, Body: recallBody(recalled, "CUST")})
	if named := second.Text("identifiers", "recallId"); named == "" || named != first.Text("identifiers", "internalId") {
		t.Errorf("the refusal of a second recall names %q: %s", named, second.Body)
	}
	id, reason, line := "/identifiers/internalId", "/RecallDetails/reason", "/RecallDetails/additionalInformation"
	b.refuse(t, []refusedRequest{
		{"not approved", swiss, "recall", recallBody(pending, "DUPL"), []string{id + " NARR"}},
		{"not settled", swiss, "recall", recallBody(approved, "DUPL"), []string{id + " NARR"}},
		{"a payment that came in", swiss, "recall", recallBody(incoming, "DUPL"), []string{id + " NARR"}},
		{"a second recall", swiss, "recall", recallBody(recalled, "CUST"), []string{id + " AM05"}},
		{"of the other scheme", swiss, "recall", recallBody(settled, "DUPL"), []string{id + " NARR"}},
		{"no reason of the scheme", european, "recall", recallBody(settled, "UPAY"), []string{reason + " CH16"}},
		{"no reason of the other", swiss, "recall", recallBody(swissSettled, "AM09"), []string{reason + " CH16"}},
		{"no line allowed", european, "recall", recallBody(global, "DUPL", "additionalInformation", "x"), []string{line + " CH17"}},
		{"too many lines", european, "recall", recallBody(global, "FRAD", "additionalInformation", []string{"x", "y"}), []string{line + " CH17"}},
		{
			"odd lines", swiss, "recall", recallBody(swissSettled, "FRAD", "additionalInformation", []string{"x", "  ", "Ω"}),
			[]string{line + "/1 CH16", line + "/2 CH16"},
		},
		{"an odd single line", swiss, "recall", recallBody(swissSettled, "FRAD", "additionalInformation", "Ω"), []string{line + " CH16"}},
		{
			"in a wrapper, beside the details", swiss, "recall",
			string(object("paymentRequest", object("identifiers", object("internalId", swissSettled), "reason", "XXXX",
				"additionalInformation", "x"))),
			[]string{"/paymentRequest/reason CH16"},
		},
		{
			"a line beside the details", swiss, "recall",
			string(object("identifiers", object("internalId", swissSettled), "RecallDetails", object("reason", "FRAD"), "additionalInformation",
				[]string{"x", "Ω"})),
			[]string{"/additionalInformation/1 CH16"},
		},
	})
	b.Clock.Add(15 * 24 * time.Hour)
	b.SignOut()
	b.refuse(t, []refusedRequest{{"too late", european, "recall", recallBody(settled, "DUPL"), []string{id + " TM01"}}})
	b.ok(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(settled, "CUST")}) // has thirteen months
}

func TestARecallRunsOutOfTimeInTheQueue(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	settled, _ := b.settled(t, european)
	b.Clock.Add(13 * 24 * time.Hour)
	b.SignOut()
	made := b.ok(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(settled, "TECH")})
	id := made.Text("identifiers", "internalId")
	_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE message SET expires_at = expires_at + interval '10 days'")
	must(t, err)
	b.DB.SealVersions(t)
	b.Clock.Add(3 * 24 * time.Hour)
	b.SignOut()
	a := b.Send(t, call{Path: "/api/sct-inst/v1/recall/approve", Who: checker1, Body: verdict(id, "approve")})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || fmt.Sprint(found(a)) != "[/identifiers/internalId TM01]" {
		t.Errorf("approved after the deadline: %d %s", a.Status, a.Body)
	}
	a = b.ok(t, call{Path: "/api/sct-inst/v1/recall/approve", Who: checker1, Body: verdict(id, "reject", "rejectReason", "too late")})
	if a.Text("success", "status") != "Rejected" {
		t.Errorf("rejected: %s", a.Body)
	}
}

func TestReturnsAndResolutionsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	outgoing, _ := b.settled(t, european)
	plain, _, _ := b.booked(t, european)
	other, _, document := b.booked(t, european)
	foreign, _ := b.recalled(t, european, document, "CUST")
	returned, _, _ := b.booked(t, swiss)
	b.ok(t, call{Path: requestPath(swiss, "return"), Who: maker1, Body: returnBody(returned, "AC04")})
	asked, _, document := b.booked(t, european)
	recall, _ := b.recalled(t, european, document, "FRAD")
	id, recallID, reason, line, charge := "/identifiers/creditId", "/identifiers/recallId", "Details/reason", "Details/additionalInformation",
		"/ReturnDetails/chargeAmount"
	b.refuse(t, []refusedRequest{
		{"a payment of ours", european, "return", returnBody(outgoing, "AC04"), []string{id + " NARR"}},
		{"a recall", european, "return", returnBody(recall, "FOCR"), []string{id + " NARR"}},
		{"sent back before", swiss, "return", returnBody(returned, "AC01"), []string{id + " AM05"}},
		{"nobody recalled it", european, "return", returnBody(plain, "FOCR"), []string{"/Return" + reason + " CH16"}},
		{"recalled, so with FOCR only", european, "return", returnBody(asked, "AC04"), []string{"/Return" + reason + " CH16"}},
		{"no reason of the scheme", european, "return", returnBody(plain, "AC07"), []string{"/Return" + reason + " CH16"}},
		{
			"no line allowed", european, "return", returnBody(plain, "AC04", "additionalInformation", []string{"x"}),
			[]string{"/Return" + line + " CH17"},
		},
		{"part of it without a recall", european, "return", returnBody(plain, "AC04", "chargeAmount", "5.00"), []string{charge + " CH17"}},
		{"nothing would be left", european, "return", returnBody(asked, "FOCR", "chargeAmount", "100.00"), []string{charge + " AM02"}},
		{
			"a charge in francs", european, "return", returnBody(asked, "FOCR", "chargeAmount", object("Ccy", "CHF", "value", "5.00")),
			[]string{charge + "/Ccy AM03"},
		},
		{"of the other scheme", swiss, "return", returnBody(plain, "AC04"), []string{id + " NARR"}},
		{
			"by its internalId", european, "return",
			string(object("identifiers", object("internalId", outgoing), "reason", "AC04")),
			[]string{"/identifiers/internalId NARR"},
		},
		{"refusing what is no recall", european, "resolution", resolutionBody(asked, plain, "CUST"), []string{recallID + " NARR"}},
		{"refusing the recall of another", european, "resolution", resolutionBody(asked, foreign, "CUST"), []string{recallID + " NARR"}},
		{"refusing for a payment of ours", european, "resolution", resolutionBody(outgoing, recall, "CUST"), []string{id + " NARR"}},
		{"no reason of a refusal", european, "resolution", resolutionBody(asked, recall, "DUPL"), []string{"/Resolution" + reason + " CH16"}},
		{"a line too long for its prefix", european, "resolution", resolutionBody(asked, recall, "LEGL", "additionalInformation",
			[]string{strings.Repeat("a", 100)}), []string{"/Resolution" + line + "/0 CH16"}},
	})
	b.ok(t, call{Path: requestPath(european, "return"), Who: maker1, Body: returnBody(asked, "FOCR")})
	b.ok(t, call{Path: requestPath(european, "resolution"), Who: maker1, Body: resolutionBody(other, foreign, "CUST")})
	b.refuse(t, []refusedRequest{
		{"a refusal after the grant", european, "resolution", resolutionBody(asked, recall, "CUST"), []string{id + " AM05"}},
		{"a grant after the refusal", european, "return", returnBody(other, "FOCR"), []string{id + " AM05"}},
	})
	b.Clock.Add(6 * 24 * time.Hour)
	b.SignOut()
	b.refuse(t, []refusedRequest{{"too late", european, "return", returnBody(plain, "AC04"), []string{id + " TM01"}}})
}

func TestAChargeIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	for text, want := range map[string]string{
		`"5.00"`: "95.00", `5.1`: "94.90", `0.29`: "99.71", `{"Ccy":"EUR","value":"5"}`: "95.00", `{"Ccy":"EUR","value":99.99}`: "0.01",
	} {
		id, _, document := b.booked(t, european)
		b.recalled(t, european, document, "CUST")
		body := strings.Replace(returnBody(id, "FOCR", "chargeAmount", "CHARGE"), `"CHARGE"`, text, 1)
		made := b.ok(t, call{Path: requestPath(european, "return"), Who: maker1, Body: body})
		a := b.ok(t, get("/api/common/v1/transaction/"+made.Text("identifiers", "internalId"), supervisor1))
		if a.Text("transaction", "amount", "value") != want {
			t.Errorf("%s: %s goes back, want %s", text, a.Text("transaction", "amount", "value"), want)
		}
	}
	id, _, document := b.booked(t, european)
	b.recalled(t, european, document, "CUST")
	const at = "/ReturnDetails/chargeAmount"
	for text, want := range map[string]string{
		`"1,50"`: at + " AM12", `1e1`: at + " AM12", `1.005`: at + " CH20", `-1`: at + " AM12", `"-1"`: at + " AM12", `0`: at + " AM01",
		`1e99999999`: at + " AM12", `""`: at + " CH21",
		`true`: at + " FF01", `["5"]`: at + " FF01", `{"value":"5"}`: at + "/Ccy CH21", `{"Ccy":"EUR"}`: at + "/value CH21",
		`{"Ccy":"EUR","value":null}`:          at + "/value FF01",
		`{"Ccy":"EUR","value":"5","tax":"1"}`: at + "/tax CH17", `{"ccy":"EUR","value":"5"}`: at + "/Ccy CH21 " + at + "/ccy FF01",
	} {
		body := strings.Replace(returnBody(id, "FOCR", "chargeAmount", "CHARGE"), `"CHARGE"`, text, 1)
		a := b.Send(t, call{Path: requestPath(european, "return"), Who: maker1, Body: body})
		if a.Status != http.StatusBadRequest || strings.Join(found(a), " ") != want || a.GroupStatus() != "" {
			t.Errorf("%s: %d %v, want %s: %s", text, a.Status, found(a), want, a.Body)
		}
	}
}

func TestIdsOfOthersAndOfNobodyAreRefusedAlike(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	ours, oursGlobal := b.settled(t, european)
	payment, paymentGlobal, document := b.booked(t, european)
	recall, recallGlobal := b.recalled(t, european, document, "CUST")
	made := b.ok(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(ours, "CUST")})
	mine := made.Text("identifiers", "internalId")
	unknown, nothing := uuid.Must(uuid.NewV7()).String(), "nothing-like-it"
	before := b.Rows(t)
	for name, test := range map[string]struct {
		path string
		body func(id string) string
		ids  []string
		who  person
	}{
		"recall": {
			requestPath(european, "recall"), func(id string) string { return recallBody(id, "CUST") },
			[]string{ours, oursGlobal, payment, unknown, nothing},
			otherMaker,
		},
		"return": {
			requestPath(european, "return"), func(id string) string { return returnBody(id, "AC04") },
			[]string{payment, paymentGlobal, ours, unknown, nothing},
			otherMaker,
		},
		"resolution": {
			requestPath(european, "resolution"), func(id string) string { return resolutionBody(id, recall, "CUST") },
			[]string{payment, paymentGlobal, unknown, nothing},
			otherMaker,
		},
		"recall answered": {
			requestPath(european, "resolution"), func(id string) string { return resolutionBody(unknown, id, "CUST") },
			[]string{recall, recallGlobal, unknown, nothing},
			otherMaker,
		},
		"cancel": {"/api/sct-inst/v1/recall/cancel", func(id string) string {
			return string(object("identifiers", object("internalId", id)))
		}, []string{mine, unknown, nothing}, otherMaker},
		"approve": {
			"/api/sct-inst/v1/recall/approve", func(id string) string { return verdict(id, "approve") },
			[]string{mine, unknown, nothing},
			otherCheck,
		},
		"approve a return": {
			"/api/common/v1/return/approval", func(id string) string { return verdict(id, "approve") },
			[]string{mine, unknown, nothing},
			otherCheck,
		},
	} {
		seen := map[string]bool{}
		for _, id := range test.ids {
			a := b.Send(t, call{Path: test.path, Who: test.who, Body: test.body(id)})
			if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" {
				t.Errorf("%s %s: %d %s", name, id, a.Status, a.Body)
			}
			seen[sameButIDs.ReplaceAllString(strings.ReplaceAll(a.Body, nothing, "…"), "…")] = true
		}
		if len(seen) != 1 {
			t.Errorf("%s: the answers differ: %v", name, seen)
		}
	}
	a := b.Send(t, call{Path: requestPath(european, "resolution"), Who: maker1, Body: resolutionBody(payment, unknown, "CUST")})
	if fmt.Sprint(found(a)) != "[/identifiers/recallId NARR]" {
		t.Errorf("an unknown recall of a payment: %s", a.Body)
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}
