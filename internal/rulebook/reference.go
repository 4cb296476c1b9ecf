package rulebook

import (
	"strings"

	"countersign/internal/charset"
	"countersign/internal/iso20022/schema"
)

var referenceRules = []Rule{
	{
		ID: "message-id-form", Element: documentPointer + "/GrpHdr/MsgId", Code: "CH16",
		Text: referenceText, Source: "SPS 3.2; EPC230-15",
		Check: func(i *inspection) { i.checkReference("/GrpHdr/MsgId", i.document.GroupHeader.MessageID) },
	},
	{
		ID: "payment-information-id-form", Element: documentPointer + "/PmtInf/0/PmtInfId", Code: "CH16", level: levelInformation,
		Text: referenceText, Source: "SPS 3.2; EPC230-15",
		Check: func(i *inspection) { i.checkReference("/PmtInfId", i.information.PaymentInformationID) },
	},
	{
		ID: "payment-information-id-unique", Element: documentPointer + "/PmtInf/0/PmtInfId", Code: "DU02",
		Text:   "Give each payment information of the message an id of its own.",
		Source: "SPS 4.2", Check: checkPaymentInformationIDs,
	},
	{
		ID: "instruction-id-form", Element: transactionElement + "/PmtId/InstrId", Code: "CH16", level: levelTransaction,
		Text: referenceText, Source: "SPS 3.2; EPC230-15",
		Check: func(i *inspection) { i.checkReference("/PmtId/InstrId", i.transaction.PaymentID.InstructionID) },
	},
	{
		ID: "instruction-id-unique", Element: transactionElement + "/PmtId/InstrId", Code: "DU05", level: levelInformation,
		Text:   "Give each payment of a payment information an instruction id of its own.",
		Source: "SPS 4.3", Check: checkInstructionIDs,
	},
	{
		ID: "end-to-end-id-missing", Element: transactionElement + "/PmtId/EndToEndId", Code: "CH21", level: levelTransaction,
		Text:   "Enter an end-to-end id, or NOTPROVIDED when there is none.",
		Source: "SPS BR 3.2.4; EPC AT-41", Check: checkEndToEndIDMissing,
	},
	{
		ID: "end-to-end-id-form", Element: transactionElement + "/PmtId/EndToEndId", Code: "CH16", level: levelTransaction,
		Text: referenceText, Source: "SPS 3.2; EPC230-15",
		Check: func(i *inspection) { i.checkReference("/PmtId/EndToEndId", i.transaction.PaymentID.EndToEndID) },
	},
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

// checkReference holds an identifier against the character set and the slash rules of references.
// An absent one is not its matter.
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
	if len(i.document.PaymentInformation) < 2 {
		return
	}
	seen := map[string]bool{}
	for index := range i.document.PaymentInformation {
		id := i.document.PaymentInformation[index].PaymentInformationID
		if id != "" && seen[id] {
			i.report(indexed("/PmtInf/", index) + "/PmtInfId")
		}
		seen[id] = true
	}
}

func checkInstructionIDs(i *inspection) {
	transactions := i.information.CreditTransferTransactionInformation
	if len(transactions) < 2 {
		return
	}
	seen := map[string]bool{}
	for index := range transactions {
		id := transactions[index].PaymentID.InstructionID
		if id != "" && seen[id] {
			i.report(indexed("/CdtTrfTxInf/", index) + "/PmtId/InstrId")
		}
		seen[id] = true
	}
}

func checkEndToEndIDMissing(i *inspection) {
	if i.transaction.PaymentID.EndToEndID == "" {
		i.report("/PmtId/EndToEndId")
	}
}

func checkUETR(i *inspection) {
	if uetr := i.transaction.PaymentID.UETR; uetr != "" && !schema.IsUETR(uetr) {
		i.report("/PmtId/UETR")
	}
}
