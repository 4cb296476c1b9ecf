package rulebook

import (
	"strconv"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

var messageRules = []Rule{
	{
		ID: "transaction-count", Element: documentPointer + "/GrpHdr/NbOfTxs", Code: "AM18",
		Text:   "Enter the number of payments that the message contains.",
		Source: "SPS 4.1", broken: func(i *inspection) bool {
			count := 0
			for index := range i.document.PaymentInformation {
				count += len(i.document.PaymentInformation[index].CreditTransferTransactionInformation)
			}
			return !saysCount(i.document.GroupHeader.NumberOfTransactions, count)
		},
	},
	{
		ID: "one-payment", Element: documentPointer + "/PmtInf", Code: "AM18",
		Text:   "Send one payment per message: one PmtInf with one CdtTrfTxInf.",
		Source: "Interface contract of this gateway", Check: checkOnePayment,
	},
	{
		ID: "control-sum", Element: documentPointer + "/GrpHdr/CtrlSum", Code: "AM10",
		Text:   "Enter the exact sum of all amounts, or leave the control sum out.",
		Source: "SPS 4.1", broken: func(i *inspection) bool {
			return !saysSum(i.document.GroupHeader.ControlSum, i.document.PaymentInformation)
		},
	},
	{
		ID: "initiating-party", Element: documentPointer + "/GrpHdr/InitgPty", Code: "CH21",
		Text:   "Enter the name or an identifier of the initiating party.",
		Source: "SPS 4.1", broken: func(i *inspection) bool {
			party := &i.document.GroupHeader.InitiatingParty
			return party.Name == "" && party.ID == nil
		},
	},
	{
		ID: "payment-transaction-count", Element: documentPointer + "/PmtInf/0/NbOfTxs", Code: "AM18", level: levelInformation,
		Text:   "Enter the number of payments in this payment information (PmtInf), or leave the number out.",
		Source: "ISO, PaymentInstruction30", broken: func(i *inspection) bool {
			said := i.information.NumberOfTransactions
			return said != "" && !saysCount(said, len(i.information.CreditTransferTransactionInformation))
		},
	},
	{
		ID: "payment-control-sum", Element: documentPointer + "/PmtInf/0/CtrlSum", Code: "AM10", level: levelInformation,
		Text:   "Enter the exact sum of the amounts in this payment information (PmtInf), or leave the control sum out.",
		Source: "ISO, PaymentInstruction30", broken: func(i *inspection) bool {
			return !saysSum(i.information.ControlSum, []iso20022.PaymentInstruction30{*i.information})
		},
	},
}

// saysCount reports whether a number element (up to 15 digits) names the count.
func saysCount(text string, count int) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	return err == nil && number == int64(count)
}

// saysSum reports whether a control sum is that of the instructed and equivalent amounts as numbers, independent of currency. A missing
// control sum says nothing wrong; a sum that would have to be rounded does.
func saysSum(said *decimal.Decimal, informations []iso20022.PaymentInstruction30) bool {
	if said == nil {
		return true
	}
	sum := decimal.Zero
	for _, information := range informations {
		for _, transaction := range information.CreditTransferTransactionInformation {
			value := decimal.Zero
			switch amount := transaction.Amount; {
			case amount.InstructedAmount != nil:
				value = amount.InstructedAmount.Value
			case amount.EquivalentAmount != nil:
				value = amount.EquivalentAmount.Amount.Value
			}
			total, err := sum.AddExact(value, max(sum.Scale(), value.Scale()))
			if err != nil {
				return false
			}
			sum = total
		}
	}
	return sum.Equal(*said)
}

func checkOnePayment(i *inspection) {
	if i.input.ManyTransactions {
		return
	}
	informations := i.document.PaymentInformation
	if len(informations) != 1 {
		i.report("/PmtInf")
		return
	}
	if len(informations[0].CreditTransferTransactionInformation) != 1 {
		i.report("/PmtInf/0/CdtTrfTxInf")
	}
}
