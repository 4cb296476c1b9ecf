package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/web/webtest"
)

func TestTheSearchFindsWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	swiss := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	b.Clock.Add(48 * time.Hour)
	b.SignOut()
	other := strings.NewReplacer("2026-11-20", "2026-11-22", "E2E-1", "E2E-2", "1250.40", "7.05").Replace(order(europeanSample))
	european := b.Send(t, call{Path: createEuropean, Who: maker2, Body: other})
	if swiss.Status != http.StatusOK || european.Status != http.StatusOK {
		t.Fatalf("create: %s %s", swiss.Body, european.Body)
	}
	one, two := swiss.Text("identifiers", "internalId"), european.Text("identifiers", "internalId")
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(two, "approve")})
	both := []string{two, one}
	for query, want := range map[string][]string{
		"": both, "scheme=sic-inst": {one}, "scheme=sct-inst": {two}, "kind=instruction": both, "kind=recall": nil, "direction=out": both,
		"direction=in": nil, "state=Approved": {two}, "state=Approved&state=Approval+Pending": both, "state=Settled": nil,
		"createdBy=maker1": {one}, "createdBy=MAKER2": {two}, "createdBy=nobody": nil, "currency=CHF": {one}, "amountFrom=199.95": {one},
		"amountFrom=199.96": nil, "amountTo=7.05": {two}, "amountFrom=7&amountTo=200": both, "endToEndId=E2E-1": {one}, "endToendId=E2E-2": {two},
		"instructionId=INSTR-1": both, "externalId=" + swiss.Text("identifiers", "externalId"): {one}, "externalId=x": nil,
		"globalId=" + european.Text("identifiers", "globalId"):                  {two},
		"globalId=" + strings.ToLower(european.Text("identifiers", "globalId")): {two},
		"globalId=x": nil, "internalId=" + one: {one}, "internalId=x": nil, "creditorName=haller": {one}, "creditorName=%25": nil,
		"debtorName=Muster": both, "creditorAccount=CH48+2196+6000+0096+1338+8": {one}, "creditorAccount=fr1420041010050500013M02606": {two},
		"debtorAccount=CH5021977000004331346": {one}, "debtorAgent=21977": {one}, "creditorAgent=BBBBFRPPXXX": {two},
		"creationAtTo=2026-11-20": {one}, "creationAtFrom=2026-11-21": {two},
		"creationAtFrom=2026-11-20T09:30:00Z&creationAtTo=2026-11-20T10:30:00%2B01:00": {one},
		"creationAtFrom=2026-11-20T09:30:01Z":                                          {two},
		"creditorName=" + url.QueryEscape("' OR 1=1 --"):                               nil,
	} {
		a := b.Send(t, get(listPath+"?"+query, supervisor1))
		var got []string
		list, _ := a.At("transactions").([]any)
		for i := range list {
			got = append(got, a.Text("transactions", i, "internalId"))
		}
		if a.Status != http.StatusOK || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d %v, want %v", query, a.Status, got, want)
		}
	}
	a := b.Send(t, get(listPath+"?state=Approved", supervisor1))
	if a.Text("transactions", 0, "approvals", 0, "by") != "Checker 1" {
		t.Errorf("the list does not say who approved: %s", a.Body)
	}
}

func TestQueriesThatMeanNothingAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]string{
		"colour=red": "colour CH17", "State=Approved": "State CH17", "state=approved": "state CH16", "state=": "state FF01",
		"scheme=sepa": "scheme CH16", "kind=x": "kind CH16", "direction=x": "direction CH16", "currency=USD": "currency CH16",
		"scheme=sic-inst&scheme=sct-inst": "scheme FF01", "amountFrom=1e3": "amountFrom AM12", "amountFrom=1.234": "amountFrom AM12",
		"amountTo=-1": "amountTo AM12", "creationAtFrom=yesterday": "creationAtFrom DT01", "creationAtFrom=0000-01-01": "creationAtFrom DT01",
		"changedSince=0001-01-01T00:00:00Z": "changedSince DT01", "creationAtTo=1899-12-31": "creationAtTo DT01", "creationAtTo=2026-13-01": "creationAtTo DT01",
		"pageSize=0": "pageSize FF01", "pageSize=101": "pageSize FF01", "pageSize=x": "pageSize FF01", "currentPage=0": "currentPage FF01",
		"currentPage=10001&pageSize=100": "currentPage FF01", "currentPage=9999&pageSize=100": "currentPage FF01", "after=x": "after FF01",
		"after=" + uuid.NewString() + "&currentPage=2": "currentPage CH17", "endToEndId=a&endToendId=b": "endToendId CH17",
		"creditorName=a%00b": "creditorName FF01", "creditorName=%FF": "creditorName FF01",
		"creditorName=" + strings.Repeat("a", 141): "creditorName FF01",
		"debtorAccount=+":                          "debtorAccount FF01", "createdBy=+": "createdBy FF01", "creditorName=++": "creditorName FF01",
		"a%00%FF=b": "a\x00? CH17", "%zz": " FF01", "externalId=a;b": " FF01",
	} {
		a := b.Send(t, get(listPath+"?"+query, supervisor1))
		if got := fmt.Sprint(found(a)); a.Status != http.StatusBadRequest || got != "["+want+"]" {
			t.Errorf("%s: %d %s, want %s", query, a.Status, got, want)
		}
	}
	id := b.Created(t, maker1)
	for _, path := range []string{
		"transaction/" + id, "transaction/" + id + "/audit", "account/list", "interface/" + id, "interface/list",
		"error/list",
	} {
		if a := b.Send(t, get("/api/common/v1/"+path+"?x=1", supervisor1)); a.Status != http.StatusBadRequest {
			t.Errorf("%s with an unknown parameter: %d", path, a.Status)
		}
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var want []string
	for range 5 {
		want = append([]string{b.Created(t, maker1)}, want...)
	}
	for _, path := range []string{listPath, "/api/common/v1/interface/list"} {
		var got []string
		next := "?pageSize=2"
		for next != "" && len(got) < 10 {
			a := b.Send(t, get(path+next, supervisor1))
			for _, member := range []string{"transactions", "messages"} {
				list, _ := a.At(member).([]any)
				for i := range list {
					got = append(got, a.Text(member, i, "internalId"))
				}
			}
			next = ""
			if cursor := a.Text("page", "next"); cursor != "" {
				next = "?pageSize=2&after=" + cursor
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s by cursor: %v, want %v", path, got, want)
		}
	}
	for page, want := range map[int][]string{1: want[:2], 2: want[2:4], 3: want[4:], 4: nil} {
		a := b.Send(t, get(fmt.Sprintf("%s?pageSize=2&currentPage=%d", listPath, page), supervisor1))
		var got []string
		for i := range a.At("transactions").([]any) {
			got = append(got, a.Text("transactions", i, "internalId"))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || a.At("page", "currentPage") != float64(page) {
			t.Errorf("page %d: %v, want %v", page, got, want)
		}
	}
}

func TestAGlobalIDNamesATransactionToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	id, global := created.Text("identifiers", "internalId"), created.Text("identifiers", "globalId")
	for _, path := range []string{"", "/history", "/audit", "/related", "/messages"} {
		by := b.Send(t, get("/api/common/v1/transaction/"+global+path, checker1))
		with := b.Send(t, get("/api/common/v1/transaction/"+id+path, checker1))
		delete(by.JSON, "header")
		delete(with.JSON, "header")
		if by.Status != http.StatusOK || fmt.Sprint(by.JSON) != fmt.Sprint(with.JSON) {
			t.Errorf("%s: %d %s", path, by.Status, by.Body)
		}
	}
	wrong := global[:15] + string(rune('0'+('9'-global[15]+10)%10))
	for _, given := range []string{wrong, "x", strings.ToUpper(id) + "0", "urn:uuid:" + id, "%00", "%FF"} {
		if a := b.Send(t, get("/api/common/v1/transaction/"+given, checker1)); a.Status != http.StatusNotFound {
			t.Errorf("%q: %d %s", given, a.Status, a.Body)
		}
	}
}

// received posts a sample document of clearing, with the account of the demo as creditor.
func (b *bundle) received(t *testing.T, sample string) {
	t.Helper()
	// to an account of ours, which our bank keeps, at the time and on the day of the tests
	body := strings.NewReplacer("CH4821966000009613388", "CH5021977000004331346", "21966", "21977",
		"2026-03-02T10:00:01.049+01:00", "2026-11-20T10:30:00.000+01:00", ">2026-03-02<", ">2026-11-20<",
		"</CdtrRefInf>\n        </Strd>\n      </RmtInf>\n    </CdtTrfTxInf>",
		"</CdtrRefInf><AddtlRmtInf>//S1/10/2026</AddtlRmtInf></Strd></RmtInf></CdtTrfTxInf>",
		"<Dbtr>\n        <Nm>", "<UltmtDbtr><Nm>Payer AG</Nm></UltmtDbtr><Dbtr>\n        <Nm>").Replace(webtest.Document(t, sample))
	if a := b.Send(t, clearingCall(body, nil)); a.Status != http.StatusAccepted {
		t.Fatalf("%s: %d %s", sample, a.Status, a.Body)
	}
}

// returned makes a pending return of an incoming payment and gives its internalId.
func (b *bundle) returned(t *testing.T, original string) string {
	t.Helper()
	by, err := b.Auth.Authenticate(t.Context(), b.Token(t, both1))
	must(t, err)
	made, err := b.Submission.CreateRTransaction(t.Context(), by, payment.RTransaction{
		Request: rulebook.Request{
			Reason: "AC04",
		},
		Kind: payment.KindReturn, Scheme: rulebook.SchemeSIC, OriginalID: parse(t, original), ExternalID: "return-1",
	})
	must(t, err)
	return made.Message.InternalID.String()
}

func TestWhatCameInIsShownWithWhatIsAboutIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.received(t, "sic-inst_03_pacs.008.001.08.xml")
	a := b.Send(t, get(listPath+"?direction=in&kind=payment", supervisor1))
	original := a.Text("transactions", 0, "internalId")
	if a.Text("transactions", 0, "state") != "Booked" || a.Text("transactions", 0, "direction") != "in" {
		t.Fatalf("the incoming payment: %s", a.Body)
	}
	a = b.ok(t, get("/api/common/v1/transaction/"+original, supervisor1))
	place := []any{"transaction", "clearing", "CdtTrfTxInf", 0}
	for want, path := range map[string][]any{
		"RF18539007547034": {"RmtInf", "Strd", 0, "CdtrRefInf", "Ref"}, "SCOR": {"RmtInf", "Strd", 0, "CdtrRefInf", "Tp", "CdOrPrtry", "Cd"},
		"//S1/10/2026": {"RmtInf", "Strd", 0, "AddtlRmtInf", 0}, "Musterstrasse": {"Dbtr", "PstlAdr", "StrtNm"}, "Payer AG": {"UltmtDbtr", "Nm"},
	} {
		if got := a.Text(append(slices.Clone(place), path...)...); got != want {
			t.Errorf("%v is %q, want %q: %s", path, got, want, a.Body)
		}
	}
	b.received(t, "sic-inst_06_camt.056.001.08_CUST.xml")
	a = b.Send(t, get("/api/common/v1/transaction/"+original+"/related", supervisor1))
	recall := a.Text("transactions", 0, "internalId")
	if a.Text("transactions", 0, "kind") != "recall" || a.Text("transactions", 0, "originalInternalId") != original {
		t.Fatalf("about the payment: %s", a.Body)
	}
	a = b.Send(t, get("/api/common/v1/transaction/"+recall+"/related", supervisor1))
	if list := a.At("transactions").([]any); len(list) != 1 || a.Text("transactions", 0, "internalId") != original {
		t.Errorf("about the recall: %s", a.Body)
	}
	a = b.Send(t, get(listPath+"?direction=out", supervisor1))
	if list := a.At("transactions").([]any); len(list) != 0 {
		t.Errorf("what went out: %s", a.Body)
	}
	for _, path := range []string{listPath, "/api/common/v1/interface/list", "/api/common/v1/transaction/" + recall + "/messages"} {
		if a = b.Send(t, get(path, otherCheck)); strings.Contains(a.Body, original) || strings.Contains(a.Body, recall) {
			t.Errorf("%s of another realm: %s", path, a.Body)
		}
	}
}

func TestAReturnIsDecidedInAWord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.received(t, "sic-inst_03_pacs.008.001.08.xml")
	original := b.Send(t, get(listPath+"?kind=payment", supervisor1)).Text("transactions", 0, "internalId")
	made := b.returned(t, original)
	a := b.Send(t, call{Path: "/api/sic-inst/v1/instruction/approve", Who: checker1, Body: verdict(made, "approve")})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" {
		t.Errorf("by the path of instructions: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: both1, Body: verdict(made, "approve")})
	if a.Status != http.StatusForbidden {
		t.Errorf("by its maker: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(made, "approve")})
	if a.Status != http.StatusOK || a.Text("success", "status") != "Approved" || a.Text("identifiers", "creditId") != original {
		t.Errorf("by another: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: approvePath, Who: checker2, Body: verdict(made, "approve")})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("identifiers", "internalId") != made {
		t.Errorf("again: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, get("/api/common/v1/transaction/"+original, supervisor1))
	if a.Text("transaction", "returnStatus") != "Return in Progress" {
		t.Errorf("the payment: %s", a.Body)
	}
}

func TestADocumentIsShownAsItsExactBytes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	a := b.Send(t, get("/api/common/v1/interface/list?internalId="+id+"&type=pain.001.001.09&direction=in&scheme=sic-inst", checker1))
	document := a.Text("messages", 0, "id")
	var stored []byte
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT content FROM document WHERE document_id = $1", document).Scan(&stored))
	accept := func(kinds string) answer {
		return b.Send(t, call{Method: http.MethodGet, Path: "/api/common/v1/interface/" + document, Who: checker1, Change: func(r *http.Request) {
			r.Header.Set("Accept", kinds)
		}})
	}
	for _, kinds := range []string{"application/xml", "text/html, application/xml;q=0.9, application/json"} {
		a = accept(kinds)
		if a.Status != http.StatusOK || a.Body != string(stored) || a.Header.Get("Content-Type") != "application/xml" {
			t.Errorf("%s: %d %v %s", kinds, a.Status, a.Header, a.Body)
		}
	}
	for _, kinds := range []string{"", "*/*", "application/json, application/xml", "nonsense"} {
		a = accept(kinds)
		if a.Status != http.StatusOK || a.Text("message", "Document", "CstmrCdtTrfInitn", "PmtInf", 0, "PmtInfId") != "PMT-1" {
			t.Errorf("%s: %d %s", kinds, a.Status, a.Body)
		}
	}
	for _, unknown := range []string{uuid.NewString(), "x", id} {
		if a = b.Send(t, get("/api/common/v1/interface/"+unknown, checker1)); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", unknown, a.Status)
		}
	}
}
