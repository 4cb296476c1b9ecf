package clearing_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var ctx = context.Background()

// approved makes a message that waits for the relay.
func approved(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme) payment.Message {
	t.Helper()
	m := h.Create(t, h.Person(t, "maker1"), scheme)
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (w want) check(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	now, err := h.Reader.Message(ctx, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	if now.State != w.state || now.StatusCode != w.code {
		t.Fatalf("the message is %s %s, want %s %s", now.State, now.StatusCode, w.state, w.code)
	}
}

type want struct {
	state payment.State
	code  string
}

// answer makes a pacs.002 about a message.
func answer(t *testing.T, m payment.Message, reference, status, code string) clearing.Document {
	t.Helper()
	tx := iso20022.PaymentTransaction110{OriginalTransactionID: string(m.GlobalID), TransactionStatus: status}
	if code != "" {
		tx.StatusReasonInformation = []iso20022.StatusReasonInformation12{{Reason: &iso20022.StatusReason6Choice{Code: code}}}
	}
	content, err := codec.EncodeXML(&iso20022.FIToFIPaymentStatusReport{
		GroupHeader:                     iso20022.GroupHeader91{MessageID: reference, CreationDateTime: "2026-03-02T11:00:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{tx},
	})
	if err != nil {
		t.Fatal(err)
	}
	return clearing.Document{
		Scheme: m.Scheme, Reference: reference, Content: content, ReceivedAt: time.Date(2026, time.March, 2, 11, 0, 1, 0, time.UTC),
	}
}

// TestAnAmountOfFewerDecimalsIsNoOther: what was ordered as 12.1 leaves as 12.1, and the auditor finds in it the 1210 minor units that were
// approved.
func TestAnAmountOfFewerDecimalsIsNoOther(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	for _, amount := range []string{"12.1", "12"} {
		order := h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, amount)
		created, err := h.Submission.Create(ctx, h.Person(t, "maker1"), order)
		must(t, err)
		m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: created.Message.InternalID})
		must(t, err)
		must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
		sent := h.Network.Delivered()
		if last := sent[len(sent)-1].Content; !strings.Contains(last, ">"+amount+"</IntrBkSttlmAmt>") {
			t.Errorf("ordered %s, sent %s", amount, last)
		}
	}
}

func TestAnApprovedMessageIsSentOnceAndSettles(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m := approved(t, h, scheme)
		for range 3 {
			err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
			if err != nil {
				t.Fatal(err)
			}
		}
		sent := h.Network.Delivered()
		if len(sent) != 1 || sent[0].Reference != "P8"+string(m.GlobalID) ||
			!strings.Contains(sent[0].Content, "<TxId>"+string(m.GlobalID)+"</TxId>") {
			t.Fatalf("clearing got %v", sent)
		}
		want{state: payment.StateProcessing}.check(t, h, m)
		err := h.Clearing.Receive(ctx, answer(t, m, "A1", "ACSC", ""))
		if err != nil {
			t.Fatal(err)
		}
		want{state: payment.StateSettled}.check(t, h, m)
		receive(t, h, answer(t, m, "A2", "ACSC", "")) // the same news under another id: kept, moves nothing
		want{state: payment.StateSettled}.check(t, h, m)
		var unmatched int
		err = h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome <> 'matched'").Scan(&unmatched)
		if err != nil || unmatched != 0 {
			t.Errorf("%d documents are not matched: %v", unmatched, err)
		}
	}
}

func TestTheAnswerMayOvertakeTheReceipt(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	h.Network.Refuse = func(servicetest.Delivery) error { return h.Clearing.Receive(ctx, answer(t, m, "A1", "ACCP", "")) }
	err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	want{state: payment.StateSettled}.check(t, h, m)
}

func TestAnAnswerCountsOnce(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	first := answer(t, m, "A1", "RJCT", "AC04")
	err := h.Clearing.Receive(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	want{payment.StateFailed, "AC04"}.check(t, h, m)
	err = h.Clearing.Receive(ctx, first)
	if !errors.Is(err, clearing.ErrDuplicate) {
		t.Errorf("the same document again: %v", err)
	}
	for i, later := range []clearing.Document{
		answer(t, m, "A2", "RJCT", "AC04"), // the same answer under a new id: kept, moves nothing
		answer(t, m, "A3", "ACSC", ""),     // a contradiction: for an operator
		answer(t, m, "A1", "ACSC", ""),     // another document under a used id: for an operator
	} {
		err = h.Clearing.Receive(ctx, later)
		if err != nil {
			t.Errorf("document %d: %v", i, err)
		}
	}
	want{payment.StateFailed, "AC04"}.check(t, h, m)
	var quarantined int
	err = h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome = 'quarantined'").Scan(&quarantined)
	if err != nil || quarantined != 2 {
		t.Errorf("%d documents in quarantine, want 2: %v", quarantined, err)
	}
}

func TestNoAnswerInTimeIsUnconfirmedAndALateOneCounts(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		status, code string
		want         want
	}{{"ACSC", "", want{state: payment.StateSettled}}, {"RJCT", "AB05", want{payment.StateFailed, "AB05"}}} {
		h := servicetest.New(t)
		defer h.CheckInvariants(t)
		m := approved(t, h, rulebook.SchemeSCT)
		err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
		if err != nil {
			t.Fatal(err)
		}
		h.Clock.Add(10*time.Second - time.Microsecond)
		h.Clearing.RunOnce(ctx)
		want{state: payment.StateProcessing}.check(t, h, m)
		h.Clock.Add(time.Microsecond)
		h.Clearing.RunOnce(ctx)
		want{state: payment.StateUnconfirmed}.check(t, h, m)
		h.Clearing.RunOnce(ctx)
		sent := h.Network.Delivered()
		if len(sent) != 2 || !strings.Contains(sent[1].Content, "pacs.028.001.03") {
			t.Fatalf("clearing got %d documents, want the payment and one status request", len(sent))
		}
		err = h.Clearing.Receive(ctx, answer(t, m, "A1", late.status, late.code))
		if err != nil {
			t.Fatal(err)
		}
		late.want.check(t, h, m)
	}
}

func TestWhatClearingDoesNotTakeIsOfferedAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	var offered []servicetest.Delivery
	h.Network.Refuse = func(d servicetest.Delivery) error {
		offered = append(offered, d)
		return errors.New("down")
	}
	if err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID); err == nil {
		t.Error("a refused delivery passes for done")
	}
	for range 60 { // a long outage: past the scheme's time too
		h.Clock.Add(time.Second)
		h.Clearing.RunOnce(ctx)
	}
	want{state: payment.StateUnconfirmed}.check(t, h, m)
	h.Network.Refuse = nil
	h.Clock.Add(time.Minute)
	tried(t, h)
	h.Clearing.RunOnce(ctx)
	sent := h.Network.Delivered()
	if len(sent) != 1 {
		t.Fatalf("clearing took %d documents, want 1", len(sent))
	}
	for _, o := range offered {
		if o != sent[0] {
			t.Fatalf("offered %v, then %v", o, sent[0])
		}
	}
	if len(offered) < 4 || len(offered) > 20 {
		t.Errorf("offered %d times in a minute", len(offered))
	}
}

func TestTamperedContentIsNeverSent(t *testing.T) {
	t.Parallel()
	tampers := map[string]string{
		"content":  "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), '100.00', '900.00'), 'UTF8')",
		"release":  "UPDATE release SET mac = sha256('forged')",
		"approver": "UPDATE decision SET checker_person = (SELECT person_id FROM user_account WHERE name = 'checker2' AND realm = 'demo')",
		"time":     "UPDATE message SET accepted_at = accepted_at + interval '1 second'",
	}
	for what, tamper := range tampers {
		h := servicetest.New(t)
		m := approved(t, h, rulebook.SchemeSIC)
		conn := h.DB.Connect(t) // a superuser who switches foreign keys and checks off
		_, err := conn.Exec(ctx, "SET session_replication_role = replica; ALTER TABLE document DROP CONSTRAINT document_check; "+tamper)
		if err != nil {
			t.Fatal(what, err)
		}
		err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
		if err != nil {
			t.Error(what, err)
		}
		if sent := h.Network.Delivered(); len(sent) != 0 {
			t.Errorf("%s: clearing got %v", what, sent)
		}
		want{payment.StateFailed, "DS0H"}.check(t, h, m)
	}
}

func TestWhatIsNotADocumentIsRefusedAndWhatIsNotOursKept(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	for _, content := range []string{
		"", "<", "<Document/>",
		`<?xml version="1.0"?><!DOCTYPE x><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10"/>`,
	} {
		var refused *clearing.RefusedError
		err := h.Clearing.Receive(ctx, clearing.Document{Scheme: rulebook.SchemeSIC, Content: []byte(content)})
		if !errors.As(err, &refused) {
			t.Errorf("%.40q: %v", content, err)
		}
	}
	stranger := payment.Message{Scheme: rulebook.SchemeSIC, GlobalID: payment.New("ZZ", h.Clock.Now(), [4]byte{1})}
	for i, doc := range []clearing.Document{
		answer(t, stranger, "S1", "ACSC", ""),
		answer(t, payment.Message{Scheme: "sct-inst", GlobalID: "NOT-OURS"}, "S2", "ACSC", ""),
	} {
		err := h.Clearing.Receive(ctx, doc)
		if err != nil {
			t.Error(i, err)
		}
	}
	var kept int
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome = 'quarantined' AND reason LIKE 'No payment%'").Scan(&kept)
	if err != nil || kept != 2 {
		t.Errorf("%d kept, want 2: %v", kept, err)
	}
}

func TestAMessageThatNeedsNoApprovalIsSentAtOnce(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker1", Client: "demo-straight", Channel: "api"})
	stop := h.Run(t)
	m := h.Create(t, straight, rulebook.SchemeSIC)
	if m.State != payment.StateProcessing {
		t.Fatalf("the message starts as %s", m.State)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(h.Network.Delivered()) == 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	if n := len(h.Network.Delivered()); n != 1 {
		t.Fatalf("clearing got %d documents", n)
	}
}

func TestWhatNobodyDecidesExpires(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSCT)
	h.Clock.Add(m.ExpiresAt.Sub(h.Clock.Now()) - time.Microsecond)
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateApprovalPending}.check(t, h, m)
	h.Clock.Add(time.Microsecond)
	var late *payment.StateError
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if !errors.As(err, &late) {
		t.Errorf("an approval when the time is up: %v", err)
	}
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateExpired}.check(t, h, m)
}
