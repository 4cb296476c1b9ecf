package clearing_test

import (
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// returnOf is another bank's return of a payment of ours that nobody recalled.
func returnOf(
	t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, of *iso20022.FIToFICustomerCreditTransfer, reason, id string,
) *iso20022.PaymentReturn {
	t.Helper()
	asked := interbank.RTransactionInput{
		Request: rulebook.Request{Reason: reason}, Scheme: scheme, Original: of, Bank: "BBBBFRPPXXX", MessageID: id, ID: id, At: h.Clock.Now(),
		Day: h.Clock.Now(),
	}
	if reason == "NARR" {
		asked.Information = []string{"No such customer"}
	}
	back, err := interbank.Return(asked)
	must(t, err)
	return back
}

// Every return that we can send we can receive: the money is ours again, the payment is Returned, and clearing gets a pacs.002. In SEPA money
// comes back as the answer to a recall only, unless a setting says otherwise.
func TestAReturnThatNobodyAskedForComesIn(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.With(t, servicetest.Options{OnlyRecalled: true})
		for _, reason := range rulebook.ReturnReasons(scheme) {
			if reason.Code == rulebook.ReturnAfterRecall || !reason.Usual && reason.Code != "NARR" && reason.Code != "CUST" {
				continue
			}
			original := settled(t, h, scheme)
			was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
			id := "RET-" + reason.Code
			receive(t, h, inbound(t, scheme, id, returnOf(t, h, scheme, was, reason.Code, id), nil))
			outcome, why := inboxOf(t, h, id)
			now := current(t, h, original)
			if scheme == rulebook.SchemeSCT {
				if outcome != "quarantined" || now.ReturnState != "" {
					t.Errorf("%s, %s: %s: %s", scheme, reason.Code, outcome, why)
				}
				continue
			}
			if outcome != "matched" || payment.ReturnStatusOf(now.ReturnState) != payment.ReturnDone || now.State != payment.StateSettled {
				t.Fatalf("%s, %s: %s: %s; the payment is %s with the return %q", scheme, reason.Code, outcome, why, now.State, now.ReturnState)
			}
			if said := answers(t, h, string(original.GlobalID)); len(said) != 1 || said[0] != id+" ACCP" {
				t.Errorf("%s, %s: clearing was answered %q", scheme, reason.Code, said)
			}
			refusedAgain(t, h, payment.RTransaction{
				Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
			}, "NARR")
			receive(t, h, inbound(t, scheme, "2"+id, returnOf(t, h, scheme, was, reason.Code, "2"+id), nil))
			if outcome, why := inboxOf(t, h, "2"+id); outcome != "quarantined" || !strings.Contains(why, "already been returned") {
				t.Errorf("%s, %s: a second return is %s: %s", scheme, reason.Code, outcome, why)
			}
		}
		h.CheckInvariants(t)
	}
}

// A return that does not fit goes to quarantine and is not answered: part of the amount, a charge, another day, another bank, a payment that
// did not settle. One that overtakes the settlement waits for it.
func TestAReturnThatDoesNotFitIsNotTaken(t *testing.T) {
	t.Parallel()
	scheme := rulebook.SchemeSIC
	h := servicetest.New(t)
	original := settled(t, h, scheme)
	was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
	stranger := bankNamed("COBADEFFXXX")
	for name, change := range map[string]func(*iso20022.PaymentReturn){
		"part": func(d *iso20022.PaymentReturn) {
			d.TransactionInformation[0].ReturnedInterbankSettlementAmount.Value = iso20022.Amount{}.Value
		},
		"charge": func(d *iso20022.PaymentReturn) {
			part := d.TransactionInformation[0].ReturnedInterbankSettlementAmount
			d.TransactionInformation[0].ChargesInformation = []iso20022.Charges7{{Amount: part, Agent: stranger}}
		},
		"another payment": func(d *iso20022.PaymentReturn) { d.TransactionInformation[0].OriginalEndToEndID = "OTHER" },
		"stranger":        func(d *iso20022.PaymentReturn) { d.GroupHeader.InstructingAgent = &stranger },
		"as if recalled": func(d *iso20022.PaymentReturn) {
			d.TransactionInformation[0].ReturnReasonInformation[0].Reason.Code = "FOCR"
		},
	} {
		back := returnOf(t, h, scheme, was, "AC04", "RET-"+name)
		change(back)
		receive(t, h, inbound(t, scheme, "RET-"+name, back, nil))
		if outcome, why := inboxOf(t, h, "RET-"+name); outcome != "quarantined" {
			t.Errorf("%s: %s: %s", name, outcome, why)
		}
	}
	if now := current(t, h, original); now.ReturnState != "" {
		t.Errorf("the payment has the return %q", now.ReturnState)
	}
	if said := answers(t, h, string(original.GlobalID)); len(said) != 0 {
		t.Errorf("clearing was answered %q", said)
	}
	early := approved(t, h, scheme)
	send(t, h, early)
	was = lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
	receive(t, h, inbound(t, scheme, "EARLY", returnOf(t, h, scheme, was, "AC04", "EARLY"), nil))
	if outcome, why := inboxOf(t, h, "EARLY"); outcome != "waiting" {
		t.Errorf("a return that overtook the settlement is %s: %s", outcome, why)
	}
	receive(t, h, answer(t, early, "ST-"+string(early.GlobalID), "ACSC", ""))
	h.Clock.Add(70 * time.Second)
	h.Clearing.RunOnce(ctx)
	if now := current(t, h, early); payment.ReturnStatusOf(now.ReturnState) != payment.ReturnDone {
		t.Errorf("after the settlement the payment has the return %q", now.ReturnState)
	}
	h.CheckInvariants(t)
}

// A return that crosses our recall is taken, and the recall stays open until the other bank answers it.
func TestAReturnThatCrossesOurRecallIsTaken(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		original := settled(t, h, scheme)
		was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
		m := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
		})
		send(t, h, m)
		asked := lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest)
		receive(t, h, inbound(t, scheme, "RET1", returnOf(t, h, scheme, was, "AC04", "RET1"), nil))
		want{state: payment.StateProcessing}.check(t, h, m)
		if now := current(t, h, original); payment.ReturnStatusOf(now.ReturnState) != payment.ReturnDone {
			t.Errorf("%s: the payment has the return %q", scheme, now.ReturnState)
		}
		no, err := interbank.Resolution(interbank.RTransactionInput{
			Request: rulebook.Request{Reason: "ARDT"}, Scheme: scheme, Recall: asked, Bank: "BBBBFRPPXXX", MessageID: "NO1", ID: "NO1", At: h.Clock.Now(),
		})
		receive(t, h, inbound(t, scheme, "NO1", no, err))
		want{state: payment.StateRefused, code: "ARDT"}.check(t, h, m)
		h.CheckInvariants(t)
	}
}
