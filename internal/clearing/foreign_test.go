package clearing_test

import (
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// What clearing says of messages is stored and told: a refused message has ended, with an alarm.
func TestForeignMessagesAreStoredAndTold(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := &testutil.Log{}
	h.Log = log
	scheme := rulebook.SchemeSCT
	m := approved(t, h, scheme)
	send(t, h, m)
	foreign := func(name, body string) clearing.Document {
		content := `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:` + name + `"><X>` + body + `</X></Document>`
		return clearing.Document{Scheme: scheme, Reference: name, Content: []byte(content), ReceivedAt: h.Clock.Now()}
	}
	refusal := "<RltdRef><Ref>" + m.Reference() + "</Ref></RltdRef><Rsn><RjctgPtyRsn>U110</RjctgPtyRsn><RsnDesc>Not valid</RsnDesc></Rsn>"
	receive(t, h, foreign("admi.002.001.01", refusal))
	want{state: payment.StateFailed, code: "FF01"}.check(t, h, m)
	if n := alarms(log); n != 1 {
		t.Errorf("%d alarms for a refused message", n)
	}
	receive(t, h, foreign("admi.004.001.02", "<EvtInf><EvtCd>CLSD</EvtCd><EvtDesc>A participant left</EvtDesc></EvtInf>"))
	receive(t, h, foreign("admi.007.001.01", "<Rpt><RltdRef><Ref>P2X</Ref></RltdRef></Rpt>"))
	receive(t, h, foreign("admi.007.001.02", "<Rpt><RltdRef><Ref>P2X</Ref></RltdRef><ReqHdlg><StsCd>RJCT</StsCd></ReqHdlg></Rpt>"))
	receive(t, h, foreign("camt.053.001.08", "<BkToCstmrStmt/>"))
	receive(t, h, foreign("pacs.009.001.08", "<A/>"))
	for name, wanted := range map[string][2]string{
		"admi.002.001.01": {"quarantined", "U110 Not valid"}, "admi.004.001.02": {"quarantined", "CLSD A participant left"},
		"admi.007.001.01": {"noted", "P2X"}, "admi.007.001.02": {"quarantined", "RJCT"},
		"camt.053.001.08": {"quarantined", "camt.053.001.08"}, "pacs.009.001.08": {"quarantined", "pacs.009.001.08"},
	} {
		if outcome, reason := inboxOf(t, h, name); outcome != wanted[0] || !strings.Contains(reason, wanted[1]) {
			t.Errorf("%s is %s: %s", name, outcome, reason)
		}
	}
	if err := h.Clearing.Receive(ctx, foreign("camt.053.001.08", "<BkToCstmrStmt/>")); err == nil {
		t.Error("the same document again is no duplicate")
	}
	h.CheckInvariants(t)
}
