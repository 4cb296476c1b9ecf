package rulebook

import (
	"strings"

	"countersign/internal/charset"
	"countersign/internal/iso20022"
)

var referenceRules = []Rule{
	referenceForm(Rule{ID: "message-id-form", Element: documentPointer + "/GrpHdr/MsgId"}, func(i *inspection) {
		i.checkReference("/GrpHdr/MsgId", i.document.GroupHeader.MessageID)
	}),
	referenceForm(
		Rule{ID: "payment-information-id-form", Element: documentPointer + "/PmtInf/0/PmtInfId", level: levelInformation},
		func(i *inspection) {
			i.checkReference("/PmtInfId", i.information.PaymentInformationID)
		},
	),
	{
		ID: "payment-information-id-unique", Element: documentPointer + "/PmtInf/0/PmtInfId", Code: "DU02",
		Text:   "Give each payment information (PmtInf) of the message its own id.",
		Source: "SPS 4.2", Check: checkPaymentInformationIDs,
	},
	referenceForm(
		Rule{ID: "instruction-id-form", Element: transactionElement + "/PmtId/InstrId", level: levelTransaction},
		func(i *inspection) {
			i.checkReference("/PmtId/InstrId", i.transaction.PaymentID.InstructionID)
		},
	),
	{
		ID: "instruction-id-unique", Element: transactionElement + "/PmtId/InstrId", Code: "DU05", level: levelInformation,
		Text:   "Give each payment of a payment information (PmtInf) its own instruction id.",
		Source: "SPS 4.3", Check: checkInstructionIDs,
	},
	{
		ID: "end-to-end-id-missing", Element: transactionElement + "/PmtId/EndToEndId", Code: "CH21", level: levelTransaction,
		Text:   "Enter an end-to-end id, or NOTPROVIDED when there is none.",
		Source: "SPS BR 3.2.4; EPC AT-41", Check: checkEndToEndIDMissing,
	},
	referenceForm(
		Rule{ID: "end-to-end-id-form", Element: transactionElement + "/PmtId/EndToEndId", level: levelTransaction},
		func(i *inspection) {
			i.checkReference("/PmtId/EndToEndId", i.transaction.PaymentID.EndToEndID)
		},
	),
	{
		ID: "uetr-form", Element: transactionElement + "/PmtId/UETR", Code: "CH16", level: levelTransaction,
		Text:   "Enter the UETR as a version 4 UUID in lower case, or leave it out.",
		Source: "ISO, UUIDv4Identifier", Check: checkUETR,
	},
}

const (
	transactionElement = documentPointer + "/PmtInf/0/CdtTrfTxInf/0"
	referenceText      = "Write 1 to 35 letters, digits, spaces or ' ( ) + , - . / : ?, not starting with a space or a slash, " +
		"not ending with a slash, without two slashes together."
)

// referenceForm is the rule that an identifier has the characters and slashes of references.
func referenceForm(r Rule, check func(i *inspection)) Rule {
	r.Code, r.Text, r.Source, r.Check = "CH16", referenceText, "SPS 3.2; EPC230-15", check
	return r
}

// checkReference holds an identifier against the character set and the slash rules of references. An absent one is not its matter.
func (i *inspection) checkReference(below, reference string) {
	if reference != "" && !isReference(reference) {
		i.report(below)
	}
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

func checkEndToEndIDMissing(i *inspection) {
	if i.transaction.PaymentID.EndToEndID == "" {
		i.report("/PmtId/EndToEndId")
	}
}

func checkUETR(i *inspection) {
	if uetr := i.transaction.PaymentID.UETR; uetr != "" && !iso20022.IsUETR(uetr) {
		i.report("/PmtId/UETR")
	}
}
