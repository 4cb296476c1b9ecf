package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	contract "countersign/api"
	"countersign/internal/iso20022"
)

// refused makes a payment of ours that clearing refused.
func (b *interbankBundle) refused(t *testing.T) (id, global string) {
	t.Helper()
	id = b.Created(t, maker1)
	global = b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")}).Text("identifiers", "globalId")
	b.deliver(t, id)
	b.from(t, swiss, &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: "ST-" + global, CreationDateTime: iso20022.DateTimeOf(b.Now())},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{
			OriginalTransactionID: global, TransactionStatus: "RJCT",
			StatusReasonInformation: []iso20022.StatusReasonInformation12{{
				Reason: &iso20022.StatusReason6Choice{Code: "AC04"}, AdditionalInformation: []string{"Closed since Monday"},
			}},
		}},
	}, nil)
	return id, global
}

// filterCase is what one filter of a list finds, and what it does not.
type filterCase struct {
	right string // finds the entry
	other string // well formed, but fits nothing; "" when every such value fits
	wrong string // refused; "" when every value is well formed
}

// TestEachFilterOfEachListFindsRefusesAndLeavesOut walks every parameter of every list in the description: a right value finds the entry,
// another leaves it out, a wrong one is refused, and so is a filter that is not known.
func TestEachFilterOfEachListFindsRefusesAndLeavesOut(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, global := b.refused(t)
	m := b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1))
	external, long := m.Text("transaction", "externalId"), strings.Repeat("x", 141)
	transaction := map[string]filterCase{
		"creditorAccount": {"CH48 2196 6000 0096 1338 8", "DE89370400440532013000", long}, "creditorAgent": {"21966", "99999", long},
		"creditorName": {"haller", "nobody", long}, "debtorAccount": {"CH5021977000004331346", "DE89370400440532013000", long},
		"debtorAgent": {m.Text("transaction", "debtor", "agent"), "99999", long}, "debtorName": {
			m.Text("transaction", "debtor", "name")[:4],
			"nobody", long,
		},
		"externalId": {external, "x", long}, "globalId": {global, "x", long}, "instructionId": {"INSTR-1", "x", long},
		"endToEndId": {"E2E-1", "x", long}, "endToendId": {"E2E-1", "x", long}, "internalId": {id, "x", long},
		"scheme": {"sic-inst", "sct-inst", "x"},
	}
	paged := map[string]filterCase{
		"currentPage": {"1", "9", "0"}, "pageSize": {"100", "", "101"}, "order": {"asc", "", "up"}, "after": {"", "", "x"},
		"changedSince": {"2020-01-01", "2999-01-01", "yesterday"},
	}
	walk := map[string]map[string]filterCase{
		"transaction": {
			"creationAtFrom": {"2020-01-01", "2999-01-01", "x"}, "creationAtTo": {"2999-01-01", "2020-01-01", "x"},
			"createdBy": {"maker1", "maker2", long},
			"kind":      {"instruction", "recall", "x"}, "direction": {"out", "in", "x"}, "state": {"Failed", "Settled", "x"},
			"uetr": {"", "8a562c67-ca16-48ba-b074-65581be6f001", long}, "originalInternalId": {"", id, long}, "creditId": {"", id, long},
			"recallStatus": {"", "Recalled", "x"},
			"amountFrom":   {"199.95", "200", "x"}, "amountTo": {"199.95", "1", "x"}, "currency": {"CHF", "EUR", "x"},
		},
		"interface": {
			"creationDateFrom": {"2020-01-01", "2999-01-01", "x"}, "creationDateTo": {"2999-01-01", "2020-01-01", "x"},
			"type": {"pacs.008.001.08", "camt.056.001.08", long}, "direction": {"out", "", "x"},
		},
		"account": {
			"accountNumber": {"CH5021977000004331346", "CH4821966000009613388", long},
			"iban":          {"CH5021977000004331346", "CH4821966000009613388", long},
			"currency":      {"CHF", "", "x"}, "customerId": {"", "1", long}, "entityCode": {"", "1", long}, "name": {"muster", "nobody", long},
			"changedSince": {"2020-01-01", "", "x"}, "after": {"", "x", long}, "order": {"desc", "", "x"}, "currentPage": {"1", "9", "0"},
			"pageSize": {"100", "", "0"},
		},
		"error": {
			"category": {"failed", "overdue", "x"}, "severity": {"error", "warning", "x"}, "service": {"sic-inst", "sct-inst", "x"},
			"entity": {"demo", "demo2", long}, "message": {"since MONDAY", "tuesday", long}, "objectType": {"instruction", "recall", "x"},
			"objectReference": {global, "x", long}, "objectReferenceType": {"", "", "x"},
		},
	}
	for list, cases := range walk {
		for name, c := range paged {
			if _, own := cases[name]; !own {
				cases[name] = c
			}
		}
		for name, c := range transaction {
			if _, own := cases[name]; !own && (list == "transaction" || list == "interface") {
				cases[name] = c
			}
		}
		b.walkFilters(t, list, cases)
	}
	for kind, reference := range map[string]string{
		"internalId": id, "globalId": global, "externalId": external, "instructionId": "INSTR-1", "endToEndId": "E2E-1",
	} {
		if n := b.listed(t, "error", "objectReferenceType="+kind+"&objectReference="+reference); n != 1 {
			t.Errorf("error/list by %s: %d", kind, n)
		}
		if n := b.listed(t, "error", "objectReferenceType="+kind+"&objectReference=x"); n != 0 {
			t.Errorf("error/list by another %s: %d", kind, n)
		}
	}
}

// walkFilters holds the filters of one list against the cases, each filter of the description against one.
func (b *interbankBundle) walkFilters(t *testing.T, list string, cases map[string]filterCase) {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	must(t, err)
	for _, p := range document.Paths.Value("/api/common/v1/" + list + "/list").Get.Parameters {
		name := p.Value.Name
		c, known := cases[name]
		if !known {
			t.Errorf("%s/list: no case for the filter %s", list, name)
		}
		if c.right != "" && b.listed(t, list, name+"="+url.QueryEscape(c.right)) < 1 {
			t.Errorf("%s/list?%s=%s finds nothing", list, name, c.right)
		}
		if c.other != "" {
			if n := b.listed(t, list, name+"="+url.QueryEscape(c.other)); n != 0 {
				t.Errorf("%s/list?%s=%s finds %d", list, name, c.other, n)
			}
		}
		a := b.Send(t, get("/api/common/v1/"+list+"/list?"+name+"="+url.QueryEscape(c.wrong), supervisor1))
		if c.wrong != "" && (a.Status != http.StatusBadRequest || len(found(a)) == 0 || !strings.HasPrefix(found(a)[0], name+" ")) &&
			name != "objectReferenceType" {
			t.Errorf("%s/list?%s=%s: %d %s", list, name, c.wrong, a.Status, a.Body)
		}
	}
	if a := b.Send(t, get("/api/common/v1/"+list+"/list?colour=blue", supervisor1)); fmt.Sprint(found(a)) != "[colour CH17]" {
		t.Errorf("%s/list?colour=blue: %d %s", list, a.Status, a.Body)
	}
}

// listed counts what a list finds.
func (b *interbankBundle) listed(t *testing.T, list, query string) int {
	t.Helper()
	a := b.ok(t, get("/api/common/v1/"+list+"/list?"+query, supervisor1))
	for _, member := range []string{"transactions", "messages", "accounts", "errors"} {
		if entries, is := a.At(member).([]any); is {
			return len(entries)
		}
	}
	t.Fatalf("%s/list?%s: %s", list, query, a.Body)
	return 0
}

// TestAnErrorIsReadByItsID: and what is well, of another realm or unknown is none.
func TestAnErrorIsReadByItsID(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	id, global := b.refused(t)
	for _, key := range []string{id, global} {
		a := b.ok(t, get("/api/common/v1/error/"+key, supervisor1))
		if a.Text("error", "id") != id || a.Text("error", "category") != "failed" || a.Text("error", "severity") != "error" ||
			a.Text("error", "reasonCode") != "AC04" {
			t.Errorf("%s: %s", key, a.Body)
		}
	}
	well := b.Created(t, maker1)
	for key, who := range map[string]person{well: supervisor1, "x": supervisor1, global: otherCheck} {
		if a := b.Send(t, get("/api/common/v1/error/"+key, who)); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d %s", key, a.Status, a.Body)
		}
	}
}

// TestAccountsComeInPages: each once, in the order asked for.
func TestAccountsComeInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/common/v1/account/list?pageSize=1"
	whole := b.ok(t, get("/api/common/v1/account/list", supervisor1))
	all, _ := whole.At("accounts").([]any)
	for _, order := range []string{"asc", "desc"} {
		after, seen := "", 0
		for page := 1; page <= len(all); page++ {
			numbered := b.ok(t, get(fmt.Sprintf("%s&order=%s&currentPage=%d", path, order, page), supervisor1))
			by := b.ok(t, get(path+"&order="+order+after, supervisor1))
			at := page - 1
			if order == "desc" {
				at = len(all) - page
			}
			want := whole.Text("accounts", at, "account")
			if by.Text("accounts", 0, "account") != want || numbered.Text("accounts", 0, "account") != want {
				t.Errorf("%s page %d: %s and %s, want %s", order, page, by.Text("accounts", 0, "account"),
					numbered.Text("accounts", 0, "account"), want)
			}
			after, seen = "&after="+by.Text("page", "next"), seen+1
			if (by.Text("page", "next") == "") != (page == len(all)) {
				t.Errorf("%s page %d: next is %q", order, page, by.Text("page", "next"))
			}
		}
		if seen < 2 {
			t.Errorf("%d accounts are too few for pages", seen)
		}
	}
}
