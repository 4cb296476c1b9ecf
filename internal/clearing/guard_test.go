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
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// offered counts the documents whose message id begins so, taken or not.
func offered(h *servicetest.Env, prefix string, refuse error) *int {
	count := 0
	h.Network.Refuse = func(d servicetest.Delivery) error {
		if strings.HasPrefix(d.Reference, prefix) {
			count++
		}
		return refuse
	}
	return &count
}

// What clearing may not have is never asked about: it would answer that it never came, and the payment may still arrive there. Another one
// that clearing has is asked about meanwhile.
func TestWhatClearingMayNotHaveIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	had, m := approved(t, h, rulebook.SchemeSIC), approved(t, h, rulebook.SchemeSIC)
	send(t, h, had)
	asked := map[payment.State]int{}
	h.Network.Refuse = func(d servicetest.Delivery) error {
		switch {
		case !strings.HasPrefix(d.Reference, "P28"):
		case strings.Contains(d.Content, string(m.GlobalID)):
			asked[payment.StateApproved]++
		default:
			asked[payment.StateProcessing]++
		}
		return errors.New("the connection broke")
	}
	for range 4 {
		h.Clock.Add(11 * time.Second)
		h.Clearing.RunOnce(ctx)
	}
	want{state: payment.StateUnconfirmed}.check(t, h, m)
	if asked[payment.StateApproved] != 0 || asked[payment.StateProcessing] == 0 {
		t.Errorf("asked about what clearing does not have, and has: %v times", asked)
	}
}

// An answer counts that came from the clearing of its payment: that of another scheme says nothing of it.
func TestAnAnswerOfAnotherSchemeIsQuarantined(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	other := answer(t, m, "ST-OTHER", "ACSC", "")
	other.Scheme = rulebook.SchemeSCT
	receive(t, h, other)
	want{state: payment.StateProcessing}.check(t, h, m)
	receive(t, h, answer(t, m, "ST-OWN", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, m)
}

// Clearing is asked once, and again after a pause, however often the clock looks.
func TestBetweenTwoQuestionsIsAPause(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	asked := offered(h, "P28", nil)
	h.Clock.Add(10 * time.Second)
	for range 5 {
		h.Clearing.RunOnce(ctx)
	}
	if *asked != 1 {
		t.Errorf("it was asked about %d times at once", *asked)
	}
	h.Clock.Add(2 * time.Second)
	h.Clearing.RunOnce(ctx)
	if *asked != 2 {
		t.Errorf("it was asked about %d times after the pause", *asked)
	}
}

// A clearing that says no to documents is there: what it says is about them, and others still leave.
func TestRefusedDocumentsInterruptNothing(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	offered(h, "", clearing.ErrNotAccepted)
	m := approved(t, h, rulebook.SchemeSIC)
	for range 15 {
		err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
		if !errors.Is(err, clearing.ErrNotAccepted) {
			t.Fatal(err)
		}
	}
	for _, c := range h.Clearing.Connections() {
		if c.State != clearing.ConnectionWorking {
			t.Errorf("the connection of %s is %s", c.Scheme, c.State)
		}
	}
}

// Under the reference of a document that was sealed no other bytes leave.
func TestADocumentMadeOtherwiseIsNotKept(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	out, err := h.Messages.Outgoing(ctx, m.Realm, m.InternalID)
	must(t, err)
	verified, err := h.Seal.Verify(out.Release, out.Message)
	must(t, err)
	made, err := verified.Outbound(out.Message.AcceptedAt)
	must(t, err)
	documents := store.NewDocuments(h.Messages)
	must(t, documents.Keep(ctx, made, []byte("<Document/>"), h.Clock.Now()))
	must(t, documents.Keep(ctx, made, []byte("<Document/>"), h.Clock.Now()))
	err = documents.Keep(ctx, made, []byte("<Document>other</Document>"), h.Clock.Now())
	if !errors.Is(err, store.ErrRemade) {
		t.Errorf("other bytes: %v", err)
	}
}

// TestTheMoneyOfAnAmendedPaymentComesBack: what was paid is what the last version says, and as much may come back.
func TestTheMoneyOfAnAmendedPaymentComesBack(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	order := h.Order(rulebook.SchemeSCT)
	servicetest.SetAmount(order.Document, "100.07")
	order.ExternalID = ""
	m, err := h.Submission.Amend(ctx, h.Person(t, "maker1"), m.InternalID, order)
	if err == nil {
		m, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{
			InternalID: m.InternalID, ContentHash: &m.ContentHash, Version: m.Version,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	send(t, h, m)
	receive(t, h, answer(t, m, "ST-AMENDED", "ACSC", ""))
	recall := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: m.Scheme, OriginalID: m.InternalID,
	})
	send(t, h, recall)
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "FOCR"}, Scheme: m.Scheme, Bank: "BBBBFRPPXXX", MessageID: "BACK-1", ID: "BACK-1",
		Original: lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer), At: h.Clock.Now(), Day: h.Clock.Now(),
	})
	receive(t, h, inbound(t, m.Scheme, "BACK-1", back, err))
	want{state: payment.StateAccepted}.check(t, h, recall)
}
