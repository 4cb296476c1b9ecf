package clearing_test

import (
	"fmt"
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

// bankNamed is a bank as documents of a scheme name it: by BIC, in SIC by its bank code where one is given.
func bankNamed(bic string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}

// transferOf is another bank's payment, named by its own message id.
func transferOf(
	t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, bank, transactionID, messageID string,
) *iso20022.FIToFICustomerCreditTransfer {
	t.Helper()
	document := transfer(t, h, scheme, transactionID, receiving[scheme])
	document.GroupHeader.MessageID = messageID
	named := bankNamed(bank)
	document.GroupHeader.InstructingAgent = &named
	document.CreditTransferTransactionInformation[0].DebtorAgent = named
	return document
}

// answers returns the status and code of every pacs.002 that clearing got about a transaction ID, in order, after all that is due is sent.
func answers(t *testing.T, h *servicetest.Env, transactionID string) []string {
	t.Helper()
	h.Clock.Add(3 * time.Second)
	h.Clearing.RunOnce(ctx)
	h.Clock.Add(-3 * time.Second)
	var list []string
	for _, sent := range h.Network.Delivered() {
		if !strings.Contains(sent.Content, "<OrgnlTxId>"+transactionID+"</OrgnlTxId>") || !strings.Contains(sent.Content, "xsd:pacs.002") {
			continue
		}
		status := between(sent.Content, "<TxSts>", "</TxSts>")
		if code := between(sent.Content, "<Cd>", "</Cd>"); code != "" {
			status += " " + code
		}
		list = append(list, between(sent.Content, "<OrgnlMsgId>", "</OrgnlMsgId>")+" "+status)
	}
	return list
}

func between(text, before, after string) string {
	_, rest, found := strings.Cut(text, before)
	if !found {
		return ""
	}
	inner, _, _ := strings.Cut(rest, after)
	return inner
}

func states(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, transactionID string) []payment.State {
	t.Helper()
	found, err := h.Messages.IncomingByTransaction(ctx, scheme, transactionID, "")
	must(t, err)
	list := make([]payment.State, 0, len(found))
	for _, one := range found {
		list = append(list, current(t, h, payment.Message{Realm: one.Realm, InternalID: one.ID}).State)
	}
	return list
}

// Two banks number their payments and messages alike: both payments are answered and booked (ISO pacs.008: the ids are unique per
// instructing bank).
func TestIDsOfWhatComesInAreUniquePerBank(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		const id = "2026112900000001"
		for _, bank := range []string{"BBBBFRPPXXX", "COBADEFFXXX", "GENODEF1M07", "GENODEF1S02"} {
			receive(t, h, inbound(t, scheme, id, transferOf(t, h, scheme, bank, id, id), nil))
		}
		if said := answers(t, h, id); len(said) != 4 || strings.Count(strings.Join(said, "|"), id+" ACCP") != 4 {
			t.Errorf("%s: answered %q", scheme, said)
		}
		if booked := states(t, h, scheme, id); len(booked) != 4 || booked[0] != payment.StateBooked || booked[3] != payment.StateBooked {
			t.Errorf("%s: the payments are %q", scheme, booked)
		}
		h.CheckInvariants(t)
	}
}

// What a bank sends again is answered: with the earlier answer where it is the same message, else with AM05. Nothing is booked twice.
func TestARepeatedPaymentIsAnswered(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		const bank, id = "BBBBFRPPXXX", "TX-REPEATED"
		first := transferOf(t, h, scheme, bank, id, "MSG-1")
		receive(t, h, inbound(t, scheme, "T1", first, nil))
		receive(t, h, inbound(t, scheme, "T2", first, nil)) // the same message under another id of the transport
		again := transferOf(t, h, scheme, bank, id, "MSG-1")
		again.GroupHeader.CreationDateTime = ago(h, time.Second)
		receive(t, h, inbound(t, scheme, "T1", again, nil)) // made anew, under the same id of the transport
		receive(t, h, inbound(t, scheme, "T3", transferOf(t, h, scheme, bank, id, "MSG-2"), nil))
		receive(t, h, inbound(t, scheme, "T1", transferOf(t, h, scheme, bank, "TX-OTHER", "MSG-1"), nil))
		larger := transferOf(t, h, scheme, bank, id, "MSG-1")
		setIncoming(larger, &larger.CreditTransferTransactionInformation[0], string(profileOf(scheme).Currency), "5000.00")
		receive(t, h, inbound(t, scheme, "T4", larger, nil))
		want := "MSG-1 ACCP|MSG-1 ACCP|MSG-1 ACCP|MSG-1 RJCT AM05|MSG-2 RJCT AM05"
		said := answers(t, h, id)
		slices.Sort(said)
		if got := strings.Join(said, "|"); got != want {
			t.Errorf("%s: answered\n%s, want\n%s", scheme, got, want)
		}
		if other := answers(t, h, "TX-OTHER"); len(other) != 1 || other[0] != "MSG-1 RJCT AM05" {
			t.Errorf("%s: another payment under a used message id was answered %q", scheme, other)
		}
		if booked := states(t, h, scheme, id); len(booked) != 1 || booked[0] != payment.StateBooked {
			t.Errorf("%s: the payments are %q", scheme, booked)
		}
		h.CheckInvariants(t)
	}
}

func profileOf(scheme rulebook.Scheme) rulebook.Profile {
	profile, _ := scheme.Profile()
	return profile
}

// After the period in which ids are unique a bank may use one again, for a payment and for a message.
func TestAnIDMayComeAgainAfterItsPeriod(t *testing.T) {
	t.Parallel()
	scheme := rulebook.SchemeSCT
	h := servicetest.New(t)
	came := func() {
		document := inbound(t, scheme, "YEARLY", transferOf(t, h, scheme, "BBBBFRPPXXX", "YEARLY", "YEARLY"), nil)
		document.ReceivedAt = h.Clock.Now()
		receive(t, h, document)
	}
	came()
	if said := answers(t, h, "YEARLY"); len(said) != 1 || said[0] != "YEARLY ACCP" {
		t.Errorf("at first: answered %q", said)
	}
	h.Clock.Add(399 * 24 * time.Hour)
	came()
	if said := answers(t, h, "YEARLY"); len(said) != 2 || said[1] != "YEARLY RJCT AM05" {
		t.Errorf("within the period: answered %q", said)
	}
	h.Clock.Add(2 * 24 * time.Hour)
	came()
	if said := answers(t, h, "YEARLY"); len(said) != 3 || said[2] != "YEARLY ACCP" {
		t.Errorf("after the period: answered %q", said)
	}
	if booked := states(t, h, scheme, "YEARLY"); len(booked) != 2 {
		t.Errorf("the payments are %q", booked)
	}
	h.CheckInvariants(t)
}

// A recall finds the payment of its own bank, also where another bank uses the same id and where it overtakes the payment.
func TestARecallFindsThePaymentOfItsBank(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		const id = "SHARED"
		one := transferOf(t, h, scheme, "BBBBFRPPXXX", id, "ONE")
		other := transferOf(t, h, scheme, "COBADEFFXXX", id, "OTHER")
		receive(t, h, inbound(t, scheme, "ONE", one, nil))
		overtaking := byCustomer(scheme)
		overtaking.ID = "RE-OTHER"
		receive(t, h, inbound(t, scheme, "RE-OTHER", recalling(t, h, other, overtaking), nil))
		if outcome, _ := inboxOf(t, h, "RE-OTHER"); outcome != "waiting" {
			t.Errorf("%s: a recall that overtook its payment is %s", scheme, outcome)
		}
		receive(t, h, inbound(t, scheme, "OTHER", other, nil))
		if outcome, reason := inboxOf(t, h, "RE-OTHER"); outcome != "matched" {
			t.Errorf("%s: after its payment came it is %s: %s", scheme, outcome, reason)
		}
		receive(t, h, inbound(t, scheme, "RE1", recalling(t, h, one, byCustomer(scheme)), nil))
		found, err := h.Messages.IncomingByTransaction(ctx, scheme, id, "")
		must(t, err)
		for _, came := range found {
			_, err = h.Messages.ReceivedRecallOf(ctx, came.Realm, came.ID)
			if err != nil {
				t.Errorf("%s: the payment of %s has no recall: %v", scheme, came.Bank, err)
			}
		}
		h.CheckInvariants(t)
	}
}

// strangers are R-messages in the name of a bank that is no party of the payment, of each kind, in each place that names it.
func strangers(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, in, out *iso20022.FIToFICustomerCreditTransfer,
	asked *iso20022.FIToFIPaymentCancellationRequest,
) map[string]iso20022.Document {
	t.Helper()
	list := make(map[string]iso20022.Document)
	names := map[string]iso20022.BranchAndFinancialInstitutionIdentification6{
		"by BIC": bankNamed("COBADEFFXXX"), "by a BIC that looks alike": bankNamed("BBBBCHZHXXX"),
		"by code": {FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
			ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
				ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: "762",
			},
		}},
		"by LEI":  {FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{LEI: "529900T8BM49AURSDO55"}},
		"by name": {FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{Name: "Bank of nobody"}},
	}
	for name, bank := range names {
		for _, reason := range []string{"CUST", "DUPL"} {
			recall, err := interbank.CancellationRequest(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: reason}, Scheme: scheme, Original: in, MessageID: "S", ID: "S", Bank: "COBADEFFXXX", At: h.Clock.Now(),
			})
			must(t, err)
			recall.Assignment.Assigner.Agent = &bank
			list["recall "+reason+" "+name] = recall
		}
		for _, reason := range []string{"CUST", "NOAS", "AM04"} {
			no, err := interbank.Resolution(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: reason}, Scheme: scheme, Recall: asked, Bank: "COBADEFFXXX", MessageID: "S", ID: "S", At: h.Clock.Now(),
			})
			must(t, err)
			no.Assignment.Assigner.Agent = &bank
			list["refusal "+reason+" "+name] = no
		}
		for place, set := range map[string]func(*iso20022.PaymentReturn){
			"header":      func(d *iso20022.PaymentReturn) { d.GroupHeader.InstructingAgent = &bank },
			"transaction": func(d *iso20022.PaymentReturn) { d.TransactionInformation[0].InstructingAgent = &bank },
			"copy": func(d *iso20022.PaymentReturn) {
				d.GroupHeader.InstructingAgent, d.TransactionInformation[0].InstructingAgent = nil, nil
				d.TransactionInformation[0].OriginalTransactionReference.CreditorAgent = &bank
			},
		} {
			back, err := interbank.Return(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: out, Bank: "COBADEFFXXX", MessageID: "S", ID: "S",
				At: h.Clock.Now(), Day: h.Clock.Now(),
			})
			must(t, err)
			set(back)
			list["return "+place+" "+name] = back
		}
		for place, set := range map[string]func(*iso20022.FIToFIPaymentStatusRequest){
			"header":      func(d *iso20022.FIToFIPaymentStatusRequest) { d.GroupHeader.InstructingAgent = &bank },
			"transaction": func(d *iso20022.FIToFIPaymentStatusRequest) { d.TransactionInformation[0].InstructingAgent = &bank },
		} {
			question := askingAbout(t, h, scheme, in)
			set(question)
			list["question "+place+" "+name] = question
		}
	}
	for kind, document := range map[string]iso20022.Document{"recall": list["recall CUST by BIC"], "refusal": list["refusal CUST by BIC"]} {
		list[kind+" of a party that is no bank"] = unnamed(document)
	}
	return list
}

// unnamed is a recall or its refusal that names no bank as its sender.
func unnamed(document iso20022.Document) iso20022.Document {
	switch d := document.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		other := *d
		other.Assignment.Assigner = iso20022.Party40Choice{Party: &iso20022.PartyIdentification135{Name: "Nobody"}}
		return &other
	case *iso20022.ResolutionOfInvestigation:
		other := *d
		other.Assignment.Assigner = iso20022.Party40Choice{Party: &iso20022.PartyIdentification135{Name: "Nobody"}}
		return &other
	}
	return document
}

// askingAbout is the question of the debtor's bank about a payment.
func askingAbout(
	t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, about *iso20022.FIToFICustomerCreditTransfer,
) *iso20022.FIToFIPaymentStatusRequest {
	t.Helper()
	question, err := interbank.StatusRequest(interbank.StatusRequestInput{
		Scheme: scheme, About: about, Reference: "S", RequestID: "S", At: h.Clock.Now(),
	})
	must(t, err)
	return question
}

// No R-message of a bank that is no party of the payment is taken, and its sender is told nothing.
func TestAStrangerIsToldNothing(t *testing.T) {
	t.Parallel()
	kinds := 0
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		paid, in := booked(t, h, scheme, "STRANGE")
		original := settled(t, h, scheme)
		out := lastSent(t, h, "pacs.008").(*iso20022.FIToFICustomerCreditTransfer)
		ours := request(t, h, payment.RTransaction{
			Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: scheme, OriginalID: original.InternalID,
		})
		send(t, h, ours)
		asked := lastSent(t, h, "camt.056").(*iso20022.FIToFIPaymentCancellationRequest)
		h.Clock.Add(3 * time.Second)
		h.Clearing.RunOnce(ctx)
		before := current(t, h, ours).State
		told, number := len(h.Network.Delivered()), 0
		for name, document := range strangers(t, h, scheme, in, out, asked) {
			number++
			reference := fmt.Sprintf("STRANGER-%d", number)
			receive(t, h, inbound(t, scheme, reference, document, nil))
			h.Clock.Add(70 * time.Second)
			h.Clearing.RunOnce(ctx)
			if outcome, reason := inboxOf(t, h, reference); outcome != "quarantined" {
				t.Errorf("%s, %s: %s: %s", scheme, name, outcome, reason)
			}
		}
		kinds += number
		if sent := h.Network.Delivered()[told:]; len(sent) > 0 {
			t.Errorf("%s: strangers were told %d things, such as %s", scheme, len(sent), sent[0].Content)
		}
		if _, err := h.Messages.ReceivedRecallOf(ctx, paid.Realm, paid.InternalID); err == nil {
			t.Errorf("%s: a stranger recalled a payment", scheme)
		}
		if now := current(t, h, ours).State; now != before {
			t.Errorf("%s: a stranger answered our recall: it is %s", scheme, now)
		}
		h.CheckInvariants(t)
	}
	if kinds < 60 {
		t.Errorf("only %d kinds were tried", kinds)
	}
}
