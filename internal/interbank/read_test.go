package interbank_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// name is how a chain writes a message definition.
func (c chain) name(full iso20022.MessageName) string {
	if c.scheme == rulebook.SchemeSCT {
		return string(full[:8])
	}
	return string(full)
}

// wantOriginal compares what a document says of the payment of the chain.
func (c chain) wantOriginal(t *testing.T, got interbank.Original, withAmount bool) {
	t.Helper()
	want := interbank.Original{
		MessageID: c.letter + "PACS8-20260302-0001", MessageName: c.name(iso20022.Pacs008V08), InstructionID: c.letter + "TX20260302000001",
		EndToEndID: c.letter + "-E2E-0001", TransactionID: c.letter + "TX20260302000001",
	}
	want.UETR = map[rulebook.Scheme]string{rulebook.SchemeSIC: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10"}[c.scheme]
	if withAmount {
		want.Amount, want.Day = c.paid(t), paidDay
		to := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH4821966000009613388", rulebook.SchemeSCT: "FR1420041010050500013M02606"}
		want.Copy = interbank.OriginalCopy{DebtorAccount: c.from.IBAN, CreditorAccount: to[c.scheme]}
	}
	if got != want {
		t.Errorf("%s: original\n got %+v\nwant %+v", c.scheme, got, want)
	}
}

func (c chain) paid(t *testing.T) money.Amount {
	if c.scheme == rulebook.SchemeSCT {
		return minor(t, money.EUR, 125040)
	}
	return minor(t, money.CHF, 19995)
}

func TestReadStatus(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		for status, want := range map[string]interbank.Outcome{
			"ACCP": interbank.OutcomePositive, "ACSC": interbank.OutcomePositive, "RJCT": interbank.OutcomeNegative,
		} {
			read, err := interbank.ReadStatus(sample[*iso20022.FIToFIPaymentStatusReport](t, c.scheme, "04_pacs.002.001.10_"+status))
			if err != nil {
				t.Fatal(err)
			}
			if c.scheme == rulebook.SchemeSCT && status == "RJCT" { // which repeats the payment
				want := interbank.OriginalCopy{
					Amount: c.paid(t), Day: paidDay, DebtorAccount: c.from.IBAN, CreditorAccount: "FR1420041010050500013M02606",
				}
				if read.Original.Copy != want {
					t.Errorf("it repeats %+v, want %+v", read.Original.Copy, want)
				}
				read.Original.Copy = interbank.OriginalCopy{}
			}
			c.wantOriginal(t, read.Original, false)
			if read.Status != status || read.Outcome != want || read.MessageID != c.letter+"PACS2-20260302-"+status ||
				!read.AcceptedAt.Equal(accepted) {
				t.Errorf("%s %s: %+v", c.scheme, status, read)
			}
			if (read.Reason.Code == "AB05") != (status == "RJCT") || (read.Reason.Text != "") != (status == "RJCT") {
				t.Errorf("%s %s: why %+v", c.scheme, status, read.Reason)
			}
		}
	}
}

func TestOutcomesAreReadByTable(t *testing.T) {
	t.Parallel()
	want := map[string]interbank.Outcome{
		"ACCP": interbank.OutcomePositive,
		"ACSP": interbank.OutcomeNone,
		"BLCK": interbank.OutcomeNone,
		"CANC": interbank.OutcomeNegative,
		"ACSC": interbank.OutcomePositive,
		"ACCC": interbank.OutcomePositive,
		"ACWP": interbank.OutcomePositive,
		"RJCT": interbank.OutcomeNegative,
		"ACTC": interbank.OutcomeNone,
		"ACFC": interbank.OutcomeNone,
		"PDNG": interbank.OutcomeNone,
		"RCVD": interbank.OutcomeNone,
		"":     interbank.OutcomeNone,
	}
	for status, outcome := range want {
		if got := interbank.OutcomeOf(status); got != outcome {
			t.Errorf("%s means %d, want %d", status, got, outcome)
		}
	}
}

func TestAStatusAboutTheWholeMessage(t *testing.T) {
	t.Parallel()
	report := sample[*iso20022.FIToFIPaymentStatusReport](t, rulebook.SchemeSCT, "04_pacs.002.001.10_RJCT")
	report.OriginalGroupInformationAndStatus[0].GroupStatus = "RJCT"
	report.OriginalGroupInformationAndStatus[0].StatusReasonInformation = []iso20022.StatusReasonInformation12{{
		Reason: &iso20022.StatusReason6Choice{Code: "FF01"}, AdditionalInformation: []string{"line 7"},
	}}
	report.TransactionInformationAndStatus = nil
	read, err := interbank.ReadStatus(report)
	if err != nil || read.Outcome != interbank.OutcomeNegative || read.Reason.Code != "FF01" ||
		!slices.Equal(read.Reason.Information, []string{"line 7"}) ||
		read.Original.MessageID != "EPACS8-20260302-0001" ||
		read.Original.TransactionID != "" {
		t.Errorf("%+v, %v", read, err)
	}
	report.OriginalGroupInformationAndStatus[0].StatusReasonInformation = nil
	read, err = interbank.ReadStatus(report)
	if err != nil || read.Reason.Code != "MS03" || read.Reason.Text != "Clearing gave no reason." {
		t.Errorf("a refusal without a reason: %+v, %v", read.Reason, err)
	}
}

func TestReadReturn(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		for _, reason := range []string{"FOCR", "AC04"} {
			read, err := interbank.ReadReturn(sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_"+reason))
			if err != nil {
				t.Fatal(err)
			}
			c.wantOriginal(t, read.Original, true)
			if read.Amount != c.paid(t) || !read.Charge.IsZero() || !read.Day.Equal(answerDay) || read.ReturnID != c.letter+"RTR-"+reason+"-0001" ||
				read.Reason.Code != reason || read.Reason.Originator != c.creditorBank || read.AnswersRecall() != (reason == "FOCR") {
				t.Errorf("%s: %+v", c.scheme, read)
			}
		}
	}
}

func TestReadRecallAndRefusal(t *testing.T) {
	t.Parallel()
	for _, c := range chains() {
		recall, err := interbank.ReadCancellation(c.recall(t, "FRAD"))
		if err != nil {
			t.Fatal(err)
		}
		c.wantOriginal(t, recall.Original, true)
		if recall.MessageID != c.letter+"CAMT56-20260303-0001" || recall.CancellationID != c.letter+"CXL-0001" || recall.Reason.Code != "FRAD" ||
			recall.Reason.Originator != c.debtorBank || !slices.Equal(recall.Reason.Information, []string{"Reported to police, case 2026-77"}) {
			t.Errorf("%s: %+v", c.scheme, recall)
		}
		refusal, err := interbank.ReadResolution(sample[*iso20022.ResolutionOfInvestigation](t, c.scheme, "08_camt.029.001.09_CUST"))
		if err != nil {
			t.Fatal(err)
		}
		c.wantOriginal(t, refusal.Original, true)
		if !refusal.Refused || refusal.Status != "RJCR" || refusal.Reason.Code != "CUST" || refusal.StatusID != c.letter+"CXLSTS-0001" {
			t.Errorf("%s: %+v", c.scheme, refusal)
		}
		question, err := interbank.ReadStatusRequest(sample[*iso20022.FIToFIPaymentStatusRequest](t, c.scheme, "05_pacs.028.001.03"))
		if err != nil {
			t.Fatal(err)
		}
		asked := question.Original
		asked.AcceptedAt = time.Time{}
		c.wantOriginal(t, asked, false)
		if question.AboutRecall() || !question.Original.AcceptedAt.Equal(accepted) {
			t.Errorf("%s: %+v", c.scheme, question)
		}
		receipt, err := interbank.ReadReceipt(sample[*iso20022.Receipt](t, c.scheme, "07_camt.025.001.05_ACCP"))
		if err != nil || receipt.Outcome != interbank.OutcomePositive || receipt.OriginalID != c.letter+"CAMT56-20260303-0001" ||
			!interbank.SameMessage(receipt.OriginalName, iso20022.Camt056V08) {
			t.Errorf("%s: %+v, %v", c.scheme, receipt, err)
		}
	}
}

func TestADocumentAboutSeveralTransactionsSaysSo(t *testing.T) {
	t.Parallel()
	c := chains()[0]
	paid := c.transfer(t)
	paid.CreditTransferTransactionInformation = append(paid.CreditTransferTransactionInformation, paid.CreditTransferTransactionInformation[0])
	status := sample[*iso20022.FIToFIPaymentStatusReport](t, c.scheme, "04_pacs.002.001.10_ACCP")
	status.TransactionInformationAndStatus = append(status.TransactionInformationAndStatus, status.TransactionInformationAndStatus[0])
	back := sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_FOCR")
	back.TransactionInformation = append(back.TransactionInformation, back.TransactionInformation[0])
	recall := c.recall(t, "DUPL")
	recall.Underlying[0].TransactionInformation = append(
		recall.Underlying[0].TransactionInformation, recall.Underlying[0].TransactionInformation[0],
	)
	refusal := sample[*iso20022.ResolutionOfInvestigation](t, c.scheme, "08_camt.029.001.09_CUST")
	refusal.CancellationDetails = append(refusal.CancellationDetails, refusal.CancellationDetails[0])
	receipt := sample[*iso20022.Receipt](t, c.scheme, "07_camt.025.001.05_ACCP")
	receipt.ReceiptDetails = append(receipt.ReceiptDetails, receipt.ReceiptDetails[0])
	question := sample[*iso20022.FIToFIPaymentStatusRequest](t, c.scheme, "05_pacs.028.001.03")
	question.TransactionInformation = append(question.TransactionInformation, question.TransactionInformation[0])

	read := map[string]func() error{
		"pacs.008": func() error { _, err := interbank.ReadTransfer(paid); return err },
		"pacs.002": func() error { _, err := interbank.ReadStatus(status); return err },
		"pacs.004": func() error { _, err := interbank.ReadReturn(back); return err },
		"camt.056": func() error { _, err := interbank.ReadCancellation(recall); return err },
		"camt.029": func() error { _, err := interbank.ReadResolution(refusal); return err },
		"camt.025": func() error { _, err := interbank.ReadReceipt(receipt); return err },
		"pacs.028": func() error { _, err := interbank.ReadStatusRequest(question); return err },
		"nothing":  func() error { _, err := interbank.ReadTransfer(nil); return err },
	}
	for name, call := range read {
		if err := call(); !errors.Is(err, interbank.ErrTransactions) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamesOfMessages(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"pacs.008": true, "pacs.008.001.08": true, "pacs.008.001.08.ch.02": true, "pacs.008.001.02": true,
		"pacs.0080": false, "pacs.004.001.09": false, "": false,
	} {
		if got := interbank.SameMessage(name, iso20022.Pacs008V08); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
