package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheDebtorIsNamedAsClearingGetsIt: whatever an order calls its debtor, reads name the holder of the account, as the pacs.008 does, and
// show the order's own wording beside it.
func TestTheDebtorIsNamedAsClearingGetsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.Send(
		t,
		call{Path: createSwiss, Who: maker1, Body: order(strings.Replace(sample, `"Dbtr":{"Nm":"Muster AG"`, `"Dbtr":{"Nm":"Somebody Else"`, 1))},
	)
	id := made.Text("identifiers", "internalId")
	if made.Status != http.StatusOK || id == "" {
		t.Fatalf("create: %s", made.Body)
	}
	one := b.Send(t, get("/api/common/v1/transaction/"+id, supervisor1))
	if one.Text("transaction", "debtor", "name") != "Muster AG" || one.Text("transaction", "debtor", "orderedAs") != "Somebody Else" {
		t.Errorf("the debtor reads %v", one.At("transaction", "debtor"))
	}
	if one.Text("transaction", "creditor", "agent") != "21966" {
		t.Errorf("the creditor's bank, which the IBAN tells, reads %v", one.At("transaction", "creditor"))
	}
	for query, want := range map[string]int{"debtorName=muster": 1, "debtorName=somebody": 0, "creditorAgent=21966": 1} {
		list, _ := b.Send(t, get(listPath+"?"+query, supervisor1)).At("transactions").([]any)
		if len(list) != want {
			t.Errorf("%s finds %d, not %d", query, len(list), want)
		}
	}
	decided := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if decided.Status != http.StatusOK {
		t.Errorf("approve: %d %s", decided.Status, decided.Body)
	}
}

// TestAnOrderMayLeaveTheNameOfItsDebtorOut: the account tells it. Such a payment is shown, approved and no case for an operator.
func TestAnOrderMayLeaveTheNameOfItsDebtorOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	unnamed := strings.Replace(sample, `"Dbtr":{"Nm":"Muster AG"}`, `"Dbtr":{"Id":{"OrgId":{"AnyBIC":"AAAACHBBXXX"}}}`, 1)
	made := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(unnamed)})
	id := made.Text("identifiers", "internalId")
	if unnamed == sample || made.Status != http.StatusOK || id == "" {
		t.Fatalf("create: %s", made.Body)
	}
	one := b.Send(t, get("/api/common/v1/transaction/"+id, checker1))
	if one.At("transaction", "withheld") != nil || one.Text("transaction", "debtor", "name") != "Muster AG" ||
		one.At("transaction", "debtor", "orderedAs") != nil {
		t.Errorf("the read: %s", one.Body)
	}
	decided := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if decided.Status != http.StatusOK {
		t.Errorf("approve: %d %s", decided.Status, decided.Body)
	}
	if one = b.Send(t, get("/api/common/v1/transaction/"+id, checker1)); one.At("transaction", "withheld") != nil {
		t.Errorf("afterwards: %s", one.Body)
	}
}

// TestAnotherBankThanTheAccountsIsRefused: the pacs.008 names the bank that keeps the account, so an order that names another is not taken.
func TestAnotherBankThanTheAccountsIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const own = `"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}}`
	if !strings.Contains(sample, own) {
		t.Fatal("the sample names its bank otherwise")
	}
	for bank, pointer := range map[string]string{
		`{"BICFI":"UBSWCHZH80A"}`:                                   "/FinInstnId/BICFI",
		`{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"762"}}`: "/FinInstnId/ClrSysMmbId/MmbId",
		`{"Othr":{"Id":"ELSEWHERE"}}`:                               "/FinInstnId/Othr/Id",
	} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(strings.Replace(sample, own, `"DbtrAgt":{"FinInstnId":`+bank+`}`, 1))})
		want := "/Document/CstmrCdtTrfInitn/PmtInf/0/DbtrAgt" + pointer
		if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, want) || !strings.Contains(a.Body, `"AGNT"`) {
			t.Errorf("%s: %d %s", bank, a.Status, a.Body)
		}
	}
	for _, bank := range []string{`{"BICFI":"AAAACHBB"}`, `{"BICFI":"AAAACHBBXXX"}`} {
		a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(strings.Replace(sample, own, `"DbtrAgt":{"FinInstnId":`+bank+`}`, 1))})
		if a.Status != http.StatusOK {
			t.Errorf("%s, the account's own bank: %d %s", bank, a.Status, a.Body)
		}
	}
}

// TestListsReadInBothOrders walks a list by its cursor and by numbered pages, newest and oldest first, and asks what changed since.
func TestListsReadInBothOrders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := make([]string, 5)
	for i := range ids {
		ids[i] = b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)}).Text("identifiers", "internalId")
	}
	read := func(query string) string {
		var walked []string
		for next := query; next != ""; {
			a := b.Send(t, get(listPath+"?"+next, supervisor1))
			list, _ := a.At("transactions").([]any)
			for i := range list {
				walked = append(walked, a.Text("transactions", i, "internalId"))
			}
			next = a.Text("page", "next")
			if next != "" {
				next = query + "&after=" + next
			}
		}
		return strings.Join(walked, " ")
	}
	newest := strings.Join([]string{ids[4], ids[3], ids[2], ids[1], ids[0]}, " ")
	if got := read("pageSize=2"); got != newest {
		t.Errorf("newest first: %s", got)
	}
	if got := read("pageSize=2&order=asc"); got != strings.Join(ids, " ") {
		t.Errorf("oldest first: %s", got)
	}
	a := b.Send(t, get(listPath+"?pageSize=2&currentPage=2&order=asc", supervisor1))
	if a.Text("transactions", 0, "internalId") != ids[2] || a.Text("transactions", 1, "internalId") != ids[3] {
		t.Errorf("the second page, oldest first: %s", a.Body)
	}
	b.Clock.Add(60_000_000_000)
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(ids[1], "approve")})
	if got := read("changedSince=2026-11-20T09:30:30Z"); got != ids[1] {
		t.Errorf("changed since: %s", got)
	}
	for _, query := range []string{"order=up", "changedSince=yesterday"} {
		if a := b.Send(t, get(listPath+"?"+query, supervisor1)); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, a.Status)
		}
	}
}

// TestARepeatIsTheSameByWhatItMeans: a caller that writes its order anew, with the time of the new writing and an amount with other zeros,
// gets the first answer again; another amount is another order.
func TestARepeatIsTheSameByWhatItMeans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := strings.ReplaceAll(order(sample), `"199.95"`, `"200.00"`)
	made := b.Send(t, call{Path: createSwiss, Who: maker1, Body: first})
	again := strings.NewReplacer(`"200.00"`, `"200.0"`, `2026-11-20T10:00:00`, `2026-11-20T10:05:00`).Replace(first)
	if again == first {
		t.Fatal("the sample is written otherwise")
	}
	a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: again})
	if a.Status != http.StatusOK || a.Text("identifiers", "internalId") != made.Text("identifiers", "internalId") {
		t.Errorf("the same order: %d %s", a.Status, a.Body)
	}
	a = b.Send(t, call{Path: createSwiss, Who: maker1, Body: strings.ReplaceAll(first, `"200.00"`, `"200.10"`)})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "DU01") {
		t.Errorf("another order: %d %s", a.Status, a.Body)
	}
}

// TestDocumentsAreFoundByTheirTransaction holds the published filters of the interface list.
func TestDocumentsAreFoundByTheirTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	for query, want := range map[string]int{
		"creationDateFrom=2026-11-20": 1, "creationDateTo=2026-11-19": 0, "creditorAccount=CH4821966000009613388": 1, "creditorAgent=21966": 1,
		"creditorName=haller": 1, "debtorAccount=CH5021977000004331346": 1, "debtorAgent=21977": 1, "debtorName=muster": 1, "debtorName=x": 0,
		"endToEndId=E2E-1": 1, "endToendId=E2E-2": 0, "externalId=" + made.Text("identifiers", "externalId"): 1, "externalId=x": 0,
		"globalId=" + made.Text("identifiers", "globalId"): 1, "globalId=x": 0, "instructionId=INSTR-1": 1, "order=asc": 1,
		"changedSince=2026-11-21": 0,
	} {
		a := b.Send(t, get("/api/common/v1/interface/list?"+query, supervisor1))
		list, _ := a.At("messages").([]any)
		if a.Status != http.StatusOK || len(list) != want {
			t.Errorf("%s: %d, %d documents and not %d", query, a.Status, len(list), want)
		}
	}
}

// TestAccountsAreFound holds the published filters of the list of accounts.
func TestAccountsAreFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "/api/common/v1/account/list?"
	for query, want := range map[string]int{
		"iban=CH50+2197+7000+0043+3134+6": 1, "accountNumber=CH5021977000004331346": 1, "iban=x": 0, "name=nobody": 0, "customerId=1": 0,
		"entityCode=1": 0, "iban=CH5021977000004331346&currency=CHF&name=muster": 1, "iban=CH5021977000004331346&currency=EUR": 0,
	} {
		a := b.Send(t, get(path+query, supervisor1))
		list, _ := a.At("accounts").([]any)
		if a.Status != http.StatusOK || len(list) != want {
			t.Errorf("%s: %d, %d accounts and not %d", query, a.Status, len(list), want)
		}
	}
	if a := b.Send(t, get(path+"currency=USD", supervisor1)); a.Status != http.StatusBadRequest {
		t.Errorf("an unknown currency: %d", a.Status)
	}
}
