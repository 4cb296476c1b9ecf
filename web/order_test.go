package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// sample is an order as a client writes it. Tests replace parts of its text.
const sample = `{"identifiers":{"externalId":"EXT"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MSG","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"1","CtrlSum":"199.95","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":{"PmtInfId":"PMT-1","PmtMtd":"TRF","BtchBookg":false,"PmtTpInf":{"LclInstrm":{"Cd":"INST"}},"ReqdExctnDt":{"Dt":"2026-11-20"},
"Dbtr":{"Nm":"Muster AG"},"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},
"DbtrAgt":{"FinInstnId":{"ClrSysMmbId":{"ClrSysId":{"Cd":"CHBCC"},"MmbId":"21977"}}},
"CdtTrfTxInf":{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"E2E-1"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"199.95"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"StrtNm":"Rosenauweg","BldgNb":"4","PstCd":"8036","TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}},"RmtInf":{"Ustrd":"Invoice 118"}}}}}}`

// europeanSample is the same for the other scheme.
const europeanSample = `{"identifiers":{"externalId":"EXT"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"MSG","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"1","CtrlSum":1250.40,"InitgPty":{"Nm":"Muster GmbH"}},
"PmtInf":[{"PmtInfId":"PMT-1","PmtMtd":"TRF","PmtTpInf":{"SvcLvl":[{"Cd":"SEPA"}],"LclInstrm":{"Cd":"INST"}},"ReqdExctnDt":{"Dt":"2026-11-20"},
"Dbtr":{"Nm":"Muster GmbH"},"DbtrAcct":{"Id":{"IBAN":"DE62007620110623852957"}},"DbtrAgt":{"FinInstnId":{"BICFI":"AAAADEFFXXX"}},"ChrgBr":"SLEV",
"CdtTrfTxInf":[{"PmtId":{"InstrId":"INSTR-1","EndToEndId":"E2E-1"},"Amt":{"InstdAmt":{"@Ccy":"EUR","#text":1250.40}},
"CdtrAgt":{"FinInstnId":{"BICFI":"BBBBFRPPXXX"}},"Cdtr":{"Nm":"Atelier Exemple SARL","PstlAdr":{"TwnNm":"Paris","Ctry":"FR"}},
"CdtrAcct":{"Id":{"IBAN":"FR1420041010050500013M02606"}},"RmtInf":{"Ustrd":"Invoice 118"}}]}]}}}`

const (
	createSwiss    = "/api/sic-inst/v1/instruction/create"
	createEuropean = "/api/sct-inst/v1/instruction/create"
	approvePath    = "/api/common/v1/instruction/approval"
)

// order is a sample under keys of its own.
func order(sample string) string {
	key := strings.ReplaceAll(uuid.NewString(), "-", "")
	return strings.NewReplacer(`"EXT"`, `"X`+key+`"`, `"MSG"`, `"M`+key+`"`).Replace(sample)
}

// created makes a pending payment and returns its internalId.
func (b *bundle) created(t *testing.T, who person) string {
	t.Helper()
	a := b.send(t, call{path: createSwiss, who: who, body: order(sample)})
	if a.status != http.StatusOK {
		t.Fatalf("create: %d %s", a.status, a.body)
	}
	return a.text("identifiers", "internalId")
}

// verdict is the body of an approval.
func verdict(id, action string, more ...string) string {
	details := map[string]string{"action": action}
	for i := 0; i+1 < len(more); i += 2 {
		details[more[i]] = more[i+1]
	}
	body, _ := json.Marshal(map[string]any{"identifiers": map[string]string{"internalId": id}, "ApprovalDetails": details}) // always encodes
	return string(body)
}

func get(path string, who person) call { return call{method: http.MethodGet, path: path, who: who} }
