package interbank_test

import (
	"errors"
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
)

// TestWhichBankIsTheSender: two branches are two banks, a branch and its head office are one, and an unknown bank is none.
func TestWhichBankIsTheSender(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"BBBBFRPPXXX", "BBBBFRPPXXX", true},
		{"BBBBFRPPXXX", "BBBBFRPP123", true},
		{"BBBBFRPP123", "BBBBFRPPXXX", true},
		{"BBBBFRPP123", "BBBBFRPP456", false},
		{"BBBBFRPPXXX", "AAAADEFFXXX", false},
		{"CHBCC 80005", "CHBCC 80005", true},
		{"CHBCC 80005", "BBBBFRPPXXX", false},
		{"", "", false},
	} {
		if got := interbank.SameSender(c.one, c.other); got != c.same {
			t.Errorf("%q and %q: %v", c.one, c.other, got)
		}
	}
}

// TestTheClearingIsNoSender: a document that the clearing passes on comes from the bank behind it.
func TestTheClearingIsNoSender(t *testing.T) {
	t.Parallel()
	named := func(bic string) *iso20022.BranchAndFinancialInstitutionIdentification6 {
		return &iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
		}
	}
	for _, c := range chains() {
		transfer := c.transfer(t)
		payment := &transfer.CreditTransferTransactionInformation[0]
		payment.InstructingAgent, transfer.GroupHeader.InstructingAgent = nil, named("SICVCHZZ")
		payment.DebtorAgent = *named(c.debtorBank)
		for clearing, want := range map[string]string{"SICVCHZZXXX": c.debtorBank, "sicvchzz": c.debtorBank, "": "SICVCHZZXXX"} {
			if got := interbank.Sender(transfer, clearing); got != want {
				t.Errorf("%s behind the clearing %q: %q, want %q", c.scheme, clearing, got, want)
			}
		}
	}
}

// TestARefusalRepeatsNothingElse: an answer that nobody approved refuses the document it answers, goes back to its sender, and holds
// nothing of its own but the reason.
func TestARefusalRepeatsNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		for name, change := range map[string]func(*iso20022.ResolutionOfInvestigation){
			"": func(*iso20022.ResolutionOfInvestigation) {},
			"to another bank": func(r *iso20022.ResolutionOfInvestigation) {
				r.Assignment.Assignee.Agent = &iso20022.BranchAndFinancialInstitutionIdentification6{}
			},
			"about another payment": func(r *iso20022.ResolutionOfInvestigation) {
				r.CancellationDetails[0].TransactionInformationAndStatus[0].OriginalTransactionID = "OTHER"
			},
			"with another copy": func(r *iso20022.ResolutionOfInvestigation) {
				r.CancellationDetails[0].TransactionInformationAndStatus[0].OriginalTransactionReference = nil
			},
			"with another amount": func(r *iso20022.ResolutionOfInvestigation) {
				other := amount("CHF", "1.00")
				r.CancellationDetails[0].TransactionInformationAndStatus[0].OriginalInterbankSettlementAmount = &other
			},
			"that grants it": func(r *iso20022.ResolutionOfInvestigation) { r.Status.Confirmation = "CNCL" },
			"pending for the payment": func(r *iso20022.ResolutionOfInvestigation) {
				r.CancellationDetails[0].TransactionInformationAndStatus[0].TransactionCancellationStatus = "PDCR"
			},
		} {
			recall := c.recall(t, "DUPL")
			refusal := c.incoming(t).refusal
			refusal.Assignment.Assignee = recall.Assignment.Assigner
			refusal.CancellationDetails[0].TransactionInformationAndStatus[0].OriginalTransactionReference = recall.Underlying[0].TransactionInformation[0].OriginalTransactionReference
			change(refusal)
			if err := interbank.OnlyRefuses(recall, refusal); (err == nil) != (name == "") {
				t.Errorf("%s, a refusal %q of a recall: %v", c.scheme, name, err)
			}
		}
		question := c.incoming(t).question
		for name, change := range map[string]func(*iso20022.PaymentTransaction110){
			"":                      func(*iso20022.PaymentTransaction110) {},
			"that accepts":          func(s *iso20022.PaymentTransaction110) { s.TransactionStatus = "ACCP" },
			"about another payment": func(s *iso20022.PaymentTransaction110) { s.OriginalTransactionID = "OTHER" },
			"with another id":       func(s *iso20022.PaymentTransaction110) { s.OriginalEndToEndID = "OTHER" },
			"with a copy": func(s *iso20022.PaymentTransaction110) {
				s.OriginalTransactionReference = &iso20022.OriginalTransactionReference28{}
			},
		} {
			refusal, err := interbank.UnknownStatus(interbank.StatusReportInput{
				Scheme: c.scheme, About: question, Code: "AM09", Reference: "R", StatusID: "S", At: accepted,
			})
			if err != nil {
				t.Fatal(err)
			}
			status := &refusal.TransactionInformationAndStatus[0]
			change(status)
			if name == "that accepts" {
				status.StatusReasonInformation = nil
			}
			if err := interbank.OnlyRefuses(question, refusal); (err == nil) != (name == "") {
				t.Errorf("%s, a refusal %q of a question: %v", c.scheme, name, err)
			}
		}
		if err := interbank.OnlyRefuses(c.transfer(t), c.incoming(t).refusal); !errors.Is(err, interbank.ErrNoRefusal) {
			t.Errorf("%s, a refusal of a payment: %v", c.scheme, err)
		}
	}
}
