package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Returned is an incoming return.
type Returned struct {
	MessageID string
	ReturnID  string
	Original  Original
	Amount    money.Amount // what comes back
	Charge    money.Amount // what the other bank keeps; the zero value for nothing
	Day       time.Time    // settlement day of the return, midnight UTC; zero when the document does not say
	Reason    Reason
	Count     string       // NbOfTxs of the header
	Total     money.Amount // of the header; the zero value when the document does not say
}

// AnswersRecall reports whether the return is the positive answer to a recall.
func (r Returned) AnswersRecall() bool { return r.Reason.Code == rulebook.ReturnAfterRecall }

// ReadReturn reads an incoming pacs.004. It fails with ErrTransactions, ErrIncomplete without OrgnlTxId, a MismatchError when it names the
// payment's document twice and differently, or on an amount (money.Error) or date that cannot be read.
func ReadReturn(document *iso20022.PaymentReturn) (Returned, error) {
	transaction, err := returnOf(document)
	if err != nil {
		return Returned{}, fmt.Errorf("read return: %w", err)
	}
	if transaction.OriginalTransactionID == "" {
		return Returned{}, fmt.Errorf("read pacs.004 without OrgnlTxId: %w", ErrIncomplete)
	}
	read := Returned{
		MessageID: document.GroupHeader.MessageID, ReturnID: transaction.ReturnID, Reason: returnReason(transaction.ReturnReasonInformation),
	}
	read.Original, err = returnedOriginal(document, transaction)
	if err != nil {
		return Returned{}, fmt.Errorf("read pacs.004: %w", err)
	}
	read.Amount, err = readAmount("RtrdIntrBkSttlmAmt", &transaction.ReturnedInterbankSettlementAmount)
	if err != nil {
		return Returned{}, fmt.Errorf("read pacs.004: %w", err)
	}
	read.Count = document.GroupHeader.NumberOfTransactions
	read.Total, err = readAmount("TtlRtrdIntrBkSttlmAmt", document.GroupHeader.TotalReturnedInterbankSettlementAmount)
	if err != nil {
		return Returned{}, fmt.Errorf("read pacs.004: %w", err)
	}
	read.Charge, err = chargeOf(transaction.ChargesInformation)
	if err != nil {
		return Returned{}, fmt.Errorf("read pacs.004: %w", err)
	}
	day := transaction.InterbankSettlementDate
	if day == "" {
		day = document.GroupHeader.InterbankSettlementDate
	}
	read.Day, err = readDay(day)
	if err != nil {
		return Returned{}, fmt.Errorf("read pacs.004: %w", err)
	}
	return read, nil
}

// returnedOriginal reads the payment of a return, whose document is named in the transaction or the group.
func returnedOriginal(document *iso20022.PaymentReturn, transaction *iso20022.PaymentTransaction112) (Original, error) {
	about := Original{
		InstructionID: transaction.OriginalInstructionID, EndToEndID: transaction.OriginalEndToEndID,
		TransactionID: transaction.OriginalTransactionID, UETR: transaction.OriginalUETR,
	}
	if group := document.OriginalGroupInformation; group != nil {
		about.MessageID, about.MessageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	return about.read(said{
		group: transaction.OriginalGroupInformation, amount: transaction.OriginalInterbankSettlementAmount,
		day: transaction.OriginalInterbankSettlementDate, copy: transaction.OriginalTransactionReference,
	})
}

// chargeOf returns the sum of the deducted charges.
func chargeOf(charges []iso20022.Charges7) (money.Amount, error) {
	var sum money.Amount
	for i := range charges {
		if charges[i].Amount.Value.IsZero() {
			continue
		}
		charge, err := readAmount("ChrgsInf/Amt", &charges[i].Amount)
		if err != nil {
			return money.Amount{}, err
		}
		if sum.IsZero() {
			sum = charge
			continue
		}
		sum, err = sum.Add(charge)
		if err != nil {
			return money.Amount{}, fmt.Errorf("add charges: %w", err)
		}
	}
	return sum, nil
}

func returnReason(reasons []iso20022.PaymentReturnReason6) Reason {
	var first iso20022.PaymentReturnReason6
	if len(reasons) > 0 {
		first = reasons[0]
	}
	return reasonOf(code.ReturnReasons, (*choice)(first.Reason), first.Originator, first.AdditionalInformation)
}
