package api_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/rulebook"
)

// sentTo is the newest document of a type that the gateway made.
func (b *interbankBundle) sentTo(t *testing.T, id, kind string) iso20022.Document {
	t.Helper()
	a := b.ok(t, get("/api/common/v1/interface/list?direction=out&internalId="+id+"&type="+kind, supervisor1))
	var content []byte
	must(
		t,
		b.DB.Owner(t).QueryRow(t.Context(), "SELECT content FROM document WHERE document_id = $1", a.Text("messages", 0, "id")).Scan(&content),
	)
	document, findings := codec.DecodeXML(content)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return document
}

// approvedRequest makes an R-transaction, has it approved and sends it.
func (b *interbankBundle) approvedRequest(t *testing.T, c call) string {
	t.Helper()
	id := b.ok(t, c).Text("identifiers", "internalId")
	b.ok(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	b.deliver(t, id)
	return id
}

func (b *interbankBundle) shows(t *testing.T, id string, want map[string]string) {
	t.Helper()
	a := b.ok(t, get("/api/common/v1/transaction/"+id, supervisor1))
	for name, value := range want {
		got := a.Text("transaction", name)
		if name == "code" {
			got = a.Text("transaction", "statusReason", "code")
		}
		if got != value {
			t.Errorf("%s: %s is %q, want %q", a.Text("transaction", "kind"), name, got, value)
		}
	}
}

// holdAnswer holds that what came in as the answer to a recall is a transaction of its own: found by kind and direction, related to the
// recall and the payment, with its document, and not to be decided.
func (b *interbankBundle) holdAnswer(t *testing.T, kind, recall, original string, want map[string]string) {
	t.Helper()
	a := b.ok(t, get(listPath+"?kind="+kind+"&direction=in", supervisor1))
	list, _ := a.At("transactions").([]any)
	if len(list) != 1 {
		t.Fatalf("%d %ss came in: %s", len(list), kind, a.Body)
	}
	id := a.Text("transactions", 0, "internalId")
	want["recallId"], want["originalInternalId"], want["creditId"], want["direction"], want["channel"] = recall, original, "", "in", "clearing"
	b.shows(t, id, want)
	for _, about := range []string{recall, original} {
		related := b.ok(t, get("/api/common/v1/transaction/"+about+"/related", supervisor1))
		if !strings.Contains(related.Body, id) {
			t.Errorf("%s is not related to %s: %s", kind, about, related.Body)
		}
	}
	documents := b.ok(t, get("/api/common/v1/transaction/"+id+"/messages", supervisor1))
	if documents.Text("messages", 0, "internalId") != id {
		t.Errorf("documents of the %s: %s", kind, documents.Body)
	}
	refused := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if refused.Status != http.StatusForbidden {
		t.Errorf("an approval of what came in: %d %s", refused.Status, refused.Body)
	}
}

func TestWhatOthersAnswerIsShown(t *testing.T) {
	t.Parallel()
	b := setupInterbank(t)
	const bank = "BBBBFRPPXXX"
	refused, _ := b.settled(t, european)
	recall := b.approvedRequest(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(refused, "CUST")})
	sent, _ := b.sentTo(t, recall, "camt.056.001.08").(*iso20022.FIToFIPaymentCancellationRequest)
	no, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "NOAS"}, Scheme: european, Recall: sent, Bank: bank, MessageID: "NO1", ID: "NO1", At: b.Now(),
	})
	b.from(t, european, no, err)
	b.shows(t, recall, map[string]string{"state": "Refused", "code": "NOAS"})
	b.shows(t, refused, map[string]string{"state": "Settled", "recallStatus": "Recall Refused"})
	b.holdAnswer(t, "resolution", recall, refused, map[string]string{"state": "Communicated", "reason": "NOAS"})

	granted, _ := b.settled(t, european)
	recall = b.approvedRequest(t, call{Path: requestPath(european, "recall"), Who: maker1, Body: recallBody(granted, "DUPL")})
	was, _ := b.sentTo(t, granted, "pacs.008.001.08").(*iso20022.FIToFICustomerCreditTransfer)
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "FOCR",
		},
		Scheme: european, Original: was, Bank: bank, MessageID: "RET1", ID: "RET1", At: b.Now(), Day: b.Now(),
	})
	b.from(t, european, back, err)
	b.shows(t, recall, map[string]string{"state": "Accepted", "code": ""})
	b.shows(t, granted, map[string]string{"state": "Settled", "recallStatus": "Recalled", "returnStatus": ""})
	b.holdAnswer(t, "return", recall, granted, map[string]string{"state": "Settled", "reason": "FOCR"})

	payment, _, document := b.booked(t, european)
	received, _ := b.recalled(t, european, document, "CUST")
	paymentReturn := b.approvedRequest(t, call{Path: requestPath(european, "return"), Who: maker1, Body: returnBody(payment, "FOCR")})
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: european, About: b.sentTo(t, paymentReturn, "pacs.004.001.09"), Reference: "OK1", StatusID: "OK1", At: b.Now(),
	})
	b.from(t, european, report, err)
	b.shows(t, paymentReturn, map[string]string{"state": "Settled", "recallId": received})
	b.shows(t, payment, map[string]string{"state": "Booked", "returnStatus": "Returned"})
	b.shows(t, received, map[string]string{"state": "Answered"})
}
