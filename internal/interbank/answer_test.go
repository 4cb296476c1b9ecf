package interbank_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

func minor(t *testing.T, currency money.Currency, count int64) money.Amount {
	t.Helper()
	made, err := money.FromMinor(currency, count)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (c chain) returnInput(t *testing.T) interbank.RTransactionInput {
	return interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "FOCR",
		},
		Scheme: c.scheme, Original: c.transfer(t), Bank: c.creditorBank, MessageID: "M", ID: "R", At: accepted, Day: answerDay,
	}
}

func TestAReturnLessACharge(t *testing.T) {
	t.Parallel()
	c := chains()[1]
	in := c.returnInput(t)
	in.Charge = minor(t, money.EUR, 500)
	made, err := interbank.Return(in)
	if err != nil {
		t.Fatal(err)
	}
	text(t, made)
	sent := made.TransactionInformation[0]
	if sent.ReturnedInterbankSettlementAmount != amount("EUR", "1245.40") || *sent.ReturnedInstructedAmount != amount("EUR", "1250.40") ||
		*made.GroupHeader.TotalReturnedInterbankSettlementAmount != amount("EUR", "1245.40") ||
		len(sent.ChargesInformation) != 1 || sent.ChargesInformation[0].Amount != amount("EUR", "5.00") ||
		sent.ChargesInformation[0].Agent.FinancialInstitutionID.BICFI != "BBBBFRPPXXX" {
		t.Errorf("returned %+v", sent)
	}
	read, err := interbank.ReadReturn(made)
	if err != nil || read.Amount != minor(t, money.EUR, 124540) || read.Charge != in.Charge ||
		read.Original.Amount != minor(t, money.EUR, 125040) ||
		!read.AnswersRecall() {
		t.Errorf("read back: %+v, %v", read, err)
	}
	for name, charge := range map[string]struct {
		charge money.Amount
		want   error
	}{
		"all of it":        {minor(t, money.EUR, 125040), money.ErrZero},
		"more than it":     {minor(t, money.EUR, 125041), money.ErrNegative},
		"another currency": {minor(t, money.CHF, 1), money.ErrMismatch},
	} {
		in.Charge = charge.charge
		_, err := interbank.Return(in)
		if !errors.Is(err, charge.want) {
			t.Errorf("a charge of %s: %v, want %v", name, err, charge.want)
		}
	}
}

func TestReasonsOfOtherListsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		_, recall := interbank.CancellationRequest(
			interbank.RTransactionInput{Request: rulebook.Request{Reason: "LEGL"}, Scheme: c.scheme, Original: c.transfer(t)},
		)
		_, resolution := interbank.Resolution(
			interbank.RTransactionInput{Request: rulebook.Request{Reason: "DUPL"}, Scheme: c.scheme, Recall: c.recall(t, "DUPL")},
		)
		in := c.returnInput(t)
		in.Reason = "XXXX"
		_, back := interbank.Return(in)
		for name, err := range map[string]error{"recall": recall, "resolution": resolution, "return": back} {
			if !errors.Is(err, interbank.ErrReason) {
				t.Errorf("%s, %s: %v", c.scheme, name, err)
			}
		}
	}
}

func TestOurBankIsFoundOrMissed(t *testing.T) {
	t.Parallel()
	swiss, sepa := chains()[0], chains()[1]
	known := swiss.transfer(t) // its debtor agent is a bank of the list
	made, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "DUPL"}, Scheme: swiss.scheme, Original: known, MessageID: "A", ID: "C", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	text(t, made)
	reason := made.Underlying[0].TransactionInformation[0].CancellationReasonInformation[0]
	if got := reason.Originator.ID.OrganisationID.AnyBIC; got != "RAIFCH22005" {
		t.Errorf("originator %s", got)
	}
	unknown := sepa.transfer(t)
	unknown.CreditTransferTransactionInformation[0].DebtorAgent.FinancialInstitutionID = iso20022.FinancialInstitutionIdentification18{
		Name: "?",
	}
	_, err = interbank.CancellationRequest(
		interbank.RTransactionInput{Request: rulebook.Request{Reason: "DUPL"}, Scheme: sepa.scheme, Original: unknown},
	)
	if !errors.Is(err, interbank.ErrIncomplete) {
		t.Errorf("no BIC: %v", err)
	}
}

func TestAQuestionAboutARecall(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		made, err := interbank.StatusRequest(interbank.StatusRequestInput{
			Scheme: c.scheme, About: c.recall(t, "FRAD"), Reference: "M", RequestID: "Q", At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		text(t, made)
		read, err := interbank.ReadStatusRequest(made)
		name := "camt.056.001.08"
		if c.scheme == rulebook.SchemeSCT {
			name = "camt.056"
		}
		if err != nil || !read.AboutRecall() || read.Original.MessageName != name || read.Original.MessageID != c.letter+"CAMT56-20260303-0001" ||
			read.Original.InstructionID != c.letter+"CXL-0001" || read.Original.TransactionID != c.letter+"TX20260302000001" ||
			read.RequestID != "Q" {
			t.Errorf("%s: %+v, %v", c.scheme, read, err)
		}
	}
}

func TestAQuestionAboutAReturn(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		sent := sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_AC04")
		made, err := interbank.StatusRequest(interbank.StatusRequestInput{
			Scheme: c.scheme, About: sent, Reference: "M", RequestID: "Q", At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		text(t, made)
		read, err := interbank.ReadStatusRequest(made)
		name := "pacs.004.001.09"
		if c.scheme == rulebook.SchemeSCT {
			name = "pacs.004"
		}
		if err != nil || read.AboutRecall() || read.Original.MessageName != name || read.Original.MessageID != sent.GroupHeader.MessageID ||
			read.Original.TransactionID != c.letter+"TX20260302000001" || read.RequestID != "Q" {
			t.Errorf("%s: %+v, %v", c.scheme, read, err)
		}
		sent.TransactionInformation = nil
		_, err = interbank.StatusRequest(
			interbank.StatusRequestInput{Scheme: c.scheme, About: sent, Reference: "M", RequestID: "Q", At: accepted},
		)
		if !errors.Is(err, interbank.ErrTransactions) {
			t.Errorf("%s: about no return: %v", c.scheme, err)
		}
	}
}

func TestTheCaseOfARecallIsResolved(t *testing.T) {
	t.Parallel()
	c := chains()[1]
	recall := c.recall(t, "DUPL")
	opened := &iso20022.Case5{ID: "CASE-1", Creator: recall.Assignment.Assigner}
	recall.Case = opened
	made, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "NOAS"}, Scheme: c.scheme, Recall: recall, MessageID: "A", ID: "S", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	text(t, made)
	if made.ResolvedCase == nil || made.ResolvedCase.ID != "CASE-1" {
		t.Errorf("resolved case %+v", made.ResolvedCase)
	}
}

// A stamped draft differs in the times alone.
func TestStampChangesTheTimesAlone(t *testing.T) {
	t.Parallel()
	order := func(c chain) *iso20022.CustomerCreditTransferInitiation { return c.order(t) }
	at, day := time.Date(2026, time.June, 7, 8, 9, 10, 0, time.UTC), time.Date(2026, time.June, 7, 0, 0, 0, 0, time.UTC)
	for _, c := range chains() {
		for _, draft := range c.life(t, order(c), "CUST", "CUST")[1:] {
			before := text(t, draft)
			stamped, err := interbank.Stamp(draft, at, day)
			if err != nil {
				t.Fatal(err)
			}
			if text(t, draft) != before {
				t.Errorf("%s: the draft itself was changed", draft.MessageName())
			}
			changed := 0
			lines := strings.Split(text(t, stamped), "\n")
			for i, line := range strings.Split(before, "\n") {
				if line == lines[i] {
					continue
				}
				changed++
				became := strings.TrimSpace(lines[i])
				if became != "<CreDtTm>2026-06-07T08:09:10Z</CreDtTm>" && became != "<IntrBkSttlmDt>2026-06-07</IntrBkSttlmDt>" {
					t.Errorf("%s: %s became %s", draft.MessageName(), line, lines[i])
				}
			}
			want := 1
			if _, is := draft.(*iso20022.PaymentReturn); is {
				want = 2
			}
			if changed != want {
				t.Errorf("%s: %d lines changed, want %d", draft.MessageName(), changed, want)
			}
		}
	}
	_, err := interbank.Stamp(order(chains()[0]), at, day)
	if !errors.Is(err, interbank.ErrKind) {
		t.Errorf("stamp an order: %v", err)
	}
}

func TestAnswersToOtherDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	c := chains()[0]
	_, report := interbank.StatusReport(interbank.StatusReportInput{Scheme: c.scheme, About: c.order(t)})
	_, receipt := interbank.Receipt(interbank.ReceiptInput{Scheme: c.scheme, About: c.transfer(t)})
	if !errors.Is(report, interbank.ErrKind) || !errors.Is(receipt, interbank.ErrKind) {
		t.Errorf("status report: %v; receipt: %v", report, receipt)
	}
}

func TestARefusalIsReadAsOne(t *testing.T) {
	t.Parallel()
	c := chains()[0]
	receipt, err := interbank.Receipt(interbank.ReceiptInput{
		Scheme: c.scheme, About: c.recall(t, "DUPL"), Refused: true, Description: "Zu spät", Reference: "M", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	confirmed, err := interbank.ReadReceipt(receipt)
	if err != nil || confirmed.Outcome != interbank.OutcomeNegative || confirmed.Status != "RJCT" || confirmed.Description != "Zu spät" {
		t.Errorf("%+v, %v", confirmed, err)
	}
	back := sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_FOCR")
	report, err := interbank.StatusReport(interbank.StatusReportInput{
		Scheme: c.scheme, About: back, Code: "AC06", Information: []string{"Konto gesperrt"}, Reference: "M", StatusID: "S", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	status, err := interbank.ReadStatus(report)
	if err != nil || status.Outcome != interbank.OutcomeNegative || status.Reason.Code != "AC06" ||
		!slices.Equal(status.Reason.Information, []string{"Konto gesperrt"}) ||
		status.Original.MessageID != "SPACS4-20260310-FOCR" ||
		!interbank.SameMessage(status.Original.MessageName, iso20022.Pacs004V09) ||
		status.Original.TransactionID != "STX20260302000001" {
		t.Errorf("%+v, %v", status, err)
	}
}

func TestInformationInSEPAIsTransliterated(t *testing.T) {
	t.Parallel()
	c := chains()[1]
	made, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "FRAD", Information: []string{"Täuschung & Betrug"},
		},
		Scheme: c.scheme, Original: c.transfer(t), MessageID: "A", ID: "C", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := made.Underlying[0].TransactionInformation[0].CancellationReasonInformation[0].AdditionalInformation
	if !slices.Equal(got, []string{"Taeuschung + Betrug"}) {
		t.Errorf("information %q", got)
	}
}

// TestARefusalInSEPANamesWhoRefuses: the bank that a payment, or what comes back of one, goes to; what has no BIC is named by nobody.
func TestARefusalInSEPANamesWhoRefuses(t *testing.T) {
	t.Parallel()
	c := chains()[1]
	stranger := c.transfer(t)
	stranger.CreditTransferTransactionInformation[0].CreditorAgent = iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{Other: &iso20022.GenericFinancialIdentification1{ID: "X"}},
	}
	back := sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_FOCR")
	for name, test := range map[string]struct {
		about iso20022.Document
		code  string
		bic   string
	}{
		"a payment": {c.transfer(t), "AC04", "BBBBFRPPXXX"}, "a return": {back, "AC04", "AAAADEFFXXX"},
		"no BIC": {stranger, "AC04", ""}, "an acceptance": {c.transfer(t), "", ""},
	} {
		report, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: c.scheme, About: test.about, Code: test.code, Reference: "M", StatusID: "S", At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		if findings := codec.Validate(report); len(findings) > 0 {
			t.Errorf("%s: %+v", name, findings)
		}
		status, said := report.TransactionInformationAndStatus[0], ""
		for _, reason := range status.StatusReasonInformation {
			if reason.Originator != nil {
				said = reason.Originator.ID.OrganisationID.AnyBIC
			}
		}
		if said != test.bic || (status.OriginalTransactionReference != nil) != (test.code != "") {
			t.Errorf("%s: refused by %q, want %q; the payment is repeated: %v", name, said, test.bic, status.OriginalTransactionReference != nil)
		}
	}
}
