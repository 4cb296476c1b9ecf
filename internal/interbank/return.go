package interbank

import (
	"cmp"
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Return makes the pacs.004 that sends an incoming payment back.
//
// It fails with ErrScheme, ErrTransactions, ErrReason, ErrIncomplete when the payment has no TxId or the originator cannot be named, or a
// money.Error when the charge is in another currency or not below the amount.
func Return(in RTransactionInput) (*iso20022.PaymentReturn, error) {
	c, about, err := in.original()
	if err != nil {
		return nil, fmt.Errorf("make pacs.004: %w", err)
	}
	transaction, err := c.returned(in, about)
	if err != nil {
		return nil, fmt.Errorf("make pacs.004: %w", err)
	}
	return &iso20022.PaymentReturn{
		GroupHeader: iso20022.GroupHeader90{
			MessageID: in.MessageID, CreationDateTime: dateTime(in.At), NumberOfTransactions: "1",
			TotalReturnedInterbankSettlementAmount: &transaction.ReturnedInterbankSettlementAmount,
			InterbankSettlementDate:                iso20022.DateOf(in.Day), SettlementInformation: c.settlement(),
		},
		TransactionInformation: []iso20022.PaymentTransaction112{*transaction},
	}, nil
}

func (c convention) returned(in RTransactionInput, about original) (*iso20022.PaymentTransaction112, error) {
	reason, err := c.returnReason(in, about)
	if err != nil {
		return nil, err
	}
	transaction := &iso20022.PaymentTransaction112{
		ReturnID:                          in.ID,
		OriginalGroupInformation:          c.groupOf(about),
		OriginalInstructionID:             about.instructionID,
		OriginalEndToEndID:                about.endToEndID,
		OriginalTransactionID:             about.transactionID,
		OriginalUETR:                      c.uetr(about.uetr),
		OriginalInterbankSettlementAmount: &about.amount,
		OriginalInterbankSettlementDate:   about.day,
		ReturnedInterbankSettlementAmount: about.amount,
		ChargeBearer:                      "SLEV",
		ReturnReasonInformation:           []iso20022.PaymentReturnReason6{reason},
		OriginalTransactionReference:      about.reference,
	}
	if in.Charge.IsZero() {
		return transaction, nil
	}
	return transaction, keepCharge(transaction, in.Charge, *about.reference.CreditorAgent)
}

// keepCharge subtracts a charge from the returned amount, beside the full amount (EPC, RtrdInstdAmt and ChrgsInf).
func keepCharge(transaction *iso20022.PaymentTransaction112, charge money.Amount, keeper agent) error {
	full := transaction.ReturnedInterbankSettlementAmount
	amount, err := money.FromDecimal(money.Currency(full.Currency), full.Value)
	if err != nil {
		return fmt.Errorf("read amount of the payment: %w", err)
	}
	rest, err := amount.Subtract(charge)
	if err != nil {
		return fmt.Errorf("take charge off the amount: %w", err)
	}
	if rest.IsZero() {
		return fmt.Errorf("charge takes the whole amount: %w", money.ErrZero)
	}
	transaction.ReturnedInterbankSettlementAmount.Value = rest.Decimal()
	transaction.ReturnedInstructedAmount = &full
	transaction.ChargesInformation = []iso20022.Charges7{{
		Amount: iso20022.Amount{Currency: full.Currency, Value: charge.Decimal()}, Agent: keeper,
	}}
	return nil
}

func (c convention) returnReason(in RTransactionInput, about original) (iso20022.PaymentReturnReason6, error) {
	reason, err := reasonFrom(rulebook.ReturnReasons(in.Scheme), code.ReturnReasons, in.Reason)
	if err != nil {
		return iso20022.PaymentReturnReason6{}, err
	}
	bank := cmp.Or(in.Bank, bicOf(*about.reference.CreditorAgent))
	originator, err := c.originator(reason, bank, about.reference.Creditor.Party)
	if err != nil {
		return iso20022.PaymentReturnReason6{}, err
	}
	lines := c.information(reason.Information, in.Information)
	if in.Recall != nil {
		recall, err := recallOf(in.Recall)
		if err != nil {
			return iso20022.PaymentReturnReason6{}, err
		}
		// EPC115-06 pacs.004 of a positive answer: AddtlInf is mandatory; SIC release of 2024: it holds the id of the recall.
		lines = append([]string{c.citation(recall)}, lines...)
	}
	return iso20022.PaymentReturnReason6{
		Originator: originator, Reason: &iso20022.ReturnReason5Choice{Code: in.Reason}, AdditionalInformation: lines,
	}, nil
}

// Returned is an incoming return.
type Returned struct {
	MessageID string
	ReturnID  string
	Original  Original
	Amount    money.Amount // of the return
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
	read.Day, err = readDay(returnDay(document, transaction))
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
