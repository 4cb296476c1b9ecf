package interbank

import (
	"slices"

	"countersign/internal/i18n"
)

// What several documents have in common.
const (
	fromGlobalID    = "Derived from the Global ID"
	fromApproval    = "Time of the last approval"
	fromScheme      = "Fixed by the scheme"
	fromOwnGlobalID = "The Global ID"
	fromMessageName = "The name of the original message"
	fromRefusal     = "Always RJCR (refusal)"
	fromMasterData  = "Account master data"
	fromOne         = "Always 1"
	fromSum         = "The amount of the only payment in the message"
	fromDay         = "The day of the last approval"
	fromReturned    = "The amount of the payment less the charge"
	fromOrder       = "pain.001 %s"
	fromSent        = "Sent pacs.008: %s"
	fromReceived    = "Received pacs.008: %s"
	fromRecall      = "Received camt.056: %s"
)

const (
	orderTransaction = "PmtInf/CdtTrfTxInf"
	transaction      = "CdtTrfTxInf"

	fromCreditor = "The bank that the creditor's IBAN identifies, or pain.001 " + orderTransaction + "/CdtrAgt if a SEPA order names the bank"
)

// headerOrigins are the origins of the header of a document, which a profile may add (package profile).
var headerOrigins = []origin{
	{element: "AppHdr/Fr", from: "Our end of the connection (from the settings)"},
	{element: "AppHdr/To", from: "The other end of the connection (from the settings)"},
	{element: "AppHdr/BizMsgIdr", from: fromGlobalID},
	{element: "AppHdr/MsgDefIdr", from: "The name of the message type"},
	{element: "AppHdr/BizSvc", from: "Set by the clearing profile"},
	{element: "AppHdr/CreDt", from: fromApproval},
}

// transferOrigins lists the sources of a pacs.008 (package interbank makes it from a pain.001). An element that a
// profile may move between header and transaction is listed at both places.
var transferOrigins = slices.Concat([]origin{
	{element: "GrpHdr/MsgId", from: fromGlobalID},
	{element: "GrpHdr/CreDtTm", from: fromApproval},
	{element: "GrpHdr/NbOfTxs", from: fromOne},
	{element: "GrpHdr/TtlIntrBkSttlmAmt", from: fromSum},
	{element: "GrpHdr/SttlmInf", from: fromScheme},
	{element: transaction + "/PmtId/InstrId", from: fromOwnGlobalID},
	{element: transaction + "/PmtId/TxId", from: fromOwnGlobalID},
	{element: transaction + "/PmtId/EndToEndId", from: fromOrder, at: orderTransaction + "/PmtId/EndToEndId"},
	{
		element: transaction + "/PmtId/UETR",
		from:    "pain.001 " + orderTransaction + "/PmtId/UETR, or made from the Global ID if the order has none",
	},
	{element: transaction + "/IntrBkSttlmAmt", from: fromOrder, at: orderTransaction + "/Amt/InstdAmt"},
	{element: transaction + "/AccptncDtTm", from: fromApproval},
	{element: transaction + "/ChrgBr", from: fromScheme},
	{element: transaction + "/UltmtDbtr", from: fromOrder, at: "PmtInf/UltmtDbtr", or: orderTransaction + "/UltmtDbtr"},
	{element: transaction + "/Dbtr", from: fromMasterData},
	{element: transaction + "/Dbtr/Id", from: fromOrder, at: "PmtInf/Dbtr/Id"},
	{element: transaction + "/DbtrAcct", from: fromMasterData},
	{element: transaction + "/DbtrAgt", from: fromMasterData},
	{element: transaction + "/CdtrAgt", from: fromCreditor},
	{element: transaction + "/Cdtr", from: fromOrder, at: orderTransaction + "/Cdtr"},
	{element: transaction + "/CdtrAcct", from: fromOrder, at: orderTransaction + "/CdtrAcct"},
	{element: transaction + "/UltmtCdtr", from: fromOrder, at: orderTransaction + "/UltmtCdtr"},
	{element: transaction + "/Purp", from: fromOrder, at: orderTransaction + "/Purp"},
	{element: transaction + "/RltdRmtInf", from: fromOrder, at: orderTransaction + "/RltdRmtInf"},
	{element: transaction + "/RmtInf", from: fromOrder, at: orderTransaction + "/RmtInf"},
}, eitherPlace(transaction, []origin{
	{element: "IntrBkSttlmDt", from: fromDay},
	{element: "PmtTpInf", from: fromScheme},
	{element: "PmtTpInf/CtgyPurp", from: fromOrder, at: "PmtInf/PmtTpInf/CtgyPurp", or: orderTransaction + "/PmtTpInf/CtgyPurp"},
	{element: "InstgAgt", from: fromMasterData},
	{element: "InstdAgt", from: fromCreditor},
}))

// eitherPlace returns the origins of elements that are in the header or with the transaction.
func eitherPlace(transaction string, origins []origin) []origin {
	var both []origin
	for _, place := range []string{"GrpHdr", transaction} {
		for _, o := range origins {
			o.element = place + "/" + o.element
			both = append(both, o)
		}
	}
	return both
}

// recallOrigins lists the sources of a camt.056: the recalled pacs.008 and the maker's input.
var recallOrigins = append([]origin{
	{element: "Assgnmt/Id", from: fromGlobalID},
	{element: "Assgnmt/Assgnr", from: fromSent, at: transaction + "/DbtrAgt"},
	{element: "Assgnmt/Assgnr/Agt", from: fromSent, at: transaction + "/DbtrAgt"},
	{element: "Assgnmt/Assgne", from: fromSent, at: transaction + "/CdtrAgt"},
	{element: "Assgnmt/Assgne/Agt", from: fromSent, at: transaction + "/CdtrAgt"},
	{element: "Assgnmt/CreDtTm", from: fromApproval},
	{element: "CtrlData", from: fromOne},
	{element: "Undrlyg/TxInf/CxlId", from: fromOwnGlobalID},
	{element: "Undrlyg/TxInf/CxlRsnInf/Orgtr", from: "Depends on the reason: the debtor's name if the customer asked for the recall, " +
		"otherwise the BIC of our bank"},
	{element: "Undrlyg/TxInf/CxlRsnInf/Rsn", from: "The reason chosen by the maker"},
	{element: "Undrlyg/TxInf/CxlRsnInf/AddtlInf", from: "Additional information from the maker"},
}, originalOrigins("Undrlyg/TxInf", fromSent)...)

// returnOrigins lists the sources of a pacs.004: the returned pacs.008 and the maker's input.
var returnOrigins = slices.Concat([]origin{
	{element: "GrpHdr/MsgId", from: fromGlobalID},
	{element: "GrpHdr/CreDtTm", from: fromApproval},
	{element: "GrpHdr/NbOfTxs", from: fromOne},
	{element: "GrpHdr/TtlRtrdIntrBkSttlmAmt", from: fromSum},
	{element: "GrpHdr/SttlmInf", from: fromScheme},
	{element: "TxInf/RtrId", from: fromOwnGlobalID},
	{element: "TxInf/RtrdIntrBkSttlmAmt", from: fromReturned},
	{element: "TxInf/RtrdInstdAmt", from: fromReceived, at: transaction + "/IntrBkSttlmAmt"},
	{element: "TxInf/ChrgBr", from: fromScheme},
	{element: "TxInf/ChrgsInf/Amt", from: "The charge deducted, as entered by the maker"},
	{element: "TxInf/ChrgsInf/Agt", from: fromReceived, at: transaction + "/CdtrAgt"},
	{element: "TxInf/RtrRsnInf/Orgtr", from: "Depends on the reason: the creditor's name if the customer made the decision, otherwise " +
		"the BIC of our bank"},
	{element: "TxInf/RtrRsnInf/Rsn", from: "The reason chosen by the maker"},
	{element: "TxInf/RtrRsnInf/AddtlInf", from: "Additional information from the maker (in an answer to a recall, " +
		"the first line names the recall)"},
	{element: "TxInf/RtrChain/DbtrAgt", from: fromReceived, at: transaction + "/CdtrAgt"},
	{element: "TxInf/RtrChain/CdtrAgt", from: fromReceived, at: transaction + "/DbtrAgt"},
}, eitherPlace("TxInf", []origin{
	{element: "IntrBkSttlmDt", from: fromDay},
	{element: "InstgAgt", from: fromReceived, at: transaction + "/CdtrAgt"},
	{element: "InstdAgt", from: fromReceived, at: transaction + "/DbtrAgt"},
}), parties("TxInf/RtrChain", fromReceived, map[string]string{
	"UltmtDbtr": "UltmtCdtr", "Dbtr": "Cdtr", "Cdtr": "Dbtr", "UltmtCdtr": "UltmtDbtr", // the money goes back
}), originalOrigins("TxInf", fromReceived))

// resolutionOrigins lists the sources of a camt.029: the answered camt.056 and the maker's input.
var resolutionOrigins = append([]origin{
	{element: "Assgnmt/Id", from: fromGlobalID},
	{element: "Assgnmt/Assgnr", from: fromRecall, at: "Assgnmt/Assgne"},
	{element: "Assgnmt/Assgne", from: fromRecall, at: "Assgnmt/Assgnr"},
	{element: "Assgnmt/CreDtTm", from: fromApproval},
	{element: "RslvdCase", from: fromRecall, at: "Case"},
	{element: "Sts/Conf", from: fromRefusal},
	{element: "CxlDtls/TxInfAndSts/CxlStsId", from: fromOwnGlobalID},
	{element: "CxlDtls/TxInfAndSts/RslvdCase", from: fromRecall, at: "Undrlyg/TxInf/Case"},
	{element: "CxlDtls/TxInfAndSts/TxCxlSts", from: fromRefusal},
	{
		element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/Orgtr",
		from:    "The creditor's name if the creditor refused the recall, otherwise the BIC of our bank",
	},
	{element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/Rsn", from: "The reason chosen by the maker"},
	{
		element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/AddtlInf",
		from:    "Additional information from the maker (in SEPA, the first line names the recall)",
	},
}, repeated("CxlDtls/TxInfAndSts", fromRecall, "Undrlyg/TxInf")...)

// originalOrigins returns the origins of the elements about the original payment, in a document made of its pacs.008.
func originalOrigins(place string, from i18n.Text) []origin {
	about := place + "/OrgnlTxRef"
	origins := []origin{
		{element: place + "/OrgnlGrpInf/OrgnlMsgId", from: from, at: "GrpHdr/MsgId"},
		{element: place + "/OrgnlGrpInf/OrgnlMsgNmId", from: fromMessageName},
		{element: place + "/OrgnlInstrId", from: from, at: transaction + "/PmtId/InstrId"},
		{element: place + "/OrgnlEndToEndId", from: from, at: transaction + "/PmtId/EndToEndId"},
		{element: place + "/OrgnlTxId", from: from, at: transaction + "/PmtId/TxId"},
		{element: place + "/OrgnlUETR", from: from, at: transaction + "/PmtId/UETR"},
		{element: place + "/OrgnlIntrBkSttlmAmt", from: from, at: transaction + "/IntrBkSttlmAmt"},
		{element: place + "/OrgnlIntrBkSttlmDt", from: from, at: "GrpHdr/IntrBkSttlmDt", or: transaction + "/IntrBkSttlmDt"},
		{element: about, from: from, at: transaction},
		{element: about + "/SttlmInf", from: from, at: "GrpHdr/SttlmInf"},
		{element: about + "/PmtTpInf", from: from, at: "GrpHdr/PmtTpInf", or: transaction + "/PmtTpInf"},
	}
	return append(origins, parties(about, from, map[string]string{
		"UltmtDbtr": "UltmtDbtr", "Dbtr": "Dbtr", "Cdtr": "Cdtr", "UltmtCdtr": "UltmtCdtr",
	})...)
}

// parties returns the origins of the parties of a group: each the party of the payment with its role.
func parties(place string, from i18n.Text, roles map[string]string) []origin {
	var origins []origin
	for role, original := range roles {
		origins = append(origins, origin{element: place + "/" + role + "/Pty", from: from, at: transaction + "/" + original})
	}
	return origins
}

// repeated returns the origins of the elements about the original payment, in a document that repeats them from another.
func repeated(place string, from i18n.Text, there string) []origin {
	var origins []origin
	for _, name := range []string{
		"OrgnlGrpInf", "OrgnlInstrId", "OrgnlEndToEndId", "OrgnlTxId", "OrgnlUETR", "OrgnlIntrBkSttlmAmt", "OrgnlIntrBkSttlmDt", "OrgnlTxRef",
	} {
		origins = append(origins, origin{element: place + "/" + name, from: from, at: there + "/" + name})
	}
	return origins
}
