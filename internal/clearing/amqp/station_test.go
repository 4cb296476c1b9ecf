package amqp_test

import (
	"context"
	"testing"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var ctx = context.Background()

func testAMessageLivesOverTheBroker(t *testing.T, b *testutil.Broker) {
	h := servicetest.New(t)
	a, p := transport(t, b.URL(), "station"), peerOf(t, b)
	h.Network.Refuse = func(d servicetest.Delivery) error { return a.Deliver(ctx, d.Scheme, d.Reference, []byte(d.Content)) }
	stop := run(a, h.Clearing.Receive)
	defer func() { _ = stop() }()
	m := approved(t, h)
	err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	sent := p.take(t, "station.sic-inst.out", patience)
	if sent == nil || sent.Properties.MessageID != "P8"+string(m.GlobalID) {
		t.Fatalf("clearing got %+v", sent)
	}
	report := settlement(t, m)
	p.send(t, "station.sic-inst.in", messageFor("A1", report), messageFor("A1", report))
	eventually(t, "the settlement", func() bool {
		now, err := h.Reader.Message(ctx, m.Realm, m.InternalID)
		return err == nil && now.State == payment.StateSettled
	})
	p.send(t, "station.sic-inst.in", messageFor("A2", "<not-a-report/>"))
	rejected := p.take(t, "station.sic-inst.in.rejected", patience)
	if rejected == nil || contentOf(rejected) != "<not-a-report/>" {
		t.Fatalf("the dead-letter queue holds %+v", rejected)
	}
}

// approved makes a Swiss message that waits for the relay.
func approved(t *testing.T, h *servicetest.Env) payment.Message {
	t.Helper()
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// settlement is the positive pacs.002 about a message.
func settlement(t *testing.T, m payment.Message) string {
	t.Helper()
	content, err := codec.EncodeXML(&iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: "A1", CreationDateTime: "2026-03-02T11:00:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{
			{OriginalTransactionID: string(m.GlobalID), TransactionStatus: "ACSC"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
