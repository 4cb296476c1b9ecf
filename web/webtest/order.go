package webtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// Sample is an order as a client writes it. Tests replace parts of its text.
const Sample = `{"identifiers":{"externalId":"EXT"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MSG","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"1","CtrlSum":"199.95","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":{"PmtInfId":"PMT-1","PmtMtd":"TRF","BtchBookg":false,"PmtTpInf":{"LclInstrm":{"Cd":"INST"}},
"ReqdExctnDt":{"Dt":"2026-11-20"},"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},
"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}},
"CdtTrfTxInf":{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"E2E-1"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"199.95"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"StrtNm":"Rosenauweg","BldgNb":"4","PstCd":"8036","TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}},"RmtInf":{"Ustrd":"Invoice 118"}}}}}}`

// EuropeanSample is the same for the other scheme.
const EuropeanSample = `{"identifiers":{"externalId":"EXT"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MSG","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"1","CtrlSum":1250.40,"InitgPty":{"Nm":"Muster GmbH"}},
"PmtInf":[{"PmtInfId":"PMT-1","PmtMtd":"TRF","PmtTpInf":{"SvcLvl":[{"Cd":"SEPA"}],"LclInstrm":{"Cd":"INST"}},
"ReqdExctnDt":{"Dt":"2026-11-20"},
"Dbtr":{"Nm":"Muster GmbH"},"DbtrAcct":{"Id":{"IBAN":"DE62007620110623852957"}},"DbtrAgt":{"FinInstnId":{"BICFI":"AAAADEFFXXX"}},
"ChrgBr":"SLEV","CdtTrfTxInf":[{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"E2E-1"},"Amt":{"InstdAmt":{"@Ccy":"EUR","#text":1250.40}},
"CdtrAgt":{"FinInstnId":{"BICFI":"BBBBFRPPXXX"}},"Cdtr":{"Nm":"Atelier Exemple SARL","PstlAdr":{"TwnNm":"Paris","Ctry":"FR"}},
"CdtrAcct":{"Id":{"IBAN":"FR1420041010050500013M02606"}},"RmtInf":{"Ustrd":"Invoice 118"}}]}]}}}`

// Addresses of the API.
const (
	CreateSwiss    = "/api/sic-inst/v1/instruction/create"
	CreateEuropean = "/api/sct-inst/v1/instruction/create"
	ListPath       = "/api/common/v1/transaction/list"
	ApprovePath    = "/api/common/v1/instruction/approval"
)

// Order is a sample under keys of its own.
func Order(sample string) string {
	key := strings.ReplaceAll(uuid.NewString(), "-", "")
	return strings.NewReplacer(`"EXT"`, `"X`+key+`"`, `"MSG"`, `"M`+key+`"`).Replace(sample)
}

// Created makes a pending payment and returns its internalId.
func (g *Gateway) Created(t testing.TB, who Person) string {
	t.Helper()
	a := g.Send(t, Call{Path: CreateSwiss, Who: who, Body: Order(Sample)})
	if a.Status != http.StatusOK {
		t.Fatalf("create: %d %s", a.Status, a.Body)
	}
	return a.Text("identifiers", "internalId")
}

// Verdict is the body of an approval.
func Verdict(id, action string, more ...string) string {
	details := map[string]string{"action": action}
	for i := 0; i+1 < len(more); i += 2 {
		details[more[i]] = more[i+1]
	}
	body, _ := json.Marshal(map[string]any{"identifiers": map[string]string{"internalId": id}, "ApprovalDetails": details}) // always encodes
	return string(body)
}

// Get is a read.
func Get(path string, who Person) Call { return Call{Method: http.MethodGet, Path: path, Who: who} }
