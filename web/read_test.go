package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/rtransactionrule"
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

// received posts a sample document of clearing, with the account of the demo as creditor.
func (b *bundle) received(t *testing.T, sample string) {
	t.Helper()
	content, err := os.ReadFile("../internal/iso20022/testdata/" + sample)
	must(t, err)
	// to an account of ours, which our bank keeps, at the time of the tests
	body := strings.NewReplacer("CH4821966000009613388", "CH5021977000004331346", "21966", "21977",
		"2026-03-02T10:00:01.049+01:00", "2026-11-20T10:30:00.000+01:00").Replace(string(content))
	if a := b.send(t, clearingCall(body, nil)); a.status != http.StatusAccepted {
		t.Fatalf("%s: %d %s", sample, a.status, a.body)
	}
}

// returned makes a pending return of an incoming payment and gives its internalId.
func (b *bundle) returned(t *testing.T, original string) string {
	t.Helper()
	by, err := b.auth.Authenticate(t.Context(), b.token(t, both1))
	must(t, err)
	made, err := b.maker.CreateRTransaction(t.Context(), by, payment.RTransaction{
		Request: rtransactionrule.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: rulebook.SchemeSIC, OriginalID: parse(t, original), ExternalID: "return-1",
	})
	must(t, err)
	return made.Message.InternalID.String()
}

func TestWhatCameInIsShownWithWhatIsAboutIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.received(t, "sic-inst_03_pacs.008.001.08.xml")
	a := b.send(t, get(listPath+"?direction=in&kind=payment", supervisor1))
	original := a.text("transactions", 0, "internalId")
	if a.text("transactions", 0, "state") != "Booked" || a.text("transactions", 0, "direction") != "in" {
		t.Fatalf("the incoming payment: %s", a.body)
	}
	b.received(t, "sic-inst_06_camt.056.001.08_CUST.xml")
	a = b.send(t, get("/api/common/v1/transaction/"+original+"/related", supervisor1))
	recall := a.text("transactions", 0, "internalId")
	if a.text("transactions", 0, "kind") != "recall" || a.text("transactions", 0, "originalInternalId") != original {
		t.Fatalf("about the payment: %s", a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+recall+"/related", supervisor1))
	if list := a.at("transactions").([]any); len(list) != 1 || a.text("transactions", 0, "internalId") != original {
		t.Errorf("about the recall: %s", a.body)
	}
	a = b.send(t, get(listPath+"?direction=out", supervisor1))
	if list := a.at("transactions").([]any); len(list) != 0 {
		t.Errorf("what went out: %s", a.body)
	}
	for _, path := range []string{listPath, "/api/common/v1/interface/list", "/api/common/v1/transaction/" + recall + "/messages"} {
		if a = b.send(t, get(path, otherCheck)); strings.Contains(a.body, original) || strings.Contains(a.body, recall) {
			t.Errorf("%s of another realm: %s", path, a.body)
		}
	}
}

func TestAReturnIsDecidedInAWord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.received(t, "sic-inst_03_pacs.008.001.08.xml")
	original := b.send(t, get(listPath+"?kind=payment", supervisor1)).text("transactions", 0, "internalId")
	made := b.returned(t, original)
	a := b.send(t, call{path: "/api/sic-inst/v1/instruction/approve", who: checker1, body: verdict(made, "approve")})
	if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" {
		t.Errorf("by the path of instructions: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: approvePath, who: both1, body: verdict(made, "approve")})
	if a.status != http.StatusForbidden {
		t.Errorf("by its maker: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker1, body: verdict(made, "approve")})
	if a.status != http.StatusOK || a.text("success", "status") != "Approved" || a.text("identifiers", "creditId") != original {
		t.Errorf("by another: %d %s", a.status, a.body)
	}
	a = b.send(t, call{path: approvePath, who: checker2, body: verdict(made, "approve")})
	if a.status != http.StatusBadRequest || a.groupStatus() != "RJCT" || a.text("identifiers", "internalId") != made {
		t.Errorf("again: %d %s", a.status, a.body)
	}
	a = b.send(t, get("/api/common/v1/transaction/"+original, supervisor1))
	if a.text("transaction", "returnStatus") != "Return in Progress" {
		t.Errorf("the payment: %s", a.body)
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
