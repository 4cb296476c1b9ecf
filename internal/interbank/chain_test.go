package interbank_test

import (
	"testing"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// TestTheConstructedChains makes every document of the two chains from the ones before it.
func TestTheConstructedChains(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		t.Run(string(c.scheme), func(t *testing.T) {
			t.Parallel()
			c.payment(t)
			c.question(t)
			c.reports(t)
			c.recalls(t)
			c.receipt(t)
			c.resolutions(t)
			c.returns(t)
		})
	}
}

func (c chain) order(t testing.TB) *iso20022.CustomerCreditTransferInitiation {
	return sample[*iso20022.CustomerCreditTransferInitiation](t, c.scheme, "01_pain.001.001.09")
}

func (c chain) transfer(t testing.TB) *iso20022.FIToFICustomerCreditTransfer {
	return sample[*iso20022.FIToFICustomerCreditTransfer](t, c.scheme, "03_pacs.008.001.08")
}

func (c chain) recall(t testing.TB, reason string) *iso20022.FIToFIPaymentCancellationRequest {
	return sample[*iso20022.FIToFIPaymentCancellationRequest](t, c.scheme, "06_camt.056.001.08_"+reason)
}

func (c chain) input(t testing.TB) interbank.CreditTransferInput {
	return interbank.CreditTransferInput{
		Scheme: c.scheme, Order: c.order(t), From: c.from, TransactionID: c.letter + "TX20260302000001",
		Reference: c.letter + "PACS8-20260302-0001", AcceptedAt: accepted, Day: paidDay,
	}
}

func (c chain) payment(t *testing.T) {
	made, err := interbank.CreditTransfer(c.input(t))
	if err != nil {
		t.Fatal(err)
	}
	wantDocument(t, made, c.transfer(t))
	if findings := interbank.Check(c.scheme, c.order(t)); len(findings) > 0 {
		t.Errorf("the order of the chain: %+v", findings)
	}
}

func (c chain) question(t *testing.T) {
	made, err := interbank.StatusRequest(interbank.StatusRequestInput{
		Scheme: c.scheme, About: c.transfer(t), Reference: c.letter + "PACS28-20260302-0001", RequestID: c.letter + "SRQ-0001", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantDocument(t, made, sample[*iso20022.FIToFIPaymentStatusRequest](t, c.scheme, "05_pacs.028.001.03"))
}

func (c chain) reports(t *testing.T) {
	for status, code := range map[string]string{"ACCP": "", "RJCT": "AB05"} {
		made, err := interbank.StatusReport(interbank.StatusReportInput{
			Scheme: c.scheme, About: c.transfer(t), Code: code, At: accepted,
			Reference: c.letter + "PACS2-20260302-" + status, StatusID: c.letter + "STS-" + status,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantDocument(t, made, sample[*iso20022.FIToFIPaymentStatusReport](t, c.scheme, "04_pacs.002.001.10_"+status))
	}
}

func (c chain) recalls(t *testing.T) {
	for reason, information := range map[string][]string{"DUPL": nil, "FRAD": {"Reported to police, case 2026-77"}, "CUST": nil} {
		made, err := interbank.CancellationRequest(interbank.RTransactionInput{
			Request: rulebook.Request{
				Reason: reason, Information: information,
			},
			Scheme: c.scheme, Original: c.transfer(t), Bank: c.debtorBank, MessageID: c.letter + "CAMT56-20260303-0001", ID: c.letter + "CXL-0001",
			At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantDocument(t, made, c.recall(t, reason))
	}
}

func (c chain) receipt(t *testing.T) {
	made, err := interbank.Receipt(interbank.ReceiptInput{
		Scheme: c.scheme, About: c.recall(t, "DUPL"), Reference: c.letter + "CAMT25-20260303-0001", At: accepted,
	})
	if err != nil {
		t.Fatal(err)
	}
	wantDocument(t, made, sample[*iso20022.Receipt](t, c.scheme, "07_camt.025.001.05_ACCP"))
}

func (c chain) resolutions(t *testing.T) {
	for reason, information := range map[string][]string{"CUST": nil, "NOAS": nil, "LEGL": {"Court order 12-2026"}} {
		made, err := interbank.Resolution(interbank.RTransactionInput{
			Request: rulebook.Request{
				Reason: reason, Information: information,
			},
			Scheme: c.scheme, Recall: c.recall(t, "DUPL"), Bank: c.creditorBank, MessageID: c.letter + "CAMT29-20260310-0001",
			ID: c.letter + "CXLSTS-0001", At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		wantDocument(t, made, sample[*iso20022.ResolutionOfInvestigation](t, c.scheme, "08_camt.029.001.09_"+reason))
	}
}

func (c chain) returns(t *testing.T) {
	for _, reason := range []string{"FOCR", "AC04"} {
		asked := interbank.RTransactionInput{
			Request: rulebook.Request{
				Reason: reason,
			},
			Scheme: c.scheme, Original: c.transfer(t), Bank: c.creditorBank, At: accepted, Day: answerDay,
			MessageID: c.letter + "PACS4-20260310-" + reason, ID: c.letter + "RTR-" + reason + "-0001",
		}
		if reason == rulebook.ReturnAfterRecall {
			asked.Recall = c.recall(t, "DUPL")
		}
		made, err := interbank.Return(asked)
		if err != nil {
			t.Fatal(err)
		}
		wantDocument(t, made, sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_"+reason))
	}
}

// The scheme of a recall by a customer shows in the answer; the schemes' own banks are found where nobody names them.
func TestAnswersCiteWhoAsked(t *testing.T) {
	t.Parallel()
	c := chains()[1]
	cases := []struct {
		recall, reason string
		information    []string
		want           []string
	}{
		{"DUPL", "CUST", nil, []string{"ATR053/ECXL-0001"}},
		{"CUST", "CUST", nil, []string{"ATR072/ECXL-0001"}},
		{"CUST", "LEGL", []string{"Court order", "Zürich"}, []string{"ATR072/ECXL-0001", "ATR057/Court order", "ATR057/Zuerich"}},
		{"FRAD", "NOAS", []string{"Account emptied"}, []string{"ATR053/ECXL-0001", "FRAD/Account emptied"}},
	}
	for _, test := range cases {
		asked := rulebook.RTransactionCase{
			Request: rulebook.Request{Reason: test.reason, Information: test.information}, Scheme: c.scheme, RecallReason: test.recall,
		}
		if findings := rulebook.CheckResolution(asked); len(findings) > 0 {
			t.Errorf("%s after %s: %+v", test.reason, test.recall, findings)
		}
		made, err := interbank.Resolution(interbank.RTransactionInput{
			Request: rulebook.Request{
				Reason: test.reason, Information: test.information,
			},
			Scheme: c.scheme, Recall: c.recall(t, test.recall), MessageID: "A", ID: "S", At: accepted,
		})
		if err != nil {
			t.Fatal(err)
		}
		text(t, made)
		got := made.CancellationDetails[0].TransactionInformationAndStatus[0].CancellationStatusReasonInformation[0].AdditionalInformation
		if len(got) != len(test.want) {
			t.Fatalf("%s after %s: lines %q, want %q", test.reason, test.recall, got, test.want)
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s after %s: line %q, want %q", test.reason, test.recall, got[i], test.want[i])
			}
		}
	}
}
