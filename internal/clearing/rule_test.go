package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// TestAPollLeavesNewWorkToTheNudge: a message just released, and an answer just stored, are the work of the process that stored them. A poll
// sends the message after four seconds and the answer after two.
func TestAPollLeavesNewWorkToTheNudge(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	booked(t, h, rulebook.SchemeSIC, "TX9")
	delivered := func() (payments, answers int) {
		for _, d := range h.Network.Delivered() {
			if d.Reference == m.Reference() {
				payments++
			} else {
				answers++
			}
		}
		return payments, answers
	}
	for _, step := range []struct {
		after             time.Duration
		payments, answers int
	}{
		{2*time.Second - time.Microsecond, 0, 0},
		{time.Microsecond, 0, 1},
		{2*time.Second - time.Microsecond, 0, 1},
		{time.Microsecond, 1, 1},
		{10 * time.Second, 1, 1},
	} {
		h.Clock.Add(step.after)
		h.Clearing.RunOnce(ctx)
		if payments, answers := delivered(); payments != step.payments || answers != step.answers && step.after < 10*time.Second {
			t.Errorf("%s later clearing has the payment %d times and %d answers, want %d and %d", step.after, payments, answers,
				step.payments, step.answers)
		}
	}
}

// TestARecallIsAnsweredWhenItsReturnSettles, and not when the return was only delivered.
func TestARecallIsAnsweredWhenItsReturnSettles(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		original, document := booked(t, h, scheme, "TX9")
		received := receivedRecall(t, h, original, document)
		m := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "FOCR"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID,
		})
		send(t, h, m)
		h.Clearing.RunOnce(ctx)
		want{state: payment.StateProcessing}.check(t, h, m)
		want{state: payment.StateAwaitingDecision}.check(t, h, received)
		finish(t, h, m)
		want{state: payment.StateAnswered}.check(t, h, received)
		h.CheckInvariants(t)
	}
}

// TestAReceiptCountsForItsRecallAndItsScheme: a receipt that came through the other scheme, or that refuses a payment, is for an operator.
func TestAReceiptCountsForItsRecallAndItsScheme(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	recall, _, sent := recalledPayment(t, h, rulebook.SchemeSIC)
	receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: rulebook.SchemeSIC, About: sent, Reference: "RC1", At: h.Clock.Now()})
	receive(t, h, inbound(t, rulebook.SchemeSCT, "RC1", receipt, err))
	paid := approved(t, h, rulebook.SchemeSIC)
	send(t, h, paid)
	receive(t, h, inbound(t, rulebook.SchemeSIC, "RC2", &iso20022.Receipt{
		MessageHeader: iso20022.MessageHeader9{MessageID: "RC2", CreationDateTime: "2026-03-02T11:00:01Z"},
		ReceiptDetails: []iso20022.Receipt3{{
			OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: paid.Reference()},
			RequestHandling:   []iso20022.RequestHandling1{{StatusCode: "RJCT"}},
		}},
	}, nil))
	for _, reference := range []string{"RC1", "RC2"} {
		if outcome, _ := inboxOf(t, h, reference); outcome != "quarantined" {
			t.Errorf("the receipt %s is %s", reference, outcome)
		}
	}
	want{state: payment.StateProcessing}.check(t, h, recall)
	want{state: payment.StateProcessing}.check(t, h, paid)
}

// TestAConfirmationOfAnIncomingPaymentIsKept: a confirmation of a booked payment is stored beside it and moves nothing.
func TestAConfirmationOfAnIncomingPaymentIsKept(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		m, document := booked(t, h, scheme, "TX9")
		report, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: scheme, About: document, Reference: "OK1", StatusID: "OK1", At: h.Clock.Now(),
		})
		receive(t, h, inbound(t, scheme, "OK1", report, err))
		if outcome, reason := inboxOf(t, h, "OK1"); outcome != "matched" {
			t.Errorf("%s: the confirmation is %s: %s", scheme, outcome, reason)
		}
		want{state: payment.StateBooked}.check(t, h, m)
		h.CheckInvariants(t)
	}
}

// TestOtherBytesUnderOurSealAreNotSent: a document with other content lies under the reference of a release, and its seal fits. The payment is
// held back, and clearing gets nothing.
func TestOtherBytesUnderOurSealAreNotSent(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := listen(h)
	m := approved(t, h, rulebook.SchemeSIC)
	out, err := h.Messages.Outgoing(ctx, m.Realm, m.InternalID)
	must(t, err)
	verified, err := h.Seal.Verify(out.Release, out.Message)
	must(t, err)
	made, err := verified.Outbound(out.Message.AcceptedAt)
	must(t, err)
	must(t, store.NewDocuments(h.Messages).Keep(ctx, made, []byte("<Document/>"), h.Clock.Now()))
	for range 2 {
		err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
		if !errors.Is(err, store.ErrRemade) {
			t.Errorf("a payment is sent though another document lies in its place: %v", err)
		}
	}
	if sent := h.Network.Delivered(); len(sent) != 0 || alarms(log) != 1 {
		t.Errorf("clearing got %v, with %d alarms", sent, alarms(log))
	}
	want{state: payment.StateApproved}.check(t, h, m)
}

// TestWhichReferencesTheInboxKeeps: printable ASCII of at most 140 characters.
func TestWhichReferencesTheInboxKeeps(t *testing.T) {
	t.Parallel()
	for reference, want := range map[string]bool{
		"": true, "MSG-1": true, " ~": true, strings.Repeat("x", 140): true, strings.Repeat("x", 141): false, "a\tb": false, "a\x7fb": false,
		"Zürich": false,
	} {
		if got := clearing.UsableReference(reference); got != want {
			t.Errorf("%q is usable: %t, want %t", reference, got, want)
		}
	}
}
