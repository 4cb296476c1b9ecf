package webtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/demo"
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

// Person is a caller: realm, client and user of the demo.
type Person struct{ Realm, Client, User string }

// The demo's people behind the client of its back office, and others where the name says so.
var (
	Maker1       = Person{demo.Realm, demo.Backoffice, "maker1"}
	Maker2       = Person{demo.Realm, demo.Backoffice, "maker2"}
	Checker1     = Person{demo.Realm, demo.Backoffice, "checker1"}
	Checker2     = Person{demo.Realm, demo.Backoffice, "checker2"}
	Both1        = Person{demo.Realm, demo.Backoffice, "both1"}
	Supervisor1  = Person{demo.Realm, demo.Backoffice, "supervisor1"}
	Admin1       = Person{demo.Realm, demo.Backoffice, "admin1"}
	Admin2       = Person{demo.Realm, demo.Backoffice, "admin2"}
	Straight     = Person{demo.Realm, demo.Straight, "maker1"}
	OtherMaker   = Person{demo.SecondRealm, demo.SecondClient, "maker1"}
	OtherChecker = Person{demo.SecondRealm, demo.SecondClient, "checker1"}
	Nobody       = Person{}
)

// Token signs a person in, once.
func (g *Gateway) Token(t testing.TB, who Person) string {
	t.Helper()
	known, ok := g.tokens.Load(who)
	if ok {
		return known.(string)
	}
	form := url.Values{
		"grant_type": {"password"}, "client_id": {who.Client}, "client_secret": {demo.ClientSecret},
		"username": {who.User}, "password": {demo.UserPassword},
	}
	answer := g.Send(t, Call{
		Path: "/api/auth/v1/realms/" + who.Realm + "/login", Body: form.Encode(), Kind: "application/x-www-form-urlencoded",
	})
	token, _ := answer.JSON["access_token"].(string)
	if token == "" {
		t.Fatalf("no token for %v: %d %s", who, answer.Status, answer.Body)
	}
	g.tokens.Store(who, token)
	return token
}

// SignOut forgets the tokens, so that everybody signs in again: after the clock has moved past their life.
func (g *Gateway) SignOut() { g.tokens.Clear() }
