package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// batchReply holds the members of a batch that this test reads.
type batchReply struct {
	Batch struct {
		BatchID, State              string
		Payments, Accepted, Refused int
	}
	Results []struct {
		Position   int
		InternalID string
		Fields     []struct{ FieldMap string }
	}
}

// TestABatchGoesOnAfterKills kills the demo three times while it makes a batch of a thousand payments, a tenth of them with faults, and sends
// the batch again after each start.
func TestABatchGoesOnAfterKills(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := newHouse(t)
	p := h.open(t)
	o := newOffice(t, h)
	body := batchOrder(time.Now().In(o.zone))
	ask := func(method, path, body string) (b batchReply) {
		t.Helper()
		r, err := o.askAs("maker1", method, path, body)
		must(t, err)
		if r.status != http.StatusAccepted && r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.text)
		}
		must(t, json.Unmarshal([]byte(r.text), &b))
		return b
	}
	const send = "/api/sic-inst/v1/instruction/batch"
	id := ask(http.MethodPost, send, body).Batch.BatchID
	read := "/api/common/v1/batch/" + id
	for i := range 3 {
		for b := ask(http.MethodGet, read, ""); b.Batch.Accepted <= i*200 && b.Batch.State != "Completed"; b = ask(http.MethodGet, read, "") {
			time.Sleep(20 * time.Millisecond)
		}
		p.kill(t)
		p = h.open(t)
		if again := ask(http.MethodPost, send, body).Batch.BatchID; again != id {
			t.Errorf("the repeat is batch %s", again)
		}
	}
	b := ask(http.MethodGet, read, "")
	t.Logf("%d payments are made after three kills", b.Batch.Accepted)
	for end := time.Now().Add(patience); b.Batch.State != "Completed"; b = ask(http.MethodGet, read, "") {
		if time.Now().After(end) {
			t.Fatalf("the batch does not end: %+v", b.Batch)
		}
		time.Sleep(100 * time.Millisecond)
	}
	messages := map[string]bool{}
	for i, r := range b.Results {
		want := fmt.Sprintf("/Document/CstmrCdtTrfInitn/PmtInf/0/CdtTrfTxInf/%d/CdtrAcct/Id/IBAN", i)
		faulty := len(r.Fields) == 1 && r.Fields[0].FieldMap == want
		if r.Position != i+1 || faulty != (i%10 == 3) || faulty == (r.InternalID != "") {
			t.Errorf("result %d: %+v", i+1, r)
		}
		if r.InternalID != "" {
			messages[r.InternalID] = true
		}
	}
	if b.Batch.Refused != 100 || len(messages) != 900 || len(b.Results) != 1000 {
		t.Errorf("%+v, %d messages, %d results", b.Batch, len(messages), len(b.Results))
	}
	h.check(t)
	if code := p.terminate(t); code != 0 {
		t.Errorf("the demo ends with %d", code)
	}
}

// batchOrder is a batch of 1,000 payments of a day.
func batchOrder(at time.Time) string {
	payments := make([]string, 1000)
	for i := range payments {
		iban := "CH4821966000009613388"
		if i%10 == 3 {
			iban = "CH4821966000009613389"
		}
		payments[i] = strings.NewReplacer("NUMBER", strconv.Itoa(i), "IBAN-OF", iban).Replace(
			`{"PmtId":{"InstrId":"I-NUMBER","EndToEndId":"E-NUMBER"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"1.00"}},"Cdtr":{"Nm":"Peter Haller",
"PstlAdr":{"TwnNm":"Zuerich","Ctry":"CH"}},"CdtrAcct":{"Id":{"IBAN":"IBAN-OF"}}}`)
	}
	return strings.NewReplacer("NOW", at.Format(time.RFC3339), "TODAY", at.Format(time.DateOnly), "PAYMENTS", strings.Join(payments, ",")).Replace(
		`{"identifiers":{"externalId":"SALARIES"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"SALARIES","CreDtTm":"NOW","NbOfTxs":"1000","CtrlSum":"1000.00","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":{"PmtInfId":"PMT-1","PmtMtd":"TRF","PmtTpInf":{"LclInstrm":{"Cd":"INST"}},"ReqdExctnDt":{"Dt":"TODAY"},
"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},
"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}},"CdtTrfTxInf":[PAYMENTS]}}}}`)
}
