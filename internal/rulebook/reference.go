package rulebook

import (
	"strings"

	"countersign/internal/charset"
	"countersign/internal/iso20022"
)

var referenceRules = []Rule{
	referenceForm(Rule{ID: "message-id-form", Element: documentPointer + "/GrpHdr/MsgId"}, func(i *inspection) string {
		return i.document.GroupHeader.MessageID
	}),
	referenceForm(
		Rule{ID: "payment-information-id-form", Element: documentPointer + "/PmtInf/0/PmtInfId", level: levelInformation},
		func(i *inspection) string { return i.information.PaymentInformationID },
	),
	{
		ID: "payment-information-id-unique", Element: documentPointer + "/PmtInf/0/PmtInfId", Code: "DU02",
		Text:   "Give each payment information block (PmtInf) in the message its own ID.",
		Source: "SPS 4.2", Check: checkPaymentInformationIDs,
	},
	referenceForm(
		Rule{ID: "instruction-id-form", Element: transactionElement + "/PmtId/InstrId", level: levelTransaction},
		func(i *inspection) string { return i.transaction.PaymentID.InstructionID },
	),
	{
		ID: "instruction-id-unique", Element: transactionElement + "/PmtId/InstrId", Code: "DU05", level: levelInformation,
		Text:   "Give each payment in a payment information block (PmtInf) its own instruction ID.",
		Source: "SPS 4.3", Check: checkInstructionIDs,
	},
	{
		ID: "end-to-end-id-missing", Element: transactionElement + "/PmtId/EndToEndId", Code: "CH21", level: levelTransaction,
		Text:   "Enter an end-to-end ID, or NOTPROVIDED if there is none.",
		Source: "SPS BR 3.2.4; EPC AT-41", broken: func(i *inspection) bool { return i.transaction.PaymentID.EndToEndID == "" },
	},
	referenceForm(
		Rule{ID: "end-to-end-id-form", Element: transactionElement + "/PmtId/EndToEndId", level: levelTransaction},
		func(i *inspection) string { return i.transaction.PaymentID.EndToEndID },
	),
	{
		ID: "uetr-form", Element: transactionElement + "/PmtId/UETR", Code: "CH16", level: levelTransaction,
		Text:   "Enter the UETR as a version 4 UUID in lower case, or leave the UETR out.",
		Source: "ISO, UUIDv4Identifier",
		broken: func(i *inspection) bool {
			uetr := i.transaction.PaymentID.UETR
			return uetr != "" && !iso20022.IsUETR(uetr)
		},
	},
}

const (
	transactionElement = documentPointer + "/PmtInf/0/CdtTrfTxInf/0"
	referenceText      = "Enter 1 to 35 letters, digits, spaces or ' ( ) + , - . / : ?. Do not start with a space or a slash, end with " +
		"a slash, or use two slashes together."
)

// referenceForm is the rule that an identifier, if it is there, has the characters and slashes of references.
func referenceForm(r Rule, identifier func(i *inspection) string) Rule {
	r.Code, r.Text, r.Source = "CH16", referenceText, "SPS 3.2; EPC230-15"
	r.broken = func(i *inspection) bool {
		reference := identifier(i)
		return reference != "" && !isReference(reference)
	}
	return r
}

func isReference(text string) bool {
	_, _, refused := charset.EPCBasic.FirstRefused(text)
	first, last := text[0], text[len(text)-1]
	return !refused && len(text) <= 35 && first != ' ' && first != '/' && last != '/' && !strings.Contains(text, "//")
}

func checkPaymentInformationIDs(i *inspection) {
	list := i.document.PaymentInformation
	i.checkOnce(len(list), func(index int) (id, below string) {
		return list[index].PaymentInformationID, indexed("/PmtInf/", index) + "/PmtInfId"
	})
}

// checkOnce reports each identifier of a list that came before in it.
func (i *inspection) checkOnce(count int, at func(index int) (id, below string)) {
	if count < 2 {
		return // the usual case needs no set
	}
	seen := map[string]bool{}
	for index := range count {
		id, below := at(index)
		if id != "" && seen[id] {
			i.report(below)
		}
		seen[id] = true
	}
}

func checkInstructionIDs(i *inspection) {
	list := i.information.CreditTransferTransactionInformation
	i.checkOnce(len(list), func(index int) (id, below string) {
		return list[index].PaymentID.InstructionID, indexed("/CdtTrfTxInf/", index) + "/PmtId/InstrId"
	})
}
