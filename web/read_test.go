package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

const listPath = "/api/common/v1/transaction/list"

func TestTheSearchFindsWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	swiss := b.send(t, call{path: createSwiss, who: maker1, body: order(sample)})
	b.clock.Add(int64(48 * time.Hour))
	b.tokens.Clear()
	other := strings.NewReplacer("2026-11-20", "2026-11-22", "E2E-1", "E2E-2", "1250.40", "7.05").Replace(order(europeanSample))
	european := b.send(t, call{path: createEuropean, who: maker2, body: other})
	if swiss.status != http.StatusOK || european.status != http.StatusOK {
		t.Fatalf("create: %s %s", swiss.body, european.body)
	}
	one, two := swiss.text("identifiers", "internalId"), european.text("identifiers", "internalId")
	b.send(t, call{path: approvePath, who: checker1, body: verdict(two, "approve")})
	both := []string{two, one}
	for query, want := range map[string][]string{
		"": both, "scheme=sic-inst": {one}, "scheme=sct-inst": {two}, "kind=instruction": both, "kind=recall": nil, "direction=out": both,
		"direction=in": nil, "state=Approved": {two}, "state=Approved&state=Approval+Pending": both, "state=Settled": nil,
		"createdBy=maker1": {one}, "createdBy=MAKER2": {two}, "createdBy=nobody": nil, "currency=CHF": {one}, "amountFrom=199.95": {one},
		"amountFrom=199.96": nil, "amountTo=7.05": {two}, "amountFrom=7&amountTo=200": both, "endToEndId=E2E-1": {one}, "endToendId=E2E-2": {two},
		"instructionId=INSTR-1": both, "externalId=" + swiss.text("identifiers", "externalId"): {one}, "externalId=x": nil,
		"globalId=" + european.text("identifiers", "globalId"):                  {two},
		"globalId=" + strings.ToLower(european.text("identifiers", "globalId")): {two},
		"globalId=x": nil, "internalId=" + one: {one}, "internalId=x": nil, "creditorName=haller": {one}, "creditorName=%25": nil,
		"debtorName=Muster": both, "creditorAccount=CH48+2196+6000+0096+1338+8": {one}, "creditorAccount=fr1420041010050500013M02606": {two},
		"debtorAccount=CH5021977000004331346": {one}, "debtorAgent=21977": {one}, "creditorAgent=BBBBFRPPXXX": {two},
		"creationAtTo=2026-11-20": {one}, "creationAtFrom=2026-11-21": {two}, "creationAtFrom=2026-11-20T09:30:00Z&creationAtTo=2026-11-20T10:30:00%2B01:00": {one},
		"creationAtFrom=2026-11-20T09:30:01Z": {two}, "creditorName=" + url.QueryEscape("' OR 1=1 --"): nil,
	} {
		a := b.send(t, get(listPath+"?"+query, supervisor1))
		var got []string
		list, _ := a.at("transactions").([]any)
		for i := range list {
			got = append(got, a.text("transactions", i, "internalId"))
		}
		if a.status != http.StatusOK || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d %v, want %v", query, a.status, got, want)
		}
	}
	a := b.send(t, get(listPath+"?state=Approved", supervisor1))
	if a.text("transactions", 0, "approvals", 0, "by") != "Checker 1" {
		t.Errorf("the list does not say who approved: %s", a.body)
	}
}

func TestQueriesThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]string{
		"colour=red": "colour CH17", "State=Approved": "State CH17", "state=approved": "state CH16", "state=": "state FF01",
		"scheme=sepa": "scheme CH16", "kind=x": "kind CH16", "direction=x": "direction CH16", "currency=USD": "currency CH16",
		"scheme=sic-inst&scheme=sct-inst": "scheme FF01", "amountFrom=1e3": "amountFrom AM12", "amountFrom=1.234": "amountFrom AM12",
		"amountTo=-1": "amountTo AM12", "creationAtFrom=yesterday": "creationAtFrom DT01", "creationAtTo=2026-13-01": "creationAtTo DT01",
		"pageSize=0": "pageSize FF01", "pageSize=101": "pageSize FF01", "pageSize=x": "pageSize FF01", "currentPage=0": "currentPage FF01",
		"currentPage=10001&pageSize=100": "currentPage FF01", "currentPage=9999&pageSize=100": "currentPage FF01", "after=x": "after FF01",
		"after=" + uuid.NewString() + "&currentPage=2": "currentPage CH17", "endToEndId=a&endToendId=b": "endToendId CH17",
		"creditorName=a%00b": "creditorName FF01", "creditorName=%FF": "creditorName FF01", "creditorName=" + strings.Repeat("a", 141): "creditorName FF01",
		"a%00%FF=b": "a\x00? CH17", "%zz": " FF01", "externalId=a;b": " FF01",
	} {
		a := b.send(t, get(listPath+"?"+query, supervisor1))
		if got := fmt.Sprint(found(a)); a.status != http.StatusBadRequest || got != "["+want+"]" {
			t.Errorf("%s: %d %s, want %s", query, a.status, got, want)
		}
	}
	id := b.created(t, maker1)
	for _, path := range []string{"transaction/" + id, "transaction/" + id + "/audit", "account/list", "interface/" + id, "interface/list", "error/list"} {
		if a := b.send(t, get("/api/common/v1/"+path+"?x=1", supervisor1)); a.status != http.StatusBadRequest {
			t.Errorf("%s with an unknown parameter: %d", path, a.status)
		}
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var want []string
	for range 5 {
		want = append([]string{b.created(t, maker1)}, want...)
	}
	for _, path := range []string{listPath, "/api/common/v1/interface/list"} {
		var got []string
		next := "?pageSize=2"
		for next != "" && len(got) < 10 {
			a := b.send(t, get(path+next, supervisor1))
			for _, member := range []string{"transactions", "messages"} {
				list, _ := a.at(member).([]any)
				for i := range list {
					got = append(got, a.text(member, i, "internalId"))
				}
			}
			next = ""
			if cursor := a.text("page", "next"); cursor != "" {
				next = "?pageSize=2&after=" + cursor
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s by cursor: %v, want %v", path, got, want)
		}
	}
	for page, want := range map[int][]string{1: want[:2], 2: want[2:4], 3: want[4:], 4: nil} {
		a := b.send(t, get(fmt.Sprintf("%s?pageSize=2&currentPage=%d", listPath, page), supervisor1))
		var got []string
		for i := range a.at("transactions").([]any) {
			got = append(got, a.text("transactions", i, "internalId"))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || a.at("page", "currentPage") != float64(page) {
			t.Errorf("page %d: %v, want %v", page, got, want)
		}
	}
}

func TestAGlobalIDNamesATransactionToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.send(t, call{path: createSwiss, who: maker1, body: order(sample)})
	id, global := created.text("identifiers", "internalId"), created.text("identifiers", "globalId")
	for _, path := range []string{"", "/history", "/audit", "/related", "/messages"} {
		by := b.send(t, get("/api/common/v1/transaction/"+global+path, checker1))
		with := b.send(t, get("/api/common/v1/transaction/"+id+path, checker1))
		delete(by.json, "header")
		delete(with.json, "header")
		if by.status != http.StatusOK || fmt.Sprint(by.json) != fmt.Sprint(with.json) {
			t.Errorf("%s: %d %s", path, by.status, by.body)
		}
	}
	wrong := global[:15] + string(rune('0'+('9'-global[15]+10)%10))
	for _, given := range []string{wrong, "x", strings.ToUpper(id) + "0", "urn:uuid:" + id, "%00", "%FF"} {
		if a := b.send(t, get("/api/common/v1/transaction/"+given, checker1)); a.status != http.StatusNotFound {
			t.Errorf("%q: %d %s", given, a.status, a.body)
		}
	}
}

func TestRelatedTransactionsShareTheEndToEndID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.created(t, maker1), b.created(t, maker1)
	lone := b.send(t, call{path: createSwiss, who: maker1, body: strings.Replace(order(sample), "E2E-1", "NOTPROVIDED", 1)})
	b.send(t, call{path: createSwiss, who: maker1, body: strings.Replace(order(sample), "E2E-1", "NOTPROVIDED", 1)})
	a := b.send(t, get("/api/common/v1/transaction/"+one+"/related", checker1))
	if list := a.at("transactions").([]any); len(list) != 1 || a.text("transactions", 0, "internalId") != two {
		t.Errorf("related: %s", a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+lone.text("identifiers", "internalId")+"/related", checker1))
	if list := a.at("transactions").([]any); a.status != http.StatusOK || len(list) != 0 {
		t.Errorf("without an end-to-end id: %s", a.body)
	}
}

func TestADocumentIsShownAsItsExactBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	a := b.send(t, get("/api/common/v1/interface/list?internalId="+id+"&type=pain.001.001.09&direction=in&scheme=sic-inst", checker1))
	document := a.text("messages", 0, "id")
	var stored []byte
	must(t, b.db.Connect(t).QueryRow(t.Context(), "SELECT content FROM document WHERE document_id = $1", document).Scan(&stored))
	accept := func(kinds string) answer {
		return b.send(t, call{method: http.MethodGet, path: "/api/common/v1/interface/" + document, who: checker1, change: func(r *http.Request) {
			r.Header.Set("Accept", kinds)
		}})
	}
	for _, kinds := range []string{"application/xml", "text/html, application/xml;q=0.9, application/json"} {
		a = accept(kinds)
		if a.status != http.StatusOK || a.body != string(stored) || a.header.Get("Content-Type") != "application/xml" {
			t.Errorf("%s: %d %v %s", kinds, a.status, a.header, a.body)
		}
	}
	for _, kinds := range []string{"", "*/*", "application/json, application/xml", "nonsense"} {
		a = accept(kinds)
		if a.status != http.StatusOK || a.text("message", "Document", "CstmrCdtTrfInitn", "PmtInf", 0, "PmtInfId") != "PMT-1" {
			t.Errorf("%s: %d %s", kinds, a.status, a.body)
		}
	}
	for _, unknown := range []string{uuid.NewString(), "x", id} {
		if a = b.send(t, get("/api/common/v1/interface/"+unknown, checker1)); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", unknown, a.status)
		}
	}
}
