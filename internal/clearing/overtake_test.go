package clearing_test

import (
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

func TestARecallWhoseReceiptComesFirstFallsDueToo(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	original := settled(t, h, rulebook.SchemeSIC)
	m := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: rulebook.SchemeSIC,
		OriginalID: original.InternalID,
	})
	h.Network.Refuse = func(d servicetest.Delivery) error {
		sent, _ := codec.DecodeXML([]byte(d.Content))
		receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: d.Scheme, About: sent, Reference: "RC1", At: h.Clock.Now()})
		return h.Clearing.Receive(ctx, inbound(t, d.Scheme, "RC1", receipt, err))
	}
	send(t, h, m)
	h.Network.Refuse = nil
	if now := current(t, h, m); now.State != payment.StateAcknowledged || now.AnswerBy.Before(h.Clock.Now().AddDate(0, 0, 14)) {
		t.Errorf("the recall is %s and due on %s", now.State, now.AnswerBy)
	}
	h.Clock.Add(30 * 24 * time.Hour)
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateOverdue}.check(t, h, m)
	h.Clearing.RunOnce(ctx)
	asked, err := interbank.ReadStatusRequest(lastSent(t, h, "pacs.028").(*iso20022.FIToFIPaymentStatusRequest))
	if err != nil || !asked.AboutRecall() {
		t.Errorf("about the overdue recall we asked %+v, %v", asked, err)
	}
}

func TestAnUnconfirmedReturnIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		original, _ := booked(t, h, scheme, "TX9")
		m := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID,
		})
		send(t, h, m)
		h.Clock.Add(11 * time.Second)
		h.Clearing.RunOnce(ctx)
		h.Clearing.RunOnce(ctx)
		want{state: payment.StateUnconfirmed}.check(t, h, m)
		asked, err := interbank.ReadStatusRequest(lastSent(t, h, "pacs.028").(*iso20022.FIToFIPaymentStatusRequest))
		if err != nil || asked.AboutRecall() || asked.Original.MessageID != m.Reference() || asked.Original.TransactionID != "TX9" {
			t.Errorf("%s: asked %+v, %v", scheme, asked, err)
		}
		receive(t, h, answer(t, m, "A1", "RJCT", "AB05"))
		want{state: payment.StateFailed, code: "AB05"}.check(t, h, m)
		h.CheckInvariants(t)
	}
}
