package clearing_test

import (
	"strings"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestAReceiptForAPaymentIsQuarantined: clearing receipts recalls and their refusals. A receipt that names a payment, with or without the
// name of its message, goes to an operator.
func TestAReceiptForAPaymentIsQuarantined(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	for reference, name := range map[string]string{"NAMED": "pacs.008.001.08", "SHORT": "pacs", "UNNAMED": ""} {
		receive(t, h, inbound(t, rulebook.SchemeSIC, reference, &iso20022.Receipt{
			MessageHeader: iso20022.MessageHeader9{MessageID: reference, CreationDateTime: "2026-03-02T11:00:01Z"},
			ReceiptDetails: []iso20022.Receipt3{{
				OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: m.Reference(), MessageNameID: name},
				RequestHandling:   []iso20022.RequestHandling1{{StatusCode: "ACCP"}},
			}},
		}, nil))
		if outcome, reason := inboxOf(t, h, reference); outcome != "quarantined" || name != "" && !strings.Contains(reason, "OrgnlMsgNmId") {
			t.Errorf("a receipt for a payment named %q is %s: %q", name, outcome, reason)
		}
	}
	want{state: payment.StateProcessing}.check(t, h, m)
}

// TestAStatusOfARecallThatNamedNoMessageIsQuarantined: a recall need not name the message of the payment, so that a status which takes the
// recall for the payment has nothing to agree with.
func TestAStatusOfARecallThatNamedNoMessageIsQuarantined(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	original, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	recall := recalling(t, h, document, byCustomer(rulebook.SchemeSIC))
	recall.Underlying[0].TransactionInformation[0].OriginalGroupInformation = nil
	receive(t, h, inbound(t, rulebook.SchemeSIC, "RE1", recall, nil))
	id, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	must(t, err)
	received := current(t, h, payment.Message{Realm: original.Realm, InternalID: id})
	status := answer(t, received, "STRAY", "ACSC", "")
	status.Content = []byte(strings.Replace(string(status.Content), "<TxInfAndSts>", "<OrgnlGrpInfAndSts><OrgnlMsgId>RE1</OrgnlMsgId>"+
		"<OrgnlMsgNmId>camt.056.001.08</OrgnlMsgNmId></OrgnlGrpInfAndSts><TxInfAndSts>", 1))
	receive(t, h, status)
	if outcome, reason := inboxOf(t, h, "STRAY"); outcome != "quarantined" || !strings.Contains(reason, "OrgnlMsgNmId") {
		t.Errorf("a status of a recall is %s: %q", outcome, reason)
	}
	if now := current(t, h, received); now.State != payment.StateAwaitingDecision {
		t.Errorf("the recall is %s", now.State)
	}
}

// TestAReasonOfItsOwnEndsAPaymentWithAReportThatIsValid: another bank may refuse with a code that no list has.
func TestAReasonOfItsOwnEndsAPaymentWithAReportThatIsValid(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	refused := answer(t, m, "OWN", "RJCT", "AC04")
	refused.Content = []byte(strings.Replace(string(refused.Content), "<Cd>AC04</Cd>", "<Prtry>ACCOUNT-GONE</Prtry>", 1))
	receive(t, h, refused)
	want{state: payment.StateFailed, code: "ACCOUNT-GONE"}.check(t, h, m)
	var content []byte
	must(t, h.DB.Owner(t).QueryRow(
		ctx, "SELECT content FROM document WHERE message_id = $1 AND name LIKE 'pain.002%'", m.InternalID,
	).Scan(&content))
	if _, findings := profile.Read(content); len(findings) > 0 {
		t.Errorf("the report is not valid: %+v\n%s", findings, content)
	}
}
