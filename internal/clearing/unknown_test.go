package clearing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// A recall and a question about a payment that never came are answered: NOOR and AG09.
func TestWhatNeverCameIsAnswered(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		never := transferOf(t, h, scheme, "BBBBFRPPXXX", "NEVER", "NEVER")
		recall, ours := recalling(t, h, never, byCustomer(scheme)), bankNamed("AAAACHBBXXX")
		recall.Assignment.Assignee.Agent = &ours
		receive(t, h, inbound(t, scheme, "RE1", recall, nil))
		receive(t, h, inbound(t, scheme, "Q1", askingAbout(t, h, scheme, never), nil))
		h.Clock.Add(70 * time.Second)
		h.Clearing.RunOnce(ctx)
		h.Clock.Add(3 * time.Second)
		h.Clearing.RunOnce(ctx)
		no := lastSent(t, h, "camt.029").(*iso20022.ResolutionOfInvestigation)
		said := no.CancellationDetails[0].TransactionInformationAndStatus[0]
		if code := said.CancellationStatusReasonInformation[0].Reason.Code; code != "NOOR" || said.OriginalTransactionID != "NEVER" {
			t.Errorf("%s: the recall was answered with %s about %s", scheme, code, said.OriginalTransactionID)
		}
		if status := answerTo(t, h); status.TransactionStatus != "RJCT" || reasonIn(status) != "AG09" || status.OriginalTransactionID != "NEVER" {
			t.Errorf("%s: the question was answered with %s %s", scheme, status.TransactionStatus, reasonIn(status))
		}
		for _, reference := range []string{"RE1", "Q1"} {
			if outcome, reason := inboxOf(t, h, reference); outcome != "answered" {
				t.Errorf("%s: %s is %s: %s", scheme, reference, outcome, reason)
			}
		}
		h.CheckInvariants(t)
	}
}

// A recall and a question about a payment that left with an archive are for people: it was received.
func TestWhatIsInAnArchiveIsNotRefused(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		_, err := h.DB.Owner(t).Exec(ctx, `SET session_replication_role = replica;
			INSERT INTO archived_month (realm, change_id, month, digest, messages, leaves, at, key_id, seal)
			VALUES ('demo', '00000000-0000-4000-8000-000000000001', '2025-09', repeat('0', 64), 1, 1, now(), 'k', sha256(''));
			INSERT INTO archived_payment (realm, payment_id, key, change_id, messages, key_id, seal, names)
			VALUES ('demo', gen_random_uuid(), sha256(''), '00000000-0000-4000-8000-000000000001', 1, 'k', sha256(''), '{GONE}')`)
		if err != nil {
			t.Fatal(err)
		}
		gone := transferOf(t, h, scheme, "BBBBFRPPXXX", "GONE", "GONE")
		recall, ours := recalling(t, h, gone, byCustomer(scheme)), bankNamed("AAAACHBBXXX")
		recall.Assignment.Assignee.Agent = &ours
		receive(t, h, inbound(t, scheme, "RE1", recall, nil))
		receive(t, h, inbound(t, scheme, "Q1", askingAbout(t, h, scheme, gone), nil))
		h.Clock.Add(70 * time.Second)
		h.Clearing.RunOnce(ctx)
		for _, reference := range []string{"RE1", "Q1"} {
			outcome, reason := inboxOf(t, h, reference)
			if outcome != "quarantined" || !strings.Contains(reason, "archive") {
				t.Errorf("%s: %s is %s: %s", scheme, reference, outcome, reason)
			}
		}
	}
}

// A second recall is answered: with ARDT when the money went back, with the first reason when it did not.
func TestASecondRecallIsAnswered(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for kind, want := range map[payment.Kind]string{payment.KindReturn: "ARDT", payment.KindResolution: "AM04"} {
			h := servicetest.New(t)
			original, document := booked(t, h, scheme, "TX9")
			received := receivedRecall(t, h, original, document)
			ask := payment.RTransaction{Kind: kind, Scheme: scheme, OriginalID: original.InternalID}
			ask.Reason = "FOCR"
			if kind == payment.KindResolution {
				ask.Reason, ask.RecallID = want, received.InternalID
			}
			m := request(t, h, ask)
			send(t, h, m)
			finish(t, h, m)
			second := byCustomer(scheme)
			second.ID = "RE2"
			receive(t, h, inbound(t, scheme, "RE2", recalling(t, h, document, second), nil))
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			no := lastSent(t, h, "camt.029").(*iso20022.ResolutionOfInvestigation)
			said := no.CancellationDetails[0].TransactionInformationAndStatus[0].CancellationStatusReasonInformation[0]
			if outcome, reason := inboxOf(t, h, "RE2"); outcome != "matched" || said.Reason.Code != want {
				t.Errorf("%s after a %s: %s %s, answered with %s, want %s", scheme, kind, outcome, reason, said.Reason.Code, want)
			}
			h.CheckInvariants(t)
		}
	}
}

// A stranger that guesses an id is answered as about an id that nobody used, byte for byte but for the id; a stranger that repeats what only
// the parties of the payment know is told nothing.
func TestAStrangerCannotTellAKnownPaymentFromAnUnknownOne(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		told := make(map[string][]string)
		for _, id := range []string{"KNOWN", "OTHER"} { // the payment KNOWN came
			h := servicetest.New(t)
			booked(t, h, scheme, "KNOWN")
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			before := len(h.Network.Delivered())
			guessed := transferOf(t, h, scheme, "COBADEFFXXX", id, "GUESS")
			guessed.CreditTransferTransactionInformation[0].AcceptanceDateTime = ago(h, time.Second)
			guessed.CreditTransferTransactionInformation[0].PaymentID.UETR = "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e11"
			setIncoming(guessed, &guessed.CreditTransferTransactionInformation[0], string(profileOf(scheme).Currency), "77.00")
			recall := recalling(t, h, guessed, byCustomer(scheme))
			bare := askingAbout(t, h, scheme, guessed)
			bare.TransactionInformation[0] = iso20022.PaymentTransaction113{StatusRequestID: "S", OriginalTransactionID: id}
			bare.OriginalGroupInformation = nil
			full := askingAbout(t, h, scheme, guessed)
			for _, question := range []*iso20022.FIToFIPaymentStatusRequest{bare, full} {
				named := bankNamed("COBADEFFXXX")
				question.GroupHeader.InstructingAgent = &named
			}
			for reference, document := range map[string]iso20022.Document{"R1": recall, "Q1": bare, "Q2": full} {
				receive(t, h, inbound(t, scheme, reference, document, nil))
			}
			h.Clock.Add(70 * time.Second)
			h.Clearing.RunOnce(ctx)
			h.Clock.Add(3 * time.Second)
			h.Clearing.RunOnce(ctx)
			for _, sent := range h.Network.Delivered()[before:] {
				said := strings.ReplaceAll(sent.Content, id, "ID")
				for _, own := range []string{"<MsgId>", "<StsId>", "<CxlStsId>", "<Id>C29", "<CreDtTm>"} {
					said = strings.ReplaceAll(said, own+between(said, own, "<"), "")
				}
				told[id] = append(told[id], said)
			}
			slices.Sort(told[id])
			h.CheckInvariants(t)
		}
		if len(told["KNOWN"]) < 3 || !slices.Equal(told["KNOWN"], told["OTHER"]) {
			t.Errorf("%s: the stranger was told of a payment that came\n%s\nand of one that never did\n%s", scheme, told["KNOWN"], told["OTHER"])
		}
	}
}

// An automatic refusal leaves only as the answer to the document that was received: not with another content, not to another document, not
// without one.
func TestAnAutomaticRefusalAnswersWhatWasReceived(t *testing.T) {
	t.Parallel()
	scheme := rulebook.SchemeSCT
	for name, plant := range map[string]string{
		"other content":  `UPDATE outbox SET content = convert_to(replace(convert_from(content, 'UTF8'), 'NEVER', 'MAYBE'), 'UTF8') WHERE answers IS NOT NULL`,
		"other document": `UPDATE outbox SET answers = 'RE2' WHERE answers = 'RE1'`,
		"no document":    `UPDATE outbox SET answers = NULL WHERE answers IS NOT NULL`,
	} {
		h := servicetest.New(t)
		for i, id := range []string{"NEVER1", "NEVER2"} {
			never := transferOf(t, h, scheme, "BBBBFRPPXXX", id, id)
			receive(t, h, inbound(t, scheme, "RE"+string(rune('1'+i)), recalling(t, h, never, byCustomer(scheme)), nil))
		}
		h.Network.Refuse = func(servicetest.Delivery) error { return errors.New("clearing is away") }
		h.Clock.Add(70 * time.Second)
		h.Clearing.RunOnce(ctx)
		_, err := h.DB.Owner(t).Exec(ctx, plant)
		h.Network.Refuse = nil
		for range 3 {
			h.Clock.Add(time.Minute)
			h.Clearing.RunOnce(ctx)
		}
		sent := 0
		for _, d := range h.Network.Delivered() {
			if strings.Contains(d.Content, "MAYBE") || strings.Contains(d.Content, "NEVER1") {
				sent++
			}
		}
		if refused := name == "no document"; refused != (err != nil) || !refused && sent > 0 {
			t.Errorf("%s: %v, and %d left", name, err, sent)
		}
	}
}

// A camt.029 or camt.025 that decides nothing is shown on our recall, and money for another recall is not taken as the answer to it.
func TestWhatDecidesNothingIsShownOnTheRecall(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		original := settled(t, h, scheme)
		was := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
		m := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
		})
		send(t, h, m)
		sent := lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest)
		pending, err := interbank.Resolution(interbank.RTransactionInput{
			Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, Recall: sent, Bank: "BBBBFRPPXXX", MessageID: "PD1", ID: "PD1", At: h.Clock.Now(),
		})
		must(t, err)
		said := &pending.CancellationDetails[0].TransactionInformationAndStatus[0]
		pending.Status.Confirmation, said.TransactionCancellationStatus = "PDCR", "PDCR"
		receive(t, h, inbound(t, scheme, "PD1", pending, nil))
		if now := current(t, h, m); now.State != payment.StateProcessing || now.StatusCode != "PDCR" {
			t.Errorf("%s: after a pending answer the recall is %s with %q", scheme, now.State, now.StatusCode)
		}
		receipt, err := interbank.Receipt(interbank.ReceiptInput{Scheme: rulebook.SchemeSIC, About: sent, Reference: "RC1", At: h.Clock.Now()})
		must(t, err)
		receipt.ReceiptDetails[0].RequestHandling[0].StatusCode = "RCPT"
		receive(t, h, inbound(t, scheme, "RC1", receipt, nil))
		if now := current(t, h, m); now.State != payment.StateProcessing || now.StatusCode != "RCPT" {
			t.Errorf("%s: after a receipt of an unknown code the recall is %s with %q", scheme, now.State, now.StatusCode)
		}
		back, err := interbank.Return(interbank.RTransactionInput{
			Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: was, Bank: "BBBBFRPPXXX", MessageID: "RET1", ID: "RET1",
			At: h.Clock.Now(), Day: h.Clock.Now(),
		})
		must(t, err)
		information := &back.TransactionInformation[0].ReturnReasonInformation[0].AdditionalInformation
		*information = []string{"ATR053/ANOTHER-RECALL"}
		receive(t, h, inbound(t, scheme, "RET1", back, nil))
		outcome, reason := inboxOf(t, h, "RET1")
		if outcome != "quarantined" || !strings.Contains(reason, "a recall that does not belong to this payment") {
			t.Errorf("%s: money for another recall is %s: %s", scheme, outcome, reason)
		}
		*information = []string{"ATR053/" + string(m.GlobalID)}
		receive(t, h, inbound(t, scheme, "RET2", back, nil))
		want{state: payment.StateAccepted}.check(t, h, m)
		h.CheckInvariants(t)
	}
}

// A first recall of a payment that was sent back already is answered with ARDT, and nobody has to decide about it.
func TestARecallOfWhatWentBackIsAnswered(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	original, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	ask := payment.RTransaction{Kind: payment.KindReturn, Scheme: rulebook.SchemeSIC, OriginalID: original.InternalID}
	ask.Reason = "AC04"
	m := request(t, h, ask)
	send(t, h, m)
	finish(t, h, m)
	receive(t, h, inbound(t, rulebook.SchemeSIC, "RE1", recalling(t, h, document, byCustomer(rulebook.SchemeSIC)), nil))
	h.Clock.Add(3 * time.Second)
	h.Clearing.RunOnce(ctx)
	no := lastSent(t, h, "camt.029").(*iso20022.ResolutionOfInvestigation)
	said := no.CancellationDetails[0].TransactionInformationAndStatus[0].CancellationStatusReasonInformation[0]
	if outcome, reason := inboxOf(t, h, "RE1"); outcome != "matched" || said.Reason.Code != "ARDT" {
		t.Errorf("%s %s, answered with %s", outcome, reason, said.Reason.Code)
	}
	h.CheckInvariants(t)
}
