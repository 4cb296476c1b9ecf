package web_test

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

const clearingPath = "/clearing/v1/sic-inst/messages"

func clearingCall(body string, change func(*http.Request)) call {
	return call{path: clearingPath, kind: "application/xml", body: body, change: func(r *http.Request) {
		r.Header.Del("X-Request-Id")
		r.Header.Set("Authorization", "Bearer "+clearingToken)
		if change != nil {
			change(r)
		}
	}}
}

// statusReport is a pacs.002 about a payment of ours: the sample, with the ids of that payment where it has any.
func statusReport(t *testing.T, sample, transaction string) string {
	t.Helper()
	content, err := os.ReadFile("../internal/iso20022/testdata/" + sample)
	must(t, err)
	before, rest, found := strings.Cut(string(content), "<OrgnlTxId>")
	_, after, closed := strings.Cut(rest, "</OrgnlTxId>")
	if !found || !closed {
		t.Fatalf("%s has no OrgnlTxId", sample)
	}
	report := before + "<OrgnlTxId>" + transaction + "</OrgnlTxId>" + after
	report = regexp.MustCompile(`<Orgnl(InstrId|EndToEndId|UETR)>[^<]*</Orgnl(InstrId|EndToEndId|UETR)>`).ReplaceAllString(report, "")
	return regexp.MustCompile(`<OrgnlMsgId>[^<]*<`).ReplaceAllString(report, "<OrgnlMsgId>P8"+transaction+"<")
}

func TestADocumentOfClearingIsStoredOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.send(t, call{path: createSwiss, who: straight, body: order(sample)})
	global := created.text("identifiers", "globalId")
	report := statusReport(t, "sic-inst_04_pacs.002.001.10_RJCT.xml", global)
	named := func(r *http.Request) { r.Header.Set("X-Message-Id", "clearing-1") }
	a := b.send(t, clearingCall(report, named))
	if a.status != http.StatusAccepted || a.text("status") != "Stored" {
		t.Fatalf("first: %d %s", a.status, a.body)
	}
	a = b.send(t, clearingCall(report, named))
	if a.status != http.StatusOK || a.text("status") != "Duplicate" {
		t.Errorf("again: %d %s", a.status, a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+global, supervisor1))
	if a.text("transaction", "state") != "Failed" || a.text("transaction", "statusReason", "code") == "" {
		t.Errorf("afterwards: %s", a.body)
	}
	a = b.send(t, get("/api/common/v1/error/list", supervisor1))
	if a.text("errors", 0, "globalId") != global || a.text("errors", 0, "reasonCode") == "" {
		t.Errorf("errors: %s", a.body)
	}
	if a = b.send(t, get("/api/common/v1/error/list", otherCheck)); len(a.at("errors").([]any)) != 0 {
		t.Errorf("errors of another realm: %s", a.body)
	}
}

func TestTheDoorOfClearingIsStrict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	report := statusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000")
	before := b.rows(t)
	for name, test := range map[string]struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		"no token":        {report, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":     {report, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 401},
		"a user's token":  {report, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+b.token(t, maker1)) }, 401},
		"a cookie":        {report, func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Cookie", "sid="+clearingToken) }, 401},
		"JSON":            {report, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, 415},
		"compressed":      {report, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		"too large":       {report + strings.Repeat(" ", 300<<10), nil, 413},
		"not XML":         {"{}", nil, 400},
		"empty":           {"", nil, 400},
		"broken off":      {report[:200], nil, 400},
		"other namespace": {strings.Replace(report, "pacs.002.001.10", "pacs.002.001.99", 1), nil, 400},
		"not valid":       {strings.Replace(report, "<TxSts>", "<TxStz>", 1), nil, 400},
		"DOCTYPE":         {`<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>` + report, nil, 400},
		"long message id": {report, func(r *http.Request) { r.Header.Set("X-Message-Id", strings.Repeat("a", 141)) }, 400},
		"odd message id":  {report, func(r *http.Request) { r.Header.Set("X-Message-Id", "a\x00b") }, 400},
	} {
		a := b.send(t, clearingCall(test.body, test.change))
		if a.status != test.want {
			t.Errorf("%s: %d %s, want %d", name, a.status, a.body, test.want)
		}
	}
	other := clearingCall(report, nil)
	other.path = "/clearing/v1/sct-inst/messages"
	if a := b.send(t, other); a.status != http.StatusUnauthorized {
		t.Errorf("a scheme the connection does not speak for: %d %s", a.status, a.body)
	}
	if after := b.rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
	if a := b.send(t, clearingCall(report, nil)); a.status != http.StatusAccepted {
		t.Errorf("a document about no payment: %d %s", a.status, a.body)
	}
}

// network takes every document.
type network struct{}

func (network) Deliver(context.Context, rulebook.Scheme, string, []byte) error { return nil }

func TestAnOutgoingDocumentIsDeliveredWhenClearingHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
	station := clearing.New(clearing.Config{
		Messages: b.messages, Network: network{}, Seal: b.seal, Now: b.now, NewID: newID, Random: random, Zone: b.zone, Log: b.logger,
	})
	m, err := b.messages.Message(t.Context(), "demo", parse(t, id))
	must(t, err)
	if m.State != payment.StateApproved {
		t.Fatalf("state %s", m.State)
	}
	must(t, station.Send(t.Context(), "demo", m.InternalID))
	a := b.send(t, get("/api/common/v1/interface/list?direction=out", supervisor1))
	if a.text("messages", 0, "type") != "pacs.008.001.08" || a.text("messages", 0, "status") != "Delivered" {
		t.Errorf("documents: %s", a.body)
	}
}

func TestTheReportOfAnEndedInstructionIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	list := get("/api/common/v1/interface/list?direction=out&internalId="+id, supervisor1)
	if a := b.send(t, list); a.text("messages", 0, "type") != "" {
		t.Errorf("a pending instruction has a report: %s", a.body)
	}
	b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "reject", "rejectReason", "Wrong account")})
	a := b.send(t, list)
	if a.text("messages", 0, "type") != "pain.002.001.10" || a.text("messages", 0, "status") != "Prepared" {
		t.Fatalf("documents: %s", a.body)
	}
	kept := b.send(t, get("/api/common/v1/interface/"+a.text("messages", 0, "id"), supervisor1))
	if !strings.Contains(string(kept.body), `"RJCT"`) || !strings.Contains(string(kept.body), a.text("messages", 0, "reference")) {
		t.Errorf("the report: %s", kept.body)
	}
}
