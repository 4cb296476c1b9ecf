package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/testutil"
)

const batchPath = "/api/sic-inst/v1/instruction/batch"

// batchPayment is a payment of a batch.
const batchPayment = `{"PmtId":{"InstrId":"INSTR-N","EndToEndId":"E2E-N"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"1.00"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"StrtNm":"Rosenauweg","BldgNb":"4","PstCd":"8036","TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}},"RmtInf":{"Ustrd":"Invoice N"}}`

// batchFaults replace a part of a payment.
var batchFaults = [][2]string{
	{`"CH4821966000009613388"`, `"CH4821966000009613389"`},           // a rule
	{`"Nm":"Peter Haller"`, `"Nm":"Peter Haller","Age":"7"`},         // the structure
	{`"value":"1.00"`, `"value":"one"`},                              // the structure, and an amount that is not known
	{`"Ccy":"CHF"`, `"Ccy":"EUR"`},                                   // another scheme
	{`"Cdtr":{"Nm":"Peter Haller",`, `"Cdtr":{"Nm":"Peter \u200b",`}, // a character
}

// payments are n payments of a batch, every tenth with one of the faults.
func payments(n int) (list []string, faulty map[int]bool) {
	faulty = map[int]bool{}
	for i := range n {
		one := strings.NewReplacer("-N", "-"+strconv.Itoa(i+1), "Invoice N", "Invoice "+strconv.Itoa(i+1)).Replace(batchPayment)
		if i%10 == 3 {
			fault := batchFaults[i/10%len(batchFaults)]
			one, faulty[i+1] = strings.Replace(one, fault[0], fault[1], 1), true
		}
		list = append(list, one)
	}
	return list, faulty
}

// batchBody is a batch of payments in two payment informations.
func batchBody(name string, list []string) string {
	info := func(id string, of []string) string {
		return `{"PmtInfId":"` + id + `","PmtMtd":"TRF","NbOfTxs":"` + strconv.Itoa(len(of)) + `","PmtTpInf":{"LclInstrm":{"Cd":"INST"}},
"ReqdExctnDt":{"Dt":"2026-11-20"},"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},
"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}},"CdtTrfTxInf":[` + strings.Join(of, ",") + `]}`
	}
	infos := info("PMT-1", list)
	if half := len(list) / 2; half > 0 {
		infos = info("PMT-1", list[:half]) + "," + info("PMT-2", list[half:])
	}
	return `{"identifiers":{"externalId":"` + name + `"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"` + name + `","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"` + strconv.Itoa(len(list)) + `","CtrlSum":"` +
		strconv.Itoa(len(list)) + `.00","InitgPty":{"Nm":"Muster AG"}},"PmtInf":[` + infos + `]}}}`
}

// alone are the findings of a payment in a call of its own, at its place in a batch.
func (b *bundle) alone(t *testing.T, payment, place string) string {
	t.Helper()
	name := "A" + strings.ReplaceAll(uuid.NewString(), "-", "")
	a := b.Send(t, call{Path: createSwiss, Who: maker1, Body: batchBody(name, []string{payment})})
	if a.Status != http.StatusBadRequest {
		t.Fatalf("alone: %d %s", a.Status, a.Body)
	}
	list, _ := a.At("fields").([]any)
	return strings.ReplaceAll(fmt.Sprint(list), "/PmtInf/0/CdtTrfTxInf/0", place)
}

// finished runs the dispatcher until a batch has all its results, and reads them.
func (b *bundle) finished(t *testing.T, id string) answer {
	t.Helper()
	for {
		b.Clearing.RunOnce(t.Context())
		a := b.ok(t, get("/api/common/v1/batch/"+id, supervisor1))
		if a.Text("batch", "state") == "Completed" {
			return a
		}
	}
}

// TestABatchOfAThousandThatIsKilledAndRepeated: a tenth of the payments has faults, the batch comes three times at once and once more at the
// end, two processes work on it and are killed again and again. Each payment becomes one message, or has the findings of its own call.
func TestABatchOfAThousandThatIsKilledAndRepeated(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	list, faulty := payments(1000)
	body := batchBody("SALARIES-11", list)
	var ids [3]string
	var sending sync.WaitGroup
	b.Token(t, maker1)
	for i := range ids {
		sending.Go(func() { ids[i] = b.accepted(t, body) })
	}
	sending.Wait()
	id := ids[0]
	if ids[1] != id || ids[2] != id || id == "" {
		t.Fatalf("three batches: %v", ids)
	}
	const kills = 6
	for i := range kills {
		running, kill := context.WithTimeout(t.Context(), time.Duration(i+1)*150*time.Millisecond)
		var processes sync.WaitGroup
		for range 2 {
			processes.Go(func() { _ = b.Batches.Make(running, "demo", parse(t, id)) })
		}
		processes.Wait()
		kill()
	}
	half := b.ok(t, get("/api/common/v1/batch/"+id, supervisor1))
	a := b.finished(t, id)
	t.Logf("%v of 1,000 are made after %d kills of two processes", half.At("batch", "accepted"), kills)
	b.sameResults(t, a, list, faulty)
	var made int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM message WHERE realm = 'demo'").Scan(&made))
	if made != len(list)-len(faulty) {
		t.Errorf("%d messages", made)
	}
	if again := b.accepted(t, body); again != id {
		t.Errorf("the repeat is batch %s", again)
	}
	b.refusedRepeats(t, body)
}

// accepted sends a batch and returns its id.
func (b *bundle) accepted(t *testing.T, body string) string {
	t.Helper()
	a := b.Send(t, call{Path: batchPath, Who: maker1, Body: body})
	if a.Status != http.StatusAccepted {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	return a.Text("batch", "batchId")
}

func (b *bundle) sameResults(t *testing.T, a answer, list []string, faulty map[int]bool) {
	t.Helper()
	if fmt.Sprint(a.At("batch", "refused")) != strconv.Itoa(len(faulty)) {
		t.Errorf("%v", a.At("batch"))
	}
	results, _ := a.At("results").([]any)
	if len(results) != len(list) {
		t.Fatalf("%d results", len(results))
	}
	messages := map[string]bool{}
	for i := range results {
		position, internal := i+1, a.Text("results", i, "internalId")
		if fmt.Sprint(a.At("results", i, "position")) != strconv.Itoa(position) || faulty[position] == (internal != "") {
			t.Fatalf("result %d: %v", position, results[i])
		}
		if !faulty[position] {
			messages[internal] = true
			continue
		}
		place := fmt.Sprintf("/PmtInf/%d/CdtTrfTxInf/%d", 2*i/len(list), i%(len(list)/2))
		if want := b.alone(t, list[i], place); fmt.Sprint(a.At("results", i, "fields")) != want {
			t.Errorf("payment %d: %v, alone %s", position, a.At("results", i, "fields"), want)
		}
	}
	if len(messages) != len(list)-len(faulty) {
		t.Errorf("%d messages", len(messages))
	}
	third := b.ok(t, get("/api/common/v1/transaction/"+a.Text("results", 2, "internalId"), supervisor1))
	if third.Text("transaction", "endToEndId") != "E2E-3" || third.Text("transaction", "createdBy") != "maker1" {
		t.Errorf("the third: %s", third.Body)
	}
}

// refusedRepeats sends other content under the same externalId, and the same content with another creation time.
func (b *bundle) refusedRepeats(t *testing.T, body string) {
	t.Helper()
	a := b.Send(t, call{Path: batchPath, Who: maker1, Body: strings.Replace(body, "Invoice 7\"", "Invoice 8\"", 1)})
	if a.Status != http.StatusBadRequest || a.GroupStatus() != "RJCT" || a.Text("fields", 0, "reasonCode") != "DU01" {
		t.Errorf("other content: %d %s", a.Status, a.Body)
	}
}

// TestABatchIsRefusedAsAWholeForWhatItsPaymentsShare: and nothing is stored.
func TestABatchIsRefusedAsAWholeForWhatItsPaymentsShare(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, _ := payments(3)
	good := batchBody("B-1", list)
	many, _ := payments(1001)
	const in = "/Document/CstmrCdtTrfInitn"
	for name, test := range map[string]struct{ body, want string }{
		"a wrong number":  {strings.Replace(good, `"NbOfTxs":"3"`, `"NbOfTxs":"4"`, 1), "[" + in + "/GrpHdr/NbOfTxs AM18]"},
		"a wrong sum":     {strings.Replace(good, `"3.00"`, `"3.01"`, 1), "[" + in + "/GrpHdr/CtrlSum AM10]"},
		"too many":        {batchBody("B-2", many), "[/Document AM18]"},
		"no payments":     {strings.Replace(good, `"CdtTrfTxInf":[`, `"CdtTrfTxInf":[],"X":[`, 2), ""},
		"an unknown name": {strings.Replace(good, `"PmtMtd"`, `"Pmt"`, 1), ""},
		"a name twice":    {strings.Replace(good, `"PmtMtd":"TRF"`, `"PmtMtd":"TRF","PmtMtd":"TRF"`, 1), ""},
		"no name":         {strings.Replace(good, `{"externalId":"B-1"}`, `{}`, 1), "[/identifiers/externalId CH21]"},
		"no document":     {`{"identifiers":{"externalId":"B-1"}}`, "[/Document CH21]"},
		"broken":          {good[:len(good)-9], ""},
	} {
		a := b.Send(t, call{Path: batchPath, Who: maker1, Body: test.body})
		if got := fmt.Sprint(found(a)); a.Status != http.StatusBadRequest || test.want != "" && got != test.want {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	if a := b.Send(t, call{Path: batchPath, Who: checker1, Body: good}); a.Status != http.StatusForbidden {
		t.Errorf("a checker: %d", a.Status)
	}
	if a := b.Send(t, call{Path: batchPath, Who: maker1, Body: strings.Repeat(" ", 2<<20) + good}); a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than 2 MiB: %d", a.Status)
	}
	var rows int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT (SELECT count(*) FROM batch) + (SELECT count(*) FROM draft)").Scan(&rows))
	if rows != 0 {
		t.Errorf("%d rows are stored", rows)
	}
}

// TestABatchInXMLIsTheDocumentItself: its MsgId names it, one payment is enough, another realm does not see it.
func TestABatchInXMLIsTheDocumentItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	document := xmlBatch()
	asXML := func(r *http.Request) { r.Header.Set("Content-Type", "application/xml; charset=UTF-8") }
	a := b.Send(t, call{Path: batchPath, Who: maker1, Body: document, Change: asXML})
	if a.Status != http.StatusAccepted || a.Text("batch", "externalId") != "XML-1" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	id := a.Text("batch", "batchId")
	done := b.finished(t, id)
	if done.Text("results", 0, "state") != "Approval Pending" || fmt.Sprint(done.At("batch", "accepted")) != "1" {
		t.Errorf("%s", done.Body)
	}
	if a := b.Send(t, get("/api/common/v1/batch/"+id, otherMaker)); a.Status != http.StatusNotFound {
		t.Errorf("another realm: %d", a.Status)
	}
	if a := b.Send(t, get("/api/common/v1/batch/x", maker1)); a.Status != http.StatusNotFound {
		t.Errorf("no id: %d", a.Status)
	}
	again := b.Send(t, call{Path: batchPath, Who: maker1, Body: strings.Replace(document, "T10:00:00", "T11:00:00", 1), Change: asXML})
	if again.Text("batch", "batchId") != id || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeat: %s", again.Body)
	}
}

func xmlBatch() string {
	return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn><GrpHdr><MsgId>XML-1</MsgId>
<CreDtTm>2026-11-20T10:00:00+01:00</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>5.00</CtrlSum><InitgPty><Nm>Muster AG</Nm></InitgPty></GrpHdr><PmtInf>
<PmtInfId>P-1</PmtInfId><PmtMtd>TRF</PmtMtd><PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf><ReqdExctnDt><Dt>2026-11-20</Dt></ReqdExctnDt>
<Dbtr><Nm>Muster AG</Nm></Dbtr><DbtrAcct><Id><IBAN>CH5021977000004331346</IBAN></Id></DbtrAcct><DbtrAgt><FinInstnId><ClrSysMmbId><ClrSysId>
<Cd>CHBCC</Cd></ClrSysId><MmbId>21977</MmbId></ClrSysMmbId></FinInstnId></DbtrAgt><CdtTrfTxInf><PmtId><InstrId>I-1</InstrId>
<EndToEndId>E-1</EndToEndId></PmtId><Amt><InstdAmt Ccy="CHF">5.00</InstdAmt></Amt><Cdtr><Nm>Peter Haller</Nm><PstlAdr><TwnNm>Zuerich</TwnNm>
<Ctry>CH</Ctry></PstlAdr></Cdtr><CdtrAcct><Id><IBAN>CH4821966000009613388</IBAN></Id></CdtrAcct></CdtTrfTxInf></PmtInf></CstmrCdtTrfInitn></Document>`
}

// TestABatchIsMadeForItsSenderOnly: a draft of another person in its place, and another maker, make nothing; an account that is suppressed
// meanwhile makes nothing more, and the results say so.
func TestABatchIsMadeForItsSenderOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, _ := payments(3)
	owner := b.DB.Owner(t)
	exec := func(statement string) {
		t.Helper()
		_, err := owner.Exec(t.Context(), statement)
		must(t, err)
	}
	id, other := b.accepted(t, batchBody("B-1", list)), b.accepted(t, batchBody("B-2", list))
	exec(`DELETE FROM draft WHERE batch_id = '` + id + `'; UPDATE draft SET batch_id = '` + id + `' WHERE batch_id = '` + other + `'`)
	if err := b.Batches.Make(t.Context(), "demo", parse(t, id)); err == nil {
		t.Error("the payments of another batch are made")
	}
	exec(`DELETE FROM draft; DELETE FROM batch`)
	id = b.accepted(t, batchBody("B-3", list))
	person := `(SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'maker2')`
	exec(`UPDATE draft SET user_id = ` + person + `; UPDATE batch SET user_id = ` + person)
	must(t, b.Batches.Make(t.Context(), "demo", parse(t, id))) // there is nothing of its sender
	var made int
	must(t, owner.QueryRow(t.Context(), "SELECT count(*) FROM message").Scan(&made))
	if made != 0 {
		t.Errorf("%d messages are made", made)
	}
	id = b.accepted(t, batchBody("B-4", list))
	exec(`UPDATE client SET suppressed_at = now() WHERE realm = 'demo' AND client_id = 'demo-backoffice'`)
	must(t, b.Batches.Make(t.Context(), "demo", parse(t, id)))
	var refused int
	must(t, owner.QueryRow(t.Context(), "SELECT count(findings) - count(message_id) FROM batch_payment").Scan(&refused))
	if refused != 3 {
		t.Errorf("%d of 3 payments of a client that is not active are refused", refused)
	}
}

// TestTheFaultsOfABatchAreKnown: the order of members, several shapes and escapes make no difference to how a batch is cut.
func TestTheFaultsOfABatchAreKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list, _ := payments(2)
	var body map[string]any
	must(t, json.Unmarshal([]byte(batchBody("B-1", list)), &body))
	order := body["Document"].(map[string]any)["CstmrCdtTrfInitn"].(map[string]any)
	infos := order["PmtInf"].([]any)
	first, second := infos[0].(map[string]any), infos[1].(map[string]any)
	first["CdtTrfTxInf"] = first["CdtTrfTxInf"].([]any)[0] // one object instead of an array
	second["CtrlSum"] = 1
	for i, shape := range []func(){
		func() {},
		func() {
			order["PmtInf"] = first
			order["GrpHdr"].(map[string]any)["NbOfTxs"] = 1
			order["GrpHdr"].(map[string]any)["CtrlSum"] = 1.0
		},
	} {
		shape()
		name := "B-" + strconv.Itoa(i)
		body["identifiers"] = map[string]any{"externalId": name}
		order["GrpHdr"].(map[string]any)["MsgId"] = name
		raw, err := json.MarshalIndent(body, "", "\t")
		must(t, err)
		a := b.finished(t, b.accepted(t, string(raw)))
		if fmt.Sprint(a.At("batch", "refused")) != "0" {
			t.Errorf("%s", a.Body)
		}
	}
}
