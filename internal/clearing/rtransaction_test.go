package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// settled makes a payment of ours that has settled.
func settled(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme) payment.Message {
	t.Helper()
	m := approved(t, h, scheme)
	send(t, h, m)
	receive(t, h, answer(t, m, "ST-"+string(m.GlobalID), "ACSC", ""))
	return current(t, h, m)
}

func send(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	err := h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, h *servicetest.Env, d clearing.Document) {
	t.Helper()
	err := h.Clearing.Receive(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
}

func current(t *testing.T, h *servicetest.Env, m payment.Message) payment.Message {
	t.Helper()
	now, err := h.Reader.Message(ctx, m.Realm, m.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// request makes an R-transaction and has it approved.
func request(t *testing.T, h *servicetest.Env, in payment.RTransaction) payment.Message {
	t.Helper()
	result, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), in)
	if err != nil {
		t.Fatal(err)
	}
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: result.Message.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inbound writes a document as clearing would send it.
func inbound(t *testing.T, scheme rulebook.Scheme, reference string, document iso20022.Document, err error) clearing.Document {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	content, err := codec.EncodeXML(document)
	if err != nil {
		t.Fatal(err)
	}
	return clearing.Document{
		Scheme: scheme, Reference: reference, Content: content, ReceivedAt: time.Date(2026, time.March, 2, 11, 0, 1, 0, time.UTC),
	}
}

// lastSent is the newest document clearing got of a family.
func lastSent(t *testing.T, h *servicetest.Env, name string) iso20022.Document {
	t.Helper()
	sent := h.Network.Delivered()
	for i := len(sent) - 1; i >= 0; i-- {
		if strings.Contains(sent[i].Content, "xsd:"+name) {
			document, findings := codec.DecodeXML([]byte(sent[i].Content))
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			return document
		}
	}
	t.Fatalf("clearing got no %s", name)
	return nil
}

// transfer is another bank's payment to an account of the demo.
func transfer(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, transactionID,
	account string,
) *iso20022.FIToFICustomerCreditTransfer {
	t.Helper()
	order := servicetest.Document(scheme, 900, h.Clock.Now())
	tx := &order.PaymentInformation[0].CreditTransferTransactionInformation[0]
	tx.CreditorAccount.ID.IBAN = account
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: order, TransactionID: transactionID, Reference: "IN-" + transactionID,
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"}, AgentBIC: "BBBBCHZZXXX",
			AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: h.Clock.Now(), Day: h.Clock.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

var receiving = map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957"}

// booked brings a payment in and returns it with its document.
func booked(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, transactionID string) (payment.Message,
	*iso20022.FIToFICustomerCreditTransfer,
) {
	t.Helper()
	document := transfer(t, h, scheme, transactionID, receiving[scheme])
	receive(t, h, inbound(t, scheme, "IN-"+transactionID, document, nil))
	return incoming(t, h, scheme, transactionID), document
}

func incoming(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, transactionID string) payment.Message {
	t.Helper()
	realm, id, err := h.Incoming(ctx, scheme, transactionID)
	if err != nil {
		t.Fatal(err)
	}
	return current(t, h, payment.Message{Realm: realm, InternalID: id})
}

func TestARecallLivesThroughItsAnswers(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for _, answered := range []struct {
			name   string
			want   payment.State
			status payment.RecallStatus
		}{
			{"money back", payment.StateAccepted, payment.RecallAccepted},
			{"refusal", payment.StateRefused, payment.RecallRefused},
			{"silence", payment.StateOverdue, payment.RecallInProgress},
		} {
			h := servicetest.New(t)
			original := settled(t, h, scheme)
			m := request(t, h, payment.RTransaction{
				Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
			})
			if got := payment.RecallStatusOf(current(t, h, original).RecallState); got != payment.RecallInProgress {
				t.Errorf("the original shows %q", got)
			}
			send(t, h, m)
			sent := lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest)
			if scheme == rulebook.SchemeSIC {
				receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: scheme, About: sent, Reference: "RC1", At: h.Clock.Now()})
				receive(t, h, inbound(t, scheme, "RC1", receipt, err))
				want{state: payment.StateAcknowledged}.check(t, h, m)
			}
			switch answered.want {
			case payment.StateAccepted:
				was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
				back, err := interbank.Return(interbank.RTransactionInput{
					Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: was, Bank: "BBBBFRPPXXX", MessageID: "RET1", ID: "RET1",
					At: h.Clock.Now(), Day: h.Clock.Now(),
				})
				receive(t, h, inbound(t, scheme, "RET1", back, err))
				h.Clock.Add(3 * time.Second)
				h.Clearing.RunOnce(ctx)
				lastSent(t, h, "pacs.002")
			case payment.StateRefused:
				no, err := interbank.Resolution(interbank.RTransactionInput{
					Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, Recall: sent, Bank: "BBBBFRPPXXX", MessageID: "NO1", ID: "NO1",
					At: h.Clock.Now(),
				})
				receive(t, h, inbound(t, scheme, "NO1", no, err))
			default:
				h.Clock.Add(30 * 24 * time.Hour)
				h.Clearing.RunOnce(ctx)
				h.Clearing.RunOnce(ctx)
				lastSent(t, h, "pacs.028")
			}
			now := current(t, h, m)
			if now.State != answered.want {
				t.Errorf("%s %s: the recall is %s", scheme, answered.name, now.State)
			}
			if got := payment.RecallStatusOf(current(t, h, original).RecallState); got != answered.status {
				t.Errorf("%s %s: the original shows %q", scheme, answered.name, got)
			}
			refusedAgain(t, h, payment.RTransaction{
				Request: rulebook.Request{Reason: "FRAD"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
			}, "AM05")
			h.CheckInvariants(t)
		}
	}
}

// refusedAgain holds that a request is refused with the code.
func refusedAgain(t *testing.T, h *servicetest.Env, in payment.RTransaction, code string) {
	t.Helper()
	_, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker2"), in)
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || refused.Findings[0].Code != code {
		t.Errorf("a %s with %s: got %v, want %s", in.Kind, in.Reason, err, code)
	}
}

func TestAnIncomingPaymentIsBookedOrRefusedAndAnswered(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		_, err := h.DB.Owner(t).Exec(ctx, "UPDATE debtor_account SET open = false WHERE iban LIKE '%88877766' OR iban LIKE '%532013000'")
		if err != nil {
			t.Fatal(err)
		}
		h.DB.SealMasterData(t)
		closed := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH7280005000088877766", rulebook.SchemeSCT: "DE89370400440532013000"}
		cases := []struct{ id, account, status, code string }{
			{"TX1", receiving[scheme], "ACCP", ""},
			{"TX2", closed[scheme], "RJCT", "AC04"},
			{"TX3", "CH9300762011623852957", "RJCT", "AC01"},
		}
		for _, c := range cases {
			document := inbound(t, scheme, "IN-"+c.id, transfer(t, h, scheme, c.id, c.account), nil)
			receive(t, h, document)
			if err := h.Clearing.Receive(ctx, document); !errors.Is(err, clearing.ErrDuplicate) {
				t.Errorf("%s again: %v", c.id, err)
			}
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			status, err := interbank.ReadStatus(lastSent(t, h, "pacs.002").(*iso20022.FIToFIPaymentStatusReport))
			if err != nil || status.Status != c.status || status.Reason.Code != c.code || status.Original.TransactionID != c.id {
				t.Errorf("%s %s: answered %+v %v", scheme, c.id, status, err)
			}
		}
		receive(t, h, inbound(t, scheme, "IN-OTHER", transfer(t, h, scheme, "TX1", receiving[scheme]), nil))
		if outcome, reason := inboxOf(t, h, "IN-OTHER"); outcome != "matched" {
			t.Errorf("%s: the same payment under another id of the transport is %s: %s", scheme, outcome, reason)
		}
		h.Clock.Add(3 * time.Second)
		h.Clearing.RunOnce(ctx)
		if n := len(h.Network.Delivered()); n != len(cases)+1 {
			t.Errorf("%d answers for %d payments, one of which came twice", n, len(cases))
		}
		if m := incoming(t, h, scheme, "TX1"); m.State != payment.StateBooked || m.Summary.CreditorAccount != receiving[scheme] {
			t.Errorf("booked: %s to %s", m.State, m.Summary.CreditorAccount)
		}
		h.CheckInvariants(t)
	}
}

func TestAReceivedRecallIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for _, kind := range []payment.Kind{payment.KindReturn, payment.KindResolution} {
			h := servicetest.New(t)
			original, document := booked(t, h, scheme, "TX9")
			received := receivedRecall(t, h, original, document)
			id := received.InternalID
			if received.State != payment.StateAwaitingDecision || received.AnswerBy.Before(h.Clock.Now().AddDate(0, 0, 14)) {
				t.Fatalf("the recall is %s until %s", received.State, received.AnswerBy)
			}
			yes := payment.RTransaction{
				Request: rulebook.Request{Reason: "FOCR"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID,
			}
			no := payment.RTransaction{
				Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindResolution, Scheme: scheme, OriginalID: original.InternalID,
				RecallID: id,
			}
			refusedAgain(t, h, payment.RTransaction{
				Request: rulebook.Request{Reason: "AC04"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID,
			}, "CH16")
			mine, other := yes, no
			if kind == payment.KindResolution {
				mine, other = no, yes
			}
			m := request(t, h, mine)
			refusedAgain(t, h, other, "AM05")
			refusedAgain(t, h, mine, "AM05")
			send(t, h, m)
			finish(t, h, m)
			if now := current(t, h, received); now.State != payment.StateAnswered {
				t.Errorf("%s: after the %s the recall is %s", scheme, kind, now.State)
			}
			h.CheckInvariants(t)
		}
	}
}

// finish gives a sent return or resolution the last word of clearing.
func finish(t *testing.T, h *servicetest.Env, m payment.Message) {
	t.Helper()
	switch {
	case m.Kind == payment.KindReturn:
		sent := lastSent(t, h, "pacs.004")
		report, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: m.Scheme, About: sent, Reference: "OK1", StatusID: "OK1", At: h.Clock.Now(),
		})
		receive(t, h, inbound(t, m.Scheme, "OK1", report, err))
		want{state: payment.StateSettled}.check(t, h, m)
	case m.Scheme == rulebook.SchemeSIC:
		sent := lastSent(t, h, "camt.029")
		receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: m.Scheme, About: sent, Reference: "OK1", At: h.Clock.Now()})
		receive(t, h, inbound(t, m.Scheme, "OK1", receipt, err))
		want{state: payment.StateCommunicated}.check(t, h, m)
	default:
		want{state: payment.StateCommunicated}.check(t, h, m)
	}
}
