package codec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"countersign/internal/iso20022"
)

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

// instructionJSON is instructionXML in JSON, with single objects where the schema allows many and members out of order.
const instructionJSON = `{
"@xmlns": "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",
"CstmrCdtTrfInitn": {
"PmtInf": {"PmtInfId":"P1","PmtMtd":"TRF","BtchBookg":false,
"ReqdExctnDt":{"Dt":"2026-03-02"},
"Dbtr":{"Nm":"MUSTER AG"},
"DbtrAcct":{"Id":{"IBAN":"CH7280005000088877766"}},
"DbtrAgt":{"FinInstnId":{"BICFI":"RAIFCH22005"}},
"CdtTrfTxInf":{
"PmtId":{"InstrId":"I1","EndToEndId":"E1","UETR":"7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"},
"Amt":{"InstdAmt":{"Ccy":"CHF","value":"199.95"}},
"Cdtr":{"Nm":"Peter Haller","PstlAdr":{"TwnNm":"Zuerich","Ctry":"CH"}},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}},
"RmtInf":{"Ustrd":"Invoice 1"}}},
"GrpHdr": {"MsgId":"M1","CreDtTm":"2026-03-02T10:00:00+01:00","NbOfTxs":"1","CtrlSum":199.95,"InitgPty":{"Nm":"MUSTER AG"}}
}}`

func TestJSONAndXMLGiveTheSameDocument(t *testing.T) {
	t.Parallel()
	fromXML, _ := DecodeXML([]byte(instructionXML))
	amount := `{"Ccy":"CHF","value":"199.95"}`
	for name, replacement := range map[string][2]string{
		"as it is":           {"", ""},
		"@Ccy and #text":     {amount, `{"@Ccy":"CHF","#text":"199.95"}`},
		"number":             {amount, `{"value":199.95,"Ccy":"CHF"}`},
		"$value":             {amount, `{"$value":199.95,"@Ccy":"CHF"}`},
		"_text":              {amount, `{"_text":"199.95","Ccy":"CHF"}`},
		"Text":               {amount, `{"Text":"199.95","Ccy":"CHF"}`},
		"Value":              {amount, `{"Value":"199.95","Ccy":"CHF"}`},
		"Amt":                {amount, `{"Amt":199.95,"Ccy":"CHF"}`},
		"count as number":    {`"NbOfTxs":"1"`, `"NbOfTxs":1`},
		"sum as text":        {`"CtrlSum":199.95`, `"CtrlSum":"199.95"`},
		"arrays":             {`"Ustrd":"Invoice 1"`, `"Ustrd":["Invoice 1"]`},
		"escaped name":       {`"MsgId"`, `"Msg\u0049d"`},
		"without @xmlns":     {`"@xmlns": "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09",`, ``},
		"escaped text value": {`"Peter Haller"`, `"Peter\u0020Haller"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, findings := DecodeJSON(
				[]byte(strings.Replace(instructionJSON, replacement[0], replacement[1], 1)), "/Document", iso20022.Pain001V09,
			)
			if difference := equal(fromXML, document); difference != "" || len(findings) > 0 {
				t.Errorf("%v %s", findings, difference)
			}
		})
	}
}

func TestFindingsOfJSON(t *testing.T) {
	t.Parallel()
	amount := `{"Ccy":"CHF","value":"199.95"}`
	place := transaction + "/Amt/InstdAmt"
	for name, test := range map[string]struct{ old, replacement, want string }{
		"unknown member":      {`"MsgId"`, `"Foo":{"a":[1]},"MsgId"`, header + "/Foo CH17"},
		"pointer escape":      {`"MsgId"`, `"a/b~c":1,"MsgId"`, header + "/a~1b~0c CH17"},
		"case variant":        {`"MsgId":"M1"`, `"MsgId":"M1","msgid":"M1"`, header + "/msgid FF01"},
		"duplicate":           {`"MsgId":"M1"`, `"MsgId":"M1","MsgId":"M1"`, header + "/MsgId FF01"},
		"duplicate that many": {`"Ustrd":"Invoice 1"`, `"Ustrd":["a"],"Ustrd":["b"]`, transaction + "/RmtInf/Ustrd FF01"},
		"null":                {`"MsgId":"M1"`, `"MsgId":null`, header + "/MsgId FF01"},
		"null group":          {`{"Nm":"MUSTER AG"}}`, `null}`, header + "/InitgPty FF01"},
		"number for text":     {`"MsgId":"M1"`, `"MsgId":1`, header + "/MsgId FF01"},
		"text for boolean":    {`"BtchBookg":false`, `"BtchBookg":"false"`, information + "/BtchBookg FF01"},
		"array for one":       {`{"Dt":"2026-03-02"}`, `[{"Dt":"2026-03-02"}]`, information + "/ReqdExctnDt FF01"},
		"empty array":         {`"Ustrd":"Invoice 1"`, `"Ustrd":[]`, transaction + "/RmtInf/Ustrd/0 CH16"},
		"null in an array":    {`"Ustrd":"Invoice 1"`, `"Ustrd":["a",null]`, transaction + "/RmtInf/Ustrd/1 FF01"},
		"empty text":          {`"MsgId":"M1"`, `"MsgId":""`, header + "/MsgId CH21"},
		"blank text":          {`"InstrId":"I1"`, `"InstrId":" "`, transaction + "/PmtId/InstrId CH16"},
		"empty object":        {`{"IBAN":"CH4821966000009613388"}`, `{}`, transaction + "/CdtrAcct/Id CH21"},
		"missing":             {`"EndToEndId":"E1",`, ``, transaction + "/PmtId/EndToEndId CH21"},
		"exponent":            {amount, `{"Ccy":"CHF","value":1e2}`, place + " AM12"},
		"negative":            {amount, `{"Ccy":"CHF","value":-1}`, place + " AM12"},
		"too many decimals":   {amount, `{"Ccy":"CHF","value":1.000001}`, place + " CH20"},
		"amount as number":    {amount, `199.95`, place + " FF01"},
		"amount without Ccy":  {amount, `{"value":"199.95"}`, place + "/Ccy CH21"},
		"amount without":      {amount, `{"Ccy":"CHF"}`, place + " CH21"},
		"amount twice":        {amount, `{"Ccy":"CHF","value":"1","Value":"1"}`, place + "/Value FF01"},
		"amount unknown":      {amount, `{"Ccy":"CHF","value":"1","unit":"1"}`, place + "/unit CH17"},
		"amount case":         {amount, `{"ccy":"CHF","value":"1","Ccy":"CHF"}`, place + "/ccy FF01"},
		"amount null":         {amount, `{"Ccy":"CHF","value":null}`, place + " FF01"},
		"two of a choice": {
			`{"Dt":"2026-03-02"}`, `{"Dt":"2026-03-02","DtTm":"2026-03-02T10:00:00Z"}`,
			information + "/ReqdExctnDt/DtTm CH17",
		},
		"wrong namespace": {`pain.001.001.09"`, `pain.001.001.08"`, "/Document/@xmlns FF01"},
		"two messages":    {`"CstmrCdtTrfInitn"`, `"FIToFICstmrCdtTrf":{},"CstmrCdtTrfInitn"`, "/Document/FIToFICstmrCdtTrf CH17"},
		"cut off":         {`"GrpHdr"`, ``, "/Document/CstmrCdtTrfInitn FF01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := strings.Replace(instructionJSON, test.old, test.replacement, 1)
			if content == instructionJSON {
				t.Fatal("nothing replaced")
			}
			_, findings := DecodeJSON([]byte(content), "/Document", iso20022.Pain001V09)
			if brief(findings) != test.want {
				t.Errorf("got  %s\nwant %s", brief(findings), test.want)
			}
		})
	}
}

func TestJSONFindingsHaveThePrefixAndThePlace(t *testing.T) {
	t.Parallel()
	content := strings.Replace(instructionJSON, `"RAIFCH22005"`, `"R"`, 1)
	_, findings := DecodeJSON([]byte(content), "/paymentRequest/Document", iso20022.Pain001V09)
	if len(findings) != 1 || findings[0].Pointer != "/paymentRequest/Document/CstmrCdtTrfInitn/PmtInf/0/DbtrAgt/FinInstnId/BICFI" {
		t.Fatalf("%+v", findings)
	}
	if got := fmt.Sprintf("%d:%d", findings[0].Line, findings[0].Column); got != "8:34" {
		t.Errorf("at %s", got)
	}
}
