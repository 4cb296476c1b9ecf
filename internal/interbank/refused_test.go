package interbank_test

import (
	"errors"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// incoming is one of each document that is read, to change.
type incoming struct {
	transfer *iso20022.FIToFICustomerCreditTransfer
	status   *iso20022.FIToFIPaymentStatusReport
	back     *iso20022.PaymentReturn
	recall   *iso20022.FIToFIPaymentCancellationRequest
	refusal  *iso20022.ResolutionOfInvestigation
	receipt  *iso20022.Receipt
	question *iso20022.FIToFIPaymentStatusRequest
}

func (c chain) incoming(t *testing.T) incoming {
	return incoming{
		c.transfer(t), sample[*iso20022.FIToFIPaymentStatusReport](t, c.scheme, "04_pacs.002.001.10_RJCT"),
		sample[*iso20022.PaymentReturn](t, c.scheme, "09_pacs.004.001.09_FOCR"), c.recall(t, "DUPL"),
		sample[*iso20022.ResolutionOfInvestigation](t, c.scheme, "08_camt.029.001.09_CUST"),
		sample[*iso20022.Receipt](t, c.scheme, "07_camt.025.001.05_ACCP"),
		sample[*iso20022.FIToFIPaymentStatusRequest](t, c.scheme, "05_pacs.028.001.03"),
	}
}

func (in incoming) payment() *iso20022.CreditTransferTransaction39 {
	return &in.transfer.CreditTransferTransactionInformation[0]
}

func (in incoming) reported() *iso20022.PaymentTransaction110 {
	return &in.status.TransactionInformationAndStatus[0]
}

func (in incoming) returned() *iso20022.PaymentTransaction112 {
	return &in.back.TransactionInformation[0]
}

func (in incoming) recalled() *iso20022.PaymentTransaction106 {
	return &in.recall.Underlying[0].TransactionInformation[0]
}

func (in incoming) refused() *iso20022.PaymentTransaction102 {
	return &in.refusal.CancellationDetails[0].TransactionInformationAndStatus[0]
}

func (in incoming) asked() *iso20022.PaymentTransaction113 {
	return &in.question.TransactionInformation[0]
}

// read reads the document whose name begins so.
func (in incoming) read(name string) error {
	var err error
	switch name {
	case "transfer":
		_, err = interbank.ReadTransfer(in.transfer)
	case "status":
		_, err = interbank.ReadStatus(in.status)
	case "return":
		_, err = interbank.ReadReturn(in.back)
	case "recall":
		_, err = interbank.ReadCancellation(in.recall)
	case "refusal":
		_, err = interbank.ReadResolution(in.refusal)
	case "receipt":
		_, err = interbank.ReadReceipt(in.receipt)
	case "question":
		_, err = interbank.ReadStatusRequest(in.question)
	}
	return err
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	wrong := iso20022.Amount{Currency: "CHF", Value: decimal.MustParse("1.005")}
	group := &iso20022.OriginalGroupInformation29{OriginalMessageID: "other", OriginalMessageNameID: "pacs.008.001.08"}
	var mismatch *interbank.MismatchError
	some := func(err error) bool { return err != nil }
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	differs := func(err error) bool { return errors.As(err, &mismatch) }
	for _, c := range []struct {
		document, what string
		change         func(incoming)
		want           func(error) bool
	}{
		{"transfer", "no TxId", func(in incoming) { in.payment().PaymentID.TransactionID = "" }, is(interbank.ErrIncomplete)},
		{"transfer", "amount", func(in incoming) { in.payment().InterbankSettlementAmount = wrong }, some},
		{"transfer", "day", func(in incoming) { in.payment().InterbankSettlementDate = "2026-02-30" }, some},
		{"transfer", "first day", func(in incoming) { in.payment().InterbankSettlementDate = "0001-01-01" }, some},
		{"transfer", "acceptance", func(in incoming) { in.payment().AcceptanceDateTime = "yesterday" }, some},
		{"transfer", "first moment", func(in incoming) { in.payment().AcceptanceDateTime = "0001-01-01T00:00:00Z" }, some},
		{"status", "no status", func(in incoming) { in.reported().TransactionStatus = "" }, is(interbank.ErrIncomplete)},
		{"status", "no original", func(in incoming) {
			in.reported().OriginalTransactionID, in.status.OriginalGroupInformationAndStatus = "", nil
		}, is(interbank.ErrIncomplete)},
		{"status", "two groups", func(in incoming) {
			in.status.OriginalGroupInformationAndStatus = append(in.status.OriginalGroupInformationAndStatus, iso20022.OriginalGroupHeader17{})
		}, is(interbank.ErrTransactions)},
		{"status", "acceptance", func(in incoming) { in.reported().AcceptanceDateTime = "yesterday" }, some},
		{"status", "copied amount", func(in incoming) {
			in.reported().OriginalTransactionReference = &iso20022.OriginalTransactionReference28{InterbankSettlementAmount: &wrong}
		}, some},
		{"status", "copied day", func(in incoming) {
			in.reported().OriginalTransactionReference = &iso20022.OriginalTransactionReference28{InterbankSettlementDate: "2026-02-30"}
		}, some},
		{"return", "no OrgnlTxId", func(in incoming) { in.returned().OriginalTransactionID = "" }, is(interbank.ErrIncomplete)},
		{"return", "none", func(in incoming) { in.back.TransactionInformation = nil }, is(interbank.ErrTransactions)},
		{"return", "amount", func(in incoming) { in.returned().ReturnedInterbankSettlementAmount = wrong }, some},
		{"return", "original amount", func(in incoming) { in.returned().OriginalInterbankSettlementAmount = &wrong }, some},
		{"return", "original day", func(in incoming) { in.returned().OriginalInterbankSettlementDate = "2026-02-30" }, some},
		{"return", "total", func(in incoming) { in.back.GroupHeader.TotalReturnedInterbankSettlementAmount = &wrong }, some},
		{"return", "charge", func(in incoming) { in.returned().ChargesInformation = []iso20022.Charges7{{Amount: wrong}} }, some},
		{"return", "charges in two currencies", func(in incoming) {
			in.returned().ChargesInformation = []iso20022.Charges7{{Amount: amount("CHF", "1.00")}, {Amount: amount("EUR", "1.00")}}
		}, is(money.ErrMismatch)},
		{"return", "day", func(in incoming) { in.back.GroupHeader.InterbankSettlementDate = "2026-02-30" }, some},
		{"return", "two messages", func(in incoming) {
			in.back.OriginalGroupInformation = &iso20022.OriginalGroupHeader18{OriginalMessageID: "other", OriginalMessageNameID: "pacs.008"}
		}, differs},
		{"recall", "no OrgnlTxId", func(in incoming) { in.recalled().OriginalTransactionID = "" }, is(interbank.ErrIncomplete)},
		{"recall", "amount", func(in incoming) { in.recalled().OriginalInterbankSettlementAmount = &wrong }, some},
		{"recall", "day", func(in incoming) { in.recalled().OriginalInterbankSettlementDate = "2026-02-30" }, some},
		{"recall", "none", func(in incoming) { in.recall.Underlying = nil }, is(interbank.ErrTransactions)},
		{"refusal", "no OrgnlTxId", func(in incoming) { in.refused().OriginalTransactionID = "" }, is(interbank.ErrIncomplete)},
		{"refusal", "amount", func(in incoming) { in.refused().OriginalInterbankSettlementAmount = &wrong }, some},
		{"refusal", "none", func(in incoming) { in.refusal.CancellationDetails[0].TransactionInformationAndStatus = nil }, is(interbank.ErrTransactions)},
		{"receipt", "no status", func(in incoming) { in.receipt.ReceiptDetails[0].RequestHandling = nil }, is(interbank.ErrIncomplete)},
		{"receipt", "two statuses", func(in incoming) {
			in.receipt.ReceiptDetails[0].RequestHandling = append(in.receipt.ReceiptDetails[0].RequestHandling, iso20022.RequestHandling1{})
		}, is(interbank.ErrTransactions)},
		{"question", "no original", func(in incoming) {
			in.question.OriginalGroupInformation, in.asked().OriginalTransactionID = nil, ""
		}, is(interbank.ErrIncomplete)},
		{"question", "two groups", func(in incoming) {
			in.question.OriginalGroupInformation = append(in.question.OriginalGroupInformation, iso20022.OriginalGroupInformation27{})
		}, is(interbank.ErrTransactions)},
		{"question", "acceptance", func(in incoming) { in.asked().AcceptanceDateTime = "yesterday" }, some},
		{"question", "two messages", func(in incoming) { in.asked().OriginalGroupInformation = group }, differs},
	} {
		in := chains()[0].incoming(t)
		if err := in.read(c.document); err != nil {
			t.Fatalf("%s: %v", c.document, err)
		}
		c.change(in)
		if err := in.read(c.document); !c.want(err) {
			t.Errorf("%s, %s: %v", c.document, c.what, err)
		}
	}
}

// What may stand in two places is read from the one nearer to the transaction; what may be left out is read as nothing.
func TestWhatIsReadFromTwoPlaces(t *testing.T) {
	t.Parallel()
	in := chains()[0].incoming(t)
	near := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
	in.payment().InterbankSettlementDate, in.payment().AcceptanceDateTime = "2026-04-01+02:00", ""
	in.payment().Purpose = &iso20022.Purpose2Choice{Proprietary: "GIFT"}
	in.payment().UltimateDebtor = &iso20022.PartyIdentification135{Name: "Anna"}
	in.payment().CreditorAgent = iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
			Other: &iso20022.GenericFinancialIdentification1{ID: "B7"}, Name: "Bank",
		},
	}
	transfer, err := interbank.ReadTransfer(in.transfer)
	if err != nil || !transfer.Day.Equal(near) || !transfer.AcceptedAt.IsZero() || transfer.Purpose != "GIFT" ||
		transfer.UltimateDebtor != "Anna" || transfer.UltimateCreditor != "" || transfer.Creditor.Agent != "B7" || transfer.Debtor.Agent != "80005" ||
		transfer.Reference != "RF18539007547034" || transfer.Remittance != "" || transfer.Debtor.IBAN != "CH7280005000088877766" ||
		transfer.Creditor.Name != "Peter Haller" || transfer.MessageID != "SPACS8-20260302-0001" || transfer.Amount != minor(t, money.CHF, 19995) {
		t.Errorf("%+v %v", transfer, err)
	}
	in.returned().InterbankSettlementDate = "2026-04-01"
	in.returned().ChargesInformation = []iso20022.Charges7{
		{Amount: amount("EUR", "0.00")}, {Amount: amount("CHF", "1.00")}, {Amount: amount("CHF", "2.00")},
	}
	in.returned().OriginalGroupInformation = nil
	in.back.OriginalGroupInformation = &iso20022.OriginalGroupHeader18{OriginalMessageID: "G", OriginalMessageNameID: "pacs.008"}
	back, err := interbank.ReadReturn(in.back)
	if err != nil || !back.Day.Equal(near) || back.Charge != minor(t, money.CHF, 300) || back.Original.MessageID != "G" || back.Count != "1" ||
		back.Total != minor(t, money.CHF, 19995) || back.MessageID != "SPACS4-20260310-FOCR" {
		t.Errorf("%+v %v", back, err)
	}
	for status, refused := range map[string]bool{"RJCR": true, "PDCR": false, "CNCL": false} {
		in.refused().TransactionCancellationStatus, in.refusal.Status.Confirmation = status, "RJCR"
		if read, err := interbank.ReadResolution(in.refusal); err != nil || read.Refused != refused || read.Status != status {
			t.Errorf("%s: %+v %v", status, read, err)
		}
		in.refused().TransactionCancellationStatus, in.refusal.Status.Confirmation = "", status
		if read, err := interbank.ReadResolution(in.refusal); err != nil || read.Refused != refused {
			t.Errorf("%s of the message: %+v %v", status, read, err)
		}
	}
	in.recalled().CancellationReasonInformation = nil
	if recall, err := interbank.ReadCancellation(in.recall); err != nil || recall.Reason.Code != "NARR" {
		t.Errorf("a recall without a reason: %+v %v", recall.Reason, err)
	}
}

// An answer is held against the ids, the amount and the day of the document that it answers.
func TestWhatAnswersRepeat(t *testing.T) {
	t.Parallel()
	c := chains()[0]
	in := c.incoming(t)
	in.returned().ReturnedInterbankSettlementAmount = amount("CHF", "150.00")
	in.returned().OriginalTransactionReference.InterbankSettlementDate = "2026-03-02"
	for name, test := range map[string]struct {
		document iso20022.Document
		message  string
		amount   int64
		day      time.Time
	}{
		"payment": {in.transfer, "SPACS8-20260302-0001", 19995, paidDay},
		"return":  {in.back, "SPACS4-20260310-FOCR", 15000, answerDay},
		"recall":  {in.recall, "SPACS8-20260302-0001", 19995, paidDay},
	} {
		got, err := interbank.OriginalOf(test.document)
		if err != nil || got.MessageID != test.message || got.Amount != minor(t, money.CHF, test.amount) || !got.Day.Equal(test.day) ||
			got.InstructionID != "STX20260302000001" || got.TransactionID != "STX20260302000001" || got.EndToEndID != "S-E2E-0001" ||
			got.UETR != "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10" || got.Copy.CreditorAccount != "CH4821966000009613388" {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if _, err := interbank.OriginalOf(in.receipt); !errors.Is(err, interbank.ErrKind) {
		t.Errorf("a receipt: %v", err)
	}
}

func TestEveryDocumentNeedsASchemeAndOnePayment(t *testing.T) {
	t.Parallel()
	in := chains()[0].incoming(t)
	makers := map[string]func(rulebook.Scheme, bool) error{
		"status": func(s rulebook.Scheme, none bool) error {
			about := iso20022.Document(in.transfer)
			if none {
				about = &iso20022.PaymentReturn{}
			}
			_, err := interbank.StatusReport(interbank.StatusReportInput{Scheme: s, About: about})
			return err
		},
		"question": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.StatusRequest(interbank.StatusRequestInput{Scheme: s, About: pick(in.transfer, none)})
			return err
		},
		"question about a return": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.StatusRequest(interbank.StatusRequestInput{Scheme: s, About: pick(in.back, none)})
			return err
		},
		"question about a recall": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.StatusRequest(interbank.StatusRequestInput{Scheme: s, About: pick(in.recall, none)})
			return err
		},
		"recall": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.CancellationRequest(interbank.RTransactionInput{Scheme: s, Original: pick(in.transfer, none)})
			return err
		},
		"return": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.Return(interbank.RTransactionInput{Scheme: s, Original: pick(in.transfer, none)})
			return err
		},
		"resolution": func(s rulebook.Scheme, none bool) error {
			_, err := interbank.Resolution(interbank.RTransactionInput{Scheme: s, Recall: pick(in.recall, none)})
			return err
		},
	}
	for name, maker := range makers {
		if err := maker("sepa", false); !errors.Is(err, interbank.ErrScheme) {
			t.Errorf("%s without a scheme: %v", name, err)
		}
		if err := maker(rulebook.SchemeSIC, true); !errors.Is(err, interbank.ErrTransactions) {
			t.Errorf("%s about nothing: %v", name, err)
		}
	}
	_, group := interbank.GroupRejection(interbank.StatusReportInput{Scheme: "sepa", About: in.transfer})
	_, receipt := interbank.Receipt(interbank.ReceiptInput{Scheme: "sepa", About: in.recall})
	if !errors.Is(group, interbank.ErrScheme) || !errors.Is(receipt, interbank.ErrScheme) {
		t.Errorf("a group rejection and a receipt without a scheme: %v, %v", group, receipt)
	}
}

func pick[D any](document *D, none bool) *D {
	if none {
		return nil
	}
	return document
}
