package simulator_test

import (
	"testing"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// payment is a pacs.008 of the gateway.
func payment(t *testing.T, scheme, transactionID, amount string) delivery {
	t.Helper()
	document := paymentDocument(t, scheme, transactionID, amount)
	return delivery{scheme: scheme, messageID: document.GroupHeader.MessageID, xml: encode(t, document)}
}

func paymentDocument(t *testing.T, scheme, transactionID, amount string) *iso20022.FIToFICustomerCreditTransfer {
	t.Helper()
	document := sample[*iso20022.FIToFICustomerCreditTransfer](t, scheme+"_03_pacs.008.001.08.xml")
	value := decimal.MustParse(amount)
	document.GroupHeader.MessageID = "M-" + transactionID
	document.GroupHeader.TotalInterbankSettlementAmount.Value = value
	transaction := &document.CreditTransferTransactionInformation[0]
	transaction.InterbankSettlementAmount.Value = value
	transaction.PaymentID.TransactionID = transactionID
	transaction.PaymentID.InstructionID = transactionID
	return document
}

// inquiry is a pacs.028 about a payment, or about another message by name.
func inquiry(t *testing.T, scheme, transactionID, messageID, about string) delivery {
	t.Helper()
	document := sample[*iso20022.FIToFIPaymentStatusRequest](t, scheme+"_05_pacs.028.001.03.xml")
	document.GroupHeader.MessageID = messageID
	document.OriginalGroupInformation[0].OriginalMessageID = "M-" + transactionID
	document.OriginalGroupInformation[0].OriginalMessageNameID = about
	document.TransactionInformation[0].OriginalTransactionID = transactionID
	document.TransactionInformation[0].OriginalInstructionID = transactionID
	return delivery{scheme: scheme, messageID: messageID, xml: encode(t, document)}
}

func paymentInquiry(t *testing.T, scheme, transactionID, messageID string) delivery {
	t.Helper()
	return inquiry(t, scheme, transactionID, messageID, "pacs.008.001.08")
}

// recall is a camt.056 about a payment; without an amount when that is "".
func recall(t *testing.T, scheme, transactionID, amount string) delivery {
	t.Helper()
	document := sample[*iso20022.FIToFIPaymentCancellationRequest](t, scheme+"_06_camt.056.001.08_CUST.xml")
	document.Assignment.ID = "R-" + transactionID
	recalled := &document.Underlying[0].TransactionInformation[0]
	recalled.CancellationID = "C-" + transactionID
	recalled.OriginalTransactionID = transactionID
	recalled.OriginalInstructionID = transactionID
	if amount == "" {
		recalled.OriginalInterbankSettlementAmount = nil
	} else {
		recalled.OriginalInterbankSettlementAmount.Value = decimal.MustParse(amount)
	}
	return delivery{scheme: scheme, messageID: document.Assignment.ID, xml: encode(t, document)}
}

// paymentReturn is a pacs.004 about an incoming payment.
func paymentReturn(t *testing.T, scheme, transactionID, amount string) delivery {
	t.Helper()
	document := sample[*iso20022.PaymentReturn](t, scheme+"_09_pacs.004.001.09_AC04.xml")
	value := decimal.MustParse(amount)
	document.GroupHeader.MessageID = "P4-" + transactionID
	document.GroupHeader.TotalReturnedInterbankSettlementAmount.Value = value
	returned := &document.TransactionInformation[0]
	returned.OriginalTransactionID = transactionID
	returned.ReturnedInterbankSettlementAmount.Value = value
	returned.OriginalInterbankSettlementAmount.Value = value
	return delivery{scheme: scheme, messageID: document.GroupHeader.MessageID, xml: encode(t, document)}
}

// resolution is a camt.029 about a recall of the simulator.
func resolution(t *testing.T, scheme, transactionID string) delivery {
	t.Helper()
	document := sample[*iso20022.ResolutionOfInvestigation](t, scheme+"_08_camt.029.001.09_CUST.xml")
	document.Assignment.ID = "A-" + transactionID
	document.CancellationDetails[0].TransactionInformationAndStatus[0].OriginalTransactionID = transactionID
	return delivery{scheme: scheme, messageID: document.Assignment.ID, xml: encode(t, document)}
}

// receipt is a camt.025 of the gateway about messages of the simulator.
func receipt(t *testing.T, scheme string, messageIDs ...string) delivery {
	t.Helper()
	document := &iso20022.Receipt{MessageHeader: iso20022.MessageHeader9{MessageID: "T-" + messageIDs[0]}}
	for _, messageID := range messageIDs {
		document.ReceiptDetails = append(document.ReceiptDetails, iso20022.Receipt3{
			OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: messageID},
			RequestHandling:   []iso20022.RequestHandling1{{StatusCode: "ACCP"}},
		})
	}
	return delivery{scheme: scheme, messageID: document.MessageHeader.MessageID, xml: encode(t, document)}
}

// report is a pacs.002 of the gateway about an incoming payment.
func report(t *testing.T, transactionID, status, reason string) []byte {
	t.Helper()
	transaction := iso20022.PaymentTransaction110{OriginalTransactionID: transactionID, TransactionStatus: status}
	if reason != "" {
		transaction.StatusReasonInformation = []iso20022.StatusReasonInformation12{
			{Reason: &iso20022.StatusReason6Choice{Code: reason}},
		}
	}
	return encode(t, &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: "S-" + transactionID, CreationDateTime: "2026-03-02T10:00:00.000+01:00"},
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{
			{OriginalMessageID: "M-" + transactionID, OriginalMessageNameID: "pacs.008.001.08"},
		},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{transaction},
	})
}

// verdict is the status and reason of a pacs.002 about a transaction.
type verdict struct{ status, reason string }

func verdictOf(t *testing.T, taken arrival) verdict {
	t.Helper()
	document, isReport := taken.document.(*iso20022.FIToFIPaymentStatusReport)
	if !isReport {
		t.Fatalf("got %s, want pacs.002", taken.document.MessageName())
	}
	transaction := document.TransactionInformationAndStatus[0]
	found := verdict{status: transaction.TransactionStatus}
	if len(transaction.StatusReasonInformation) > 0 {
		found.reason = transaction.StatusReasonInformation[0].Reason.Code
	}
	return found
}
