package simulator_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/iso20022"
)

const scenarioWait = 10 * time.Second

// answering is a bench whose gateway answers each incoming payment.
func answering(t *testing.T, status, reason string) *bench {
	t.Helper()
	b := newBench(t, nil)
	b.hold(scenarioWait)
	b.gateway.onArrival = func(taken arrival) {
		document, isPayment := taken.document.(*iso20022.FIToFICustomerCreditTransfer)
		if !isPayment {
			return
		}
		transaction := document.CreditTransferTransactionInformation[0].PaymentID.TransactionID
		go b.deliver(delivery{scheme: taken.scheme, messageID: "S-" + transaction, xml: report(t, transaction, status, reason)})
	}
	return b
}

// made is the answer of the incoming-payment scenario.
type made struct{ TransactionID, EndToEndID, Status, Reason string }

func (b *bench) incoming(body string) made {
	b.t.Helper()
	answer := b.scenario("incoming-payment", body)
	if answer.status != http.StatusOK {
		b.t.Fatalf("got %d %s, want 200", answer.status, answer.body)
	}
	var payment made
	err := json.Unmarshal([]byte(answer.body), &payment)
	if err != nil {
		b.t.Fatal(err)
	}
	return payment
}

func TestIncomingPaymentIsAnsweredByTheGateway(t *testing.T) {
	t.Parallel()
	for scheme, account := range map[string]string{"sic-inst": "CH5021977000004331346", "sct-inst": "DE62007620110623852957"} {
		b := answering(t, "ACCP", "")
		payment := b.incoming(`{"scheme":"` + scheme + `"}`)
		if payment.Status != "ACCP" || payment.Reason != "" {
			t.Errorf("got %+v, want ACCP", payment)
		}
		document := b.gateway.taken()[0].document.(*iso20022.FIToFICustomerCreditTransfer)
		transaction := document.CreditTransferTransactionInformation[0]
		if transaction.PaymentID.TransactionID != payment.TransactionID || transaction.PaymentID.EndToEndID != payment.EndToEndID {
			t.Errorf("sent %+v, answered %+v", transaction.PaymentID, payment)
		}
		if got := transaction.CreditorAccount.ID.IBAN; got != account {
			t.Errorf("paid to %s, want %s", got, account)
		}
		if got := transaction.InterbankSettlementAmount.Value.String(); got != "100.00" {
			t.Errorf("paid %s, want 100.00", got)
		}
		if isSwiss := scheme == "sic-inst"; isSwiss != (transaction.PaymentID.UETR != "") {
			t.Errorf("%s: UETR is %q", scheme, transaction.PaymentID.UETR)
		}
		b.accepted(delivery{scheme: scheme, messageID: "ANOTHER-ID", xml: report(t, payment.TransactionID, "RJCT", "AC01")})
		if got := b.effective("pacs.002.001.10", payment.TransactionID); got != 1 {
			t.Errorf("the gateway's answer took effect %d times, want once", got)
		}
		b.checkSent()
	}
}

func TestIncomingPaymentTakesItsDetails(t *testing.T) {
	t.Parallel()
	b := answering(t, "RJCT", "AC01")
	for _, amount := range []string{`"12.30"`, `12.30`} {
		payment := b.incoming(`{"scheme":"sic-inst","amount":` + amount + `,"creditorAccount":"CH9300762011623852957",` +
			`"debtorName":"Zaun & Söhne","remittance":"Invoice 7"}`)
		if payment.Status != "RJCT" || payment.Reason != "AC01" {
			t.Errorf("got %+v, want RJCT AC01", payment)
		}
		taken := b.gateway.taken()
		transaction := taken[len(taken)-1].document.(*iso20022.FIToFICustomerCreditTransfer).CreditTransferTransactionInformation[0]
		got := []string{
			transaction.InterbankSettlementAmount.String(), transaction.CreditorAccount.ID.IBAN, transaction.Debtor.Name,
			transaction.RemittanceInformation.Unstructured[0],
			transaction.CreditorAgent.FinancialInstitutionID.ClearingSystemMemberID.MemberID,
		}
		if joined := strings.Join(got, "|"); joined != "CHF 12.30|CH9300762011623852957|Zaun & Söhne|Invoice 7|762" {
			t.Errorf("got %s", joined)
		}
	}
	b.checkSent()
}

func TestIncomingPaymentWithoutAnswerTimesOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	answer := b.scenario("incoming-payment", `{"scheme":"sct-inst"}`)
	if answer.status != http.StatusGatewayTimeout || !strings.Contains(answer.body, "within 10 seconds") {
		t.Errorf("got %d %s, want 504", answer.status, answer.body)
	}
}

func TestScenarioThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, scenario, body, text string }{
		{"no scheme", "incoming-payment", `{}`, "scheme"},
		{"unknown member", "incoming-payment", `{"scheme":"sic-inst","ammount":"1"}`, "ammount"},
		{"two values", "incoming-payment", `{"scheme":"sic-inst"} {}`, "nothing after it"},
		{"not JSON", "incoming-payment", `scheme`, "Correct the request"},
		{"amount of nothing", "incoming-payment", `{"scheme":"sic-inst","amount":"0.00"}`, "amount"},
		{"amount with an exponent", "incoming-payment", `{"scheme":"sic-inst","amount":1e3}`, "amount"},
		{"account with a slip", "incoming-payment", `{"scheme":"sic-inst","creditorAccount":"CH5021977000004331347"}`, "creditor account"},
		{"account out of reach", "incoming-payment", `{"scheme":"sic-inst","creditorAccount":"DE89370400440532013000"}`, "Swiss"},
		{"name too long", "incoming-payment", `{"scheme":"sic-inst","debtorName":"` + strings.Repeat("x", 71) + `"}`, "70"},
		{"name with a control character", "incoming-payment", `{"scheme":"sic-inst","debtorName":"a\u0001b"}`, "/Dbtr/Nm"},
		{"recall without scheme", "recall", `{"transactionId":"TX1"}`, "scheme"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			answer := b.scenario(c.scenario, c.body)
			if answer.status != http.StatusBadRequest || !strings.Contains(answer.body, c.text) {
				t.Errorf("got %d %s, want 400 with %q", answer.status, answer.body, c.text)
			}
			b.simulator.Settle()
			if _, _, attempts := b.gateway.counts(); attempts != 0 {
				t.Errorf("the gateway got %d documents", attempts)
			}
		})
	}
}

func TestScenarioTakesJSONOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	response, err := http.Post(b.server.URL+"/scenario/incoming-payment", "text/plain", strings.NewReader(`{"scheme":"sic-inst"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("got %d, want 415", response.StatusCode)
	}
}

func TestClosedSimulatorStartsNoScenario(t *testing.T) {
	t.Parallel()
	b := answering(t, "ACCP", "")
	payment := b.incoming(`{"scheme":"sic-inst"}`)
	b.simulator.Close()
	for name, body := range map[string]string{
		"incoming-payment": `{"scheme":"sic-inst"}`,
		"recall":           `{"scheme":"sic-inst","transactionId":"` + payment.TransactionID + `"}`,
	} {
		if answer := b.scenario(name, body); answer.status != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d %s, want 503", name, answer.status, answer.body)
		}
	}
}

func TestRecallScenarioSendsARecallOfTheIncomingPayment(t *testing.T) {
	t.Parallel()
	for _, scheme := range schemes {
		b := answering(t, "ACCP", "")
		payment := b.incoming(`{"scheme":"` + scheme + `","amount":"55.10"}`)
		ids := map[string]bool{}
		for _, reason := range []string{"", "CUST"} {
			answer := b.scenario("recall", `{"scheme":"`+scheme+`","transactionId":"`+payment.TransactionID+`","reason":"`+reason+`"}`)
			if answer.status != http.StatusOK {
				t.Fatalf("got %d %s, want 200", answer.status, answer.body)
			}
			taken := b.gateway.taken()
			document := taken[len(taken)-1].document.(*iso20022.FIToFIPaymentCancellationRequest)
			recalled := document.Underlying[0].TransactionInformation[0]
			if !strings.Contains(answer.body, recalled.CancellationID) || recalled.OriginalTransactionID != payment.TransactionID {
				t.Errorf("recall of %s is %s, answered %s", recalled.OriginalTransactionID, recalled.CancellationID, answer.body)
			}
			want := reason
			if want == "" {
				want = "DUPL"
			}
			if got := recalled.CancellationReasonInformation[0].Reason.Code; got != want {
				t.Errorf("got reason %s, want %s", got, want)
			}
			if got := recalled.OriginalInterbankSettlementAmount.Value.String(); got != "55.10" {
				t.Errorf("got amount %s, want 55.10", got)
			}
			ids[recalled.CancellationID] = true
		}
		if len(ids) != 2 {
			t.Errorf("two recalls share an id: %v", ids)
		}
		b.checkSent()
	}
}

func TestRecallScenarioRefusesAReasonThatIsNoCode(t *testing.T) {
	t.Parallel()
	b := answering(t, "ACCP", "")
	payment := b.incoming(`{"scheme":"sct-inst"}`)
	answer := b.scenario("recall", `{"scheme":"sct-inst","transactionId":"`+payment.TransactionID+`","reason":"DUPLICATE"}`)
	if answer.status != http.StatusBadRequest || !strings.Contains(answer.body, "/CxlRsnInf") {
		t.Errorf("got %d %s, want 400", answer.status, answer.body)
	}
}

func TestRecallScenarioNeedsAnAcceptedPayment(t *testing.T) {
	t.Parallel()
	b := answering(t, "RJCT", "AC01")
	payment := b.incoming(`{"scheme":"sic-inst"}`)
	for _, transaction := range []string{payment.TransactionID, "UNKNOWN"} {
		answer := b.scenario("recall", `{"scheme":"sic-inst","transactionId":"`+transaction+`"}`)
		if answer.status != http.StatusNotFound {
			t.Errorf("%s: got %d %s, want 404", transaction, answer.status, answer.body)
		}
	}
}

func TestRecallScenarioTellsWhenTheGatewayTakesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	release := b.hold(scenarioWait)
	b.gateway.onArrival = func(taken arrival) {
		document, isPayment := taken.document.(*iso20022.FIToFICustomerCreditTransfer)
		if isPayment {
			transaction := document.CreditTransferTransactionInformation[0].PaymentID.TransactionID
			go b.deliver(delivery{scheme: taken.scheme, messageID: "S-1", xml: report(t, transaction, "ACCP", "")})
		}
	}
	payment := b.incoming(`{"scheme":"sic-inst"}`)
	b.gateway.fail(60)
	release()
	answer := b.scenario("recall", `{"scheme":"sic-inst","transactionId":"`+payment.TransactionID+`"}`)
	if answer.status != http.StatusGatewayTimeout {
		t.Errorf("got %d %s, want 504", answer.status, answer.body)
	}
}
