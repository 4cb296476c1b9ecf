package rulebook

import (
	"strconv"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

var messageRules = []Rule{
	{
		ID: "transaction-count", Element: documentPointer + "/GrpHdr/NbOfTxs", Code: "AM18",
		Text:   "Write the number of payments in the message.",
		Source: "SPS 4.1", Check: checkTransactionCount,
	},
	{
		ID: "one-payment", Element: documentPointer + "/PmtInf", Code: "AM18",
		Text:   "Send one payment in a message: one PmtInf with one CdtTrfTxInf.",
		Source: "Interface contract of this gateway", Check: checkOnePayment,
	},
	{
		ID: "control-sum", Element: documentPointer + "/GrpHdr/CtrlSum", Code: "AM10",
		Text:   "Write the exact sum of all amounts, or leave the control sum out.",
		Source: "SPS 4.1", Check: checkControlSum,
	},
	{
		ID: "initiating-party", Element: documentPointer + "/GrpHdr/InitgPty", Code: "CH21",
		Text:   "Enter a name or an identification of the initiating party.",
		Source: "SPS 4.1", Check: checkInitiatingParty,
	},
	{
		ID: "payment-transaction-count", Element: documentPointer + "/PmtInf/0/NbOfTxs", Code: "AM18", level: levelInformation,
		Text:   "Write the number of payments in this payment information (PmtInf), or leave it out.",
		Source: "ISO, PaymentInstruction30", Check: checkPaymentTransactionCount,
	},
	{
		ID: "payment-control-sum", Element: documentPointer + "/PmtInf/0/CtrlSum", Code: "AM10", level: levelInformation,
		Text:   "Write the exact sum of the amounts of this payment information (PmtInf), or leave the control sum out.",
		Source: "ISO, PaymentInstruction30", Check: checkPaymentControlSum,
	},
}

func checkTransactionCount(i *inspection) {
	count := 0
	for index := range i.document.PaymentInformation {
		count += len(i.document.PaymentInformation[index].CreditTransferTransactionInformation)
	}
	if !saysCount(i.document.GroupHeader.NumberOfTransactions, count) {
		i.report("/GrpHdr/NbOfTxs")
	}
}

func checkPaymentTransactionCount(i *inspection) {
	said := i.information.NumberOfTransactions
	if said != "" && !saysCount(said, len(i.information.CreditTransferTransactionInformation)) {
		i.report("/NbOfTxs")
	}
}

// saysCount reports whether a number element (up to 15 digits) names the count.
func saysCount(text string, count int) bool {
	number, err := strconv.ParseInt(text, 10, 64)
	return err == nil && number == int64(count)
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

func checkControlSum(i *inspection) {
	said := i.document.GroupHeader.ControlSum
	if said == nil {
		return
	}
	sum, fits := decimal.Zero, true
	for index := range i.document.PaymentInformation {
		part, partFits := sumOf(&i.document.PaymentInformation[index])
		total, err := addExactly(sum, part)
		sum, fits = total, fits && partFits && err == nil
	}
	if !fits || !sum.Equal(*said) {
		i.report("/GrpHdr/CtrlSum")
	}
}

func checkPaymentControlSum(i *inspection) {
	said := i.information.ControlSum
	if said == nil {
		return
	}
	sum, fits := sumOf(i.information)
	if !fits || !sum.Equal(*said) {
		i.report("/CtrlSum")
	}
}

// sumOf adds the instructed and equivalent amounts as numbers, independent of currency, and reports whether the sum
// is exact.
func sumOf(information *iso20022.PaymentInstruction30) (decimal.Decimal, bool) {
	sum := decimal.Zero
	for index := range information.CreditTransferTransactionInformation {
		amount := information.CreditTransferTransactionInformation[index].Amount
		value := decimal.Zero
		switch {
		case amount.InstructedAmount != nil:
			value = amount.InstructedAmount.Value
		case amount.EquivalentAmount != nil:
			value = amount.EquivalentAmount.Amount.Value
		}
		total, err := addExactly(sum, value)
		if err != nil {
			return decimal.Decimal{}, false
		}
		sum = total
	}
	return sum, true
}

// addExactly fails where the sum would have to be rounded.
func addExactly(a, b decimal.Decimal) (decimal.Decimal, error) {
	return a.AddExact(b, max(a.Scale(), b.Scale()))
}

func checkInitiatingParty(i *inspection) {
	party := &i.document.GroupHeader.InitiatingParty
	if party.Name == "" && party.ID == nil {
		i.report(initiatingPartyPointer)
	}
}
