package api

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// seedOrder is a small order that the reader takes.
const seedOrder = `{"identifiers":{"externalId":"x"},"Document":{"CstmrCdtTrfInitn":{
"GrpHdr":{"MsgId":"M","CreDtTm":"2026-11-20T10:00:00+01:00","NbOfTxs":"1","InitgPty":{"Nm":"Muster AG"}},
"PmtInf":[{"PmtInfId":"P","PmtMtd":"TRF","ReqdExctnDt":{"Dt":"2026-11-20"},"Dbtr":{"Nm":"Muster AG"},
"DbtrAcct":{"Id":{"IBAN":"CH5021977000004331346"}},"DbtrAgt":{"FinInstnId":{"BICFI":"AAAACHBBXXX"}},
"CdtTrfTxInf":[{"PmtId":{"EndToEndId":"E"},"Amt":{"InstdAmt":{"Ccy":"CHF","value":"1.00"}},"Cdtr":{"Nm":"A"},
"CdtrAcct":{"Id":{"IBAN":"CH4821966000009613388"}}}]}]}}}`

// FuzzParse holds three things for any bytes: reading ends without a panic; a refusal names places and says what to do; and what is
// taken means the same to a lenient reader, so no two parsers can see two payments in it.
func FuzzParse(f *testing.F) {
	forms, err := Compile()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		seedOrder, `{"paymentRequest":` + seedOrder + `}`, `{"identifiers":{"externalId":"a","externalId":"b"},"Document":null}`,
		"\xef\xbb\xbf{}", `{"identifiers":{"internalId":"a"},"ApprovalDetails":{"action":"reject","rejectReason":"\u0000"}}`, `[[[[`, `{"a":1}{`,
		`{"identifiers":{"internalId":"a"},"reason":"x"}`, strings.Replace(seedOrder, `"x"`, `"\ud800"`, 1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, form := range []Form{forms.Create, forms.Update, forms.Cancel, forms.Approval} {
			read, err := form.Read(t.Context(), raw)
			if err != nil {
				checkRefusal(t, err)
				continue
			}
			checkSameMeaning(t, raw, read)
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	var refused *MalformedError
	if !errors.As(err, &refused) || len(refused.Findings) == 0 {
		t.Fatalf("refused without a finding: %v", err)
	}
	for _, finding := range refused.Findings {
		wellFormed := finding.Pointer == "" || strings.HasPrefix(finding.Pointer, "/")
		if !wellFormed || len(finding.Code) != 4 || !strings.HasSuffix(finding.Text.String(), ".") {
			t.Errorf("finding %+v", finding)
		}
	}
}

func checkSameMeaning(t *testing.T, raw []byte, read Body) {
	t.Helper()
	var lenient map[string]any
	err := json.Unmarshal(raw, &lenient)
	if err != nil {
		t.Fatalf("taken, but %v", err)
	}
	if read.Prefix != "" {
		lenient, _ = lenient[wrapperName].(map[string]any)
	}
	other := Body{members: lenient}
	for _, path := range [][]string{
		{"identifiers", "externalId"},
		{"identifiers", "internalId"},
		{"reason"},
		{"ApprovalDetails", "action"},
		{"ApprovalDetails", "rejectReason"},
	} {
		if read.Text(path...) != other.Text(path...) {
			t.Errorf("%v is %q here and %q to a lenient reader", path, read.Text(path...), other.Text(path...))
		}
	}
	if (read.Document != nil) != (lenient["Document"] != nil) {
		t.Error("the document is lost")
	}
}
