package clearing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// liars writes a document once for each lie and once without. All the liars must go to quarantine with the element named, move nothing
// and get no answer; then the honest one is taken.
type liars[D iso20022.Document] struct {
	scheme rulebook.Scheme
	about  payment.Message
	honest func() D
	lies   []lie[D]
}

func (l liars[D]) play(t *testing.T, h *servicetest.Env) {
	t.Helper()
	before, answers := current(t, h, l.about), outbox(t, h)
	for i, told := range l.lies {
		document := l.honest()
		told.tell(document)
		reference := fmt.Sprintf("LIE-%T-%d", document, i)
		d := inbound(t, l.scheme, reference, document, nil)
		if findings := codec.Validate(document); len(findings) > 0 {
			t.Fatalf("%s %s: not valid by its schema: %+v", l.scheme, reference, findings)
		}
		receive(t, h, d)
		outcome, reason := inboxOf(t, h, reference)
		if outcome != "quarantined" || !strings.Contains(reason, told.element) {
			t.Errorf("%s %s about %s: %s, %q", l.scheme, document.MessageName(), told.element, outcome, reason)
		}
	}
	after := current(t, h, l.about)
	if after.State != before.State || after.Sequence != before.Sequence {
		t.Errorf("%s: lies moved the %s from %s to %s", l.scheme, l.about.Kind, before.State, after.State)
	}
	if n := outbox(t, h); n != answers {
		t.Errorf("%s: %d lies about the %s were answered", l.scheme, n-answers, l.about.Kind)
	}
	reference := fmt.Sprintf("TRUTH-%T", l.honest())
	receive(t, h, inbound(t, l.scheme, reference, l.honest(), nil))
	if outcome, reason := inboxOf(t, h, reference); outcome != "matched" {
		t.Errorf("%s: the honest %T is %s: %s", l.scheme, l.honest(), outcome, reason)
	}
}

func inboxOf(t *testing.T, h *servicetest.Env, reference string) (outcome, reason string) {
	t.Helper()
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT outcome, reason FROM inbox WHERE reference = $1", reference).Scan(&outcome, &reason)
	if err != nil {
		t.Fatal(reference, err)
	}
	return outcome, i18n.Kept(reason).String()
}

func outbox(t *testing.T, h *servicetest.Env) (n int) {
	t.Helper()
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM outbox").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAStatusThatDisagreesWithItsPaymentIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		other := approved(t, h, scheme)
		send(t, h, other)
		m := approved(t, h, scheme)
		send(t, h, m)
		sent := lastSent(t, h, "pacs.008")
		lies := append(statusLies(),
			lie[*iso20022.FIToFIPaymentStatusReport]{"OrgnlTxId", func(d *iso20022.FIToFIPaymentStatusReport) {
				d.TransactionInformationAndStatus[0].OriginalTransactionID = string(other.GlobalID)
			}},
			lie[*iso20022.FIToFIPaymentStatusReport]{"Orgnl", func(d *iso20022.FIToFIPaymentStatusReport) {
				d.OriginalGroupInformationAndStatus[0].OriginalMessageID = other.Reference()
			}})
		liars[*iso20022.FIToFIPaymentStatusReport]{scheme: scheme, about: m, lies: lies, honest: func() *iso20022.FIToFIPaymentStatusReport {
			report, err := interbank.StatusReport(
				interbank.StatusReportInput{Scheme: scheme, About: sent, Reference: "S", StatusID: "S", At: h.Clock.Now()},
			)
			if err != nil {
				t.Fatal(err)
			}
			return report
		}}.play(t, h)
		want{state: payment.StateSettled}.check(t, h, m)
		want{state: payment.StateProcessing}.check(t, h, other)
	}
}

// recalledPayment is a payment of ours with a recall that clearing has, and the documents of both.
func recalledPayment(
	t *testing.T, h *servicetest.Env, scheme rulebook.Scheme,
) (payment.Message, *iso20022.FIToFICustomerCreditTransfer, *iso20022.FIToFIPaymentCancellationRequest) {
	t.Helper()
	original := settled(t, h, scheme)
	paid := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
	m := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
	})
	send(t, h, m)
	return m, paid, lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest)
}

func TestAReturnThatDisagreesWithItsRecallIsQuarantinedAndOnlyOneCounts(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m, paid, _ := recalledPayment(t, h, scheme)
		honest := func() *iso20022.PaymentReturn {
			back, err := interbank.Return(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: paid, Bank: "BBBBFRPPXXX", MessageID: "RET",
				ID: "RET", At: h.Clock.Now(), Day: h.Clock.Now(),
			})
			if err != nil {
				t.Fatal(err)
			}
			back.GroupHeader.InstructingAgent = back.TransactionInformation[0].OriginalTransactionReference.CreditorAgent
			return back
		}
		liars[*iso20022.PaymentReturn]{scheme: scheme, about: m, lies: returnLies(), honest: honest}.play(t, h)
		want{state: payment.StateAccepted}.check(t, h, m)
		answers := outbox(t, h)
		for i, change := range []func(*iso20022.PaymentReturn){
			func(*iso20022.PaymentReturn) {},
			func(d *iso20022.PaymentReturn) {
				d.TransactionInformation[0].ReturnedInterbankSettlementAmount.Value = decimal.MustParse("99999.00")
			},
		} {
			again := honest()
			change(again)
			reference := fmt.Sprintf("SECOND-%d", i)
			receive(t, h, inbound(t, scheme, reference, again, nil))
			if outcome, reason := inboxOf(t, h, reference); outcome != "quarantined" {
				t.Errorf("%s: a second return is %s: %s", scheme, outcome, reason)
			}
		}
		if n := outbox(t, h); n != answers {
			t.Errorf("%s: a second return was confirmed", scheme)
		}
	}
}

func TestAReturnMayKeepACharge(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m, paid, _ := recalledPayment(t, h, rulebook.SchemeSCT)
	charge, err := money.Parse(money.EUR, "5.00")
	if err != nil {
		t.Fatal(err)
	}
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "FOCR", Charge: charge}, Scheme: rulebook.SchemeSCT, Original: paid,
		Bank: "BBBBFRPPXXX", MessageID: "RET", ID: "RET", At: h.Clock.Now(), Day: h.Clock.Now(),
	})
	receive(t, h, inbound(t, rulebook.SchemeSCT, "RET", back, err))
	want{state: payment.StateAccepted}.check(t, h, m)
}

func TestARefusalThatDisagreesWithItsRecallIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m, _, recall := recalledPayment(t, h, scheme)
		liars[*iso20022.ResolutionOfInvestigation]{
			scheme: scheme, about: m, lies: resolutionLies(),
			honest: func() *iso20022.ResolutionOfInvestigation {
				no, err := interbank.Resolution(interbank.RTransactionInput{
					Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, Recall: recall, Bank: "BBBBFRPPXXX", MessageID: "NO",
					ID: "NO", At: h.Clock.Now(),
				})
				if err != nil {
					t.Fatal(err)
				}
				return no
			},
		}.play(t, h)
		want{state: payment.StateRefused, code: "CUST"}.check(t, h, m)
	}
}

func TestAQuestionOrRecallThatDisagreesWithItsPaymentIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		original, document := booked(t, h, scheme, "TX9")
		liars[*iso20022.FIToFIPaymentStatusRequest]{
			scheme: scheme, about: original, lies: inquiryLies(),
			honest: func() *iso20022.FIToFIPaymentStatusRequest {
				question, err := interbank.StatusRequest(
					interbank.StatusRequestInput{Scheme: scheme, About: document, Reference: "Q", RequestID: "Q", At: h.Clock.Now()},
				)
				if err != nil {
					t.Fatal(err)
				}
				return question
			},
		}.play(t, h)
		recall := func() *iso20022.FIToFIPaymentCancellationRequest {
			return recalling(t, h, document, byCustomer(scheme))
		}
		liars[*iso20022.FIToFIPaymentCancellationRequest]{scheme: scheme, about: original, lies: recallLies(), honest: recall}.play(t, h)
		id, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
		if err != nil {
			t.Fatal(err)
		}
		received := current(t, h, payment.Message{Realm: original.Realm, InternalID: id})
		answers := outbox(t, h)
		for i, l := range inquiryLies() {
			question, err := interbank.StatusRequest(
				interbank.StatusRequestInput{Scheme: scheme, About: recall(), Reference: "R", RequestID: "R", At: h.Clock.Now()},
			)
			if err != nil {
				t.Fatal(err)
			}
			l.tell(question)
			reference := fmt.Sprintf("ABOUT-RECALL-%d", i)
			receive(t, h, inbound(t, scheme, reference, question, nil))
			if outcome, reason := inboxOf(t, h, reference); outcome != "quarantined" || !strings.Contains(reason, l.element) {
				t.Errorf("%s: a question about a recall that lies about %s is %s: %q", scheme, l.element, outcome, reason)
			}
		}
		if n := outbox(t, h); n != answers || current(t, h, received).State != payment.StateAwaitingDecision {
			t.Errorf("%s: a lie about a recall was answered", scheme)
		}
	}
}

func TestAReceiptThatDisagreesWithItsMessageIsQuarantined(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m, _, recall := recalledPayment(t, h, rulebook.SchemeSIC)
	id := func(d *iso20022.Receipt) *iso20022.OriginalMessageAndIssuer1 {
		return &d.ReceiptDetails[0].OriginalMessageID
	}
	liars[*iso20022.Receipt]{
		scheme: rulebook.SchemeSIC, about: m,
		honest: func() *iso20022.Receipt {
			receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: rulebook.SchemeSIC, About: recall, Reference: "RC", At: h.Clock.Now()})
			if err != nil {
				t.Fatal(err)
			}
			return receipt
		},
		lies: []lie[*iso20022.Receipt]{
			{"FOREIGN", func(d *iso20022.Receipt) { id(d).MessageID = "FOREIGN" }},
			{"OrgnlMsgId", func(d *iso20022.Receipt) { id(d).MessageID = "P8" + string(m.GlobalID) }},
			{"OrgnlMsgNmId", func(d *iso20022.Receipt) { id(d).MessageNameID = "camt.029.001.09" }},
		},
	}.play(t, h)
	want{state: payment.StateAcknowledged}.check(t, h, m)
}
