package interbank

import (
	"fmt"

	"countersign/internal/iso20022"
)

// original is the payment a document is about, as far as other documents repeat it.
type original struct {
	messageID     string
	messageName   iso20022.MessageName
	instructionID string
	endToEndID    string
	transactionID string
	uetr          string
	acceptedAt    iso20022.ISODateTime
	amount        iso20022.Amount
	day           iso20022.ISODate
	reference     *iso20022.OriginalTransactionReference28
	answerer      *agent // the bank that answers it: the creditor's
}

// originalOf reads the one payment of a pacs.008. It fails with ErrTransactions, or ErrIncomplete without TxId.
func originalOf(document *iso20022.FIToFICustomerCreditTransfer) (original, error) {
	transaction, err := transferOf(document)
	if err != nil {
		return original{}, err
	}
	return original{
		messageID: document.GroupHeader.MessageID, messageName: document.MessageName(),
		instructionID: transaction.PaymentID.InstructionID, endToEndID: transaction.PaymentID.EndToEndID,
		transactionID: transaction.PaymentID.TransactionID, uetr: transaction.PaymentID.UETR,
		acceptedAt: transaction.AcceptanceDateTime, amount: transaction.InterbankSettlementAmount,
		day: settlementDay(document, transaction), reference: referenceOf(document, transaction),
		answerer: instructed(document, transaction),
	}, nil
}

// instructed is the bank that clearing gave a payment: the instructed one where the document names it, else the creditor's.
func instructed(document *iso20022.FIToFICustomerCreditTransfer, transaction *iso20022.CreditTransferTransaction39) *agent {
	switch {
	case transaction.InstructedAgent != nil:
		return transaction.InstructedAgent
	case document.GroupHeader.InstructedAgent != nil:
		return document.GroupHeader.InstructedAgent
	}
	return &transaction.CreditorAgent
}

// transferOf is the one transaction of a pacs.008.
func transferOf(document *iso20022.FIToFICustomerCreditTransfer) (*iso20022.CreditTransferTransaction39, error) {
	transaction, single := document.SinglePayment()
	if !single {
		return nil, fmt.Errorf("pacs.008: %w", ErrTransactions)
	}
	if transaction.PaymentID.TransactionID == "" {
		return nil, fmt.Errorf("pacs.008 without TxId: %w", ErrIncomplete)
	}
	return transaction, nil
}

// settlementDay returns the day a payment settles, from the header or the transaction.
func settlementDay(document *iso20022.FIToFICustomerCreditTransfer, transaction *iso20022.CreditTransferTransaction39) iso20022.ISODate {
	if transaction.InterbankSettlementDate != "" {
		return transaction.InterbankSettlementDate
	}
	return document.GroupHeader.InterbankSettlementDate
}

// referenceOf is the exact copy of a payment that R-transactions carry (OrgnlTxRef).
func referenceOf(
	document *iso20022.FIToFICustomerCreditTransfer, transaction *iso20022.CreditTransferTransaction39,
) *iso20022.OriginalTransactionReference28 {
	return &iso20022.OriginalTransactionReference28{
		SettlementInformation:  &document.GroupHeader.SettlementInformation,
		PaymentTypeInformation: paymentTypeOf(document, transaction),
		RemittanceInformation:  transaction.RemittanceInformation,
		UltimateDebtor:         choiceOf(transaction.UltimateDebtor),
		Debtor:                 choiceOf(&transaction.Debtor),
		DebtorAccount:          transaction.DebtorAccount,
		DebtorAgent:            &transaction.DebtorAgent,
		DebtorAgentAccount:     transaction.DebtorAgentAccount,
		CreditorAgent:          &transaction.CreditorAgent,
		CreditorAgentAccount:   transaction.CreditorAgentAccount,
		Creditor:               choiceOf(&transaction.Creditor),
		CreditorAccount:        transaction.CreditorAccount,
		UltimateCreditor:       choiceOf(transaction.UltimateCreditor),
		Purpose:                transaction.Purpose,
	}
}

func choiceOf(named *party) *iso20022.Party40Choice {
	if named == nil {
		return nil
	}
	return &iso20022.Party40Choice{Party: named}
}

// paymentTypeOf returns the payment type, from the header or the transaction.
func paymentTypeOf(
	document *iso20022.FIToFICustomerCreditTransfer, transaction *iso20022.CreditTransferTransaction39,
) *iso20022.PaymentTypeInformation27 {
	kind := transaction.PaymentTypeInformation
	if kind == nil {
		kind = document.GroupHeader.PaymentTypeInformation
	}
	if kind == nil {
		return nil
	}
	return &iso20022.PaymentTypeInformation27{
		InstructionPriority: kind.InstructionPriority, ClearingChannel: kind.ClearingChannel, ServiceLevel: kind.ServiceLevel,
		LocalInstrument: kind.LocalInstrument, CategoryPurpose: kind.CategoryPurpose,
	}
}

// groupOf names the document of the original payment.
func (c convention) groupOf(o original) *iso20022.OriginalGroupInformation29 {
	return &iso20022.OriginalGroupInformation29{OriginalMessageID: o.messageID, OriginalMessageNameID: c.nameOf(o.messageName)}
}

// OriginalOf returns the fields that an answer to a document repeats: of a pacs.008 the payment, of a pacs.004 the
// returned payment under the return's message id, of a camt.056 the recalled payment. It fails with ErrTransactions,
// ErrIncomplete, ErrKind for any other document, or on an invalid amount or date.
func OriginalOf(document iso20022.Document) (Original, error) {
	switch document := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer, *iso20022.PaymentReturn:
		return readOriginal(document)
	case *iso20022.FIToFIPaymentCancellationRequest:
		recall, err := ReadCancellation(document)
		return recall.Original, err
	default:
		return Original{}, fmt.Errorf("nothing answers this document: %w", ErrKind)
	}
}

// readOriginal returns a payment or a return with the ids and the amount that its status report repeats.
func readOriginal(document iso20022.Document) (Original, error) {
	about, err := answered(document)
	if err != nil {
		return Original{}, err
	}
	return Original{
		MessageID: about.messageID, MessageName: string(about.messageName), InstructionID: about.instructionID, EndToEndID: about.endToEndID,
		TransactionID: about.transactionID, UETR: about.uetr,
	}.read(said{amount: &about.amount, day: about.day, copy: about.reference})
}
