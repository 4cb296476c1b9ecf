package provenance

// What several documents have in common.
const (
	fromGlobalID   = "Made from the Global ID"
	fromApproval   = "The last approval"
	fromScheme     = "Fixed by the scheme"
	fromMasterData = "Account master data"
	fromMaker      = "The maker"
	fromOne        = "Always 1"
	fromOrder      = "pain.001"
	fromSent       = "pacs.008 sent"
	fromReceived   = "pacs.008 received"
	fromRecall     = "camt.056 received"
)

const (
	orderTransaction = "PmtInf/CdtTrfTxInf"
	transaction      = "CdtTrfTxInf"
)

// transferOrigins say where a pacs.008 comes from (package interbank makes it of a pain.001).
var transferOrigins = []origin{
	{element: "GrpHdr/MsgId", from: fromGlobalID},
	{element: "GrpHdr/CreDtTm", from: fromApproval},
	{element: "GrpHdr/NbOfTxs", from: fromOne},
	{element: "GrpHdr/TtlIntrBkSttlmAmt", from: fromOrder, at: orderTransaction + "/Amt/InstdAmt"},
	{element: "GrpHdr/IntrBkSttlmDt", from: "The day of the last approval"},
	{element: "GrpHdr/SttlmInf", from: fromScheme},
	{element: "GrpHdr/PmtTpInf", from: fromScheme},
	{element: "GrpHdr/PmtTpInf/CtgyPurp", from: fromOrder, at: "PmtInf/PmtTpInf/CtgyPurp"},
	{element: "GrpHdr/InstgAgt", from: fromMasterData},
	{element: transaction + "/PmtId/InstrId", from: "The Global ID"},
	{element: transaction + "/PmtId/TxId", from: "The Global ID"},
	{element: transaction + "/PmtId/EndToEndId", from: fromOrder, at: orderTransaction + "/PmtId/EndToEndId"},
	{
		element: transaction + "/PmtId/UETR",
		from:    "pain.001 " + orderTransaction + "/PmtId/UETR; made from the Global ID when the order has none",
	},
	{element: transaction + "/IntrBkSttlmAmt", from: fromOrder, at: orderTransaction + "/Amt/InstdAmt"},
	{element: transaction + "/AccptncDtTm", from: fromApproval},
	{element: transaction + "/ChrgBr", from: fromScheme},
	{element: transaction + "/UltmtDbtr", from: fromOrder, at: orderTransaction + "/UltmtDbtr"},
	{element: transaction + "/Dbtr", from: fromMasterData},
	{element: transaction + "/Dbtr/Id", from: fromOrder, at: "PmtInf/Dbtr/Id"},
	{element: transaction + "/DbtrAcct", from: fromMasterData},
	{element: transaction + "/DbtrAgt", from: fromMasterData},
	{
		element: transaction + "/CdtrAgt",
		from:    "The bank of the creditor's IBAN; pain.001 " + orderTransaction + "/CdtrAgt where a SEPA order names it",
	},
	{element: transaction + "/Cdtr", from: fromOrder, at: orderTransaction + "/Cdtr"},
	{element: transaction + "/CdtrAcct", from: fromOrder, at: orderTransaction + "/CdtrAcct"},
	{element: transaction + "/UltmtCdtr", from: fromOrder, at: orderTransaction + "/UltmtCdtr"},
	{element: transaction + "/Purp", from: fromOrder, at: orderTransaction + "/Purp"},
	{element: transaction + "/RltdRmtInf", from: fromOrder, at: orderTransaction + "/RltdRmtInf"},
	{element: transaction + "/RmtInf", from: fromOrder, at: orderTransaction + "/RmtInf"},
}

// recallOrigins say where a camt.056 comes from: the pacs.008 it recalls and what its maker chose.
var recallOrigins = append([]origin{
	{element: "Assgnmt/Id", from: fromGlobalID},
	{element: "Assgnmt/Assgnr", from: fromSent, at: transaction + "/DbtrAgt"},
	{element: "Assgnmt/Assgnr/Agt", from: fromSent, at: transaction + "/DbtrAgt"},
	{element: "Assgnmt/Assgne", from: fromSent, at: transaction + "/CdtrAgt"},
	{element: "Assgnmt/Assgne/Agt", from: fromSent, at: transaction + "/CdtrAgt"},
	{element: "Assgnmt/CreDtTm", from: fromApproval},
	{element: "CtrlData", from: fromOne},
	{element: "Undrlyg/TxInf/CxlId", from: "The Global ID"},
	{element: "Undrlyg/TxInf/CxlRsnInf/Orgtr", from: "From the reason: the BIC of our bank, or the debtor's name when the customer asks"},
	{element: "Undrlyg/TxInf/CxlRsnInf/Rsn", from: fromMaker + ": the reason chosen"},
	{element: "Undrlyg/TxInf/CxlRsnInf/AddtlInf", from: fromMaker + ": additional information"},
}, originalOrigins("Undrlyg/TxInf", fromSent)...)

// returnOrigins say where a pacs.004 comes from: the pacs.008 it sends back and what its maker chose.
var returnOrigins = append([]origin{
	{element: "GrpHdr/MsgId", from: fromGlobalID},
	{element: "GrpHdr/CreDtTm", from: fromApproval},
	{element: "GrpHdr/NbOfTxs", from: fromOne},
	{element: "GrpHdr/TtlRtrdIntrBkSttlmAmt", from: "The amount of the payment less the charge"},
	{element: "GrpHdr/IntrBkSttlmDt", from: "The day of the last approval"},
	{element: "GrpHdr/SttlmInf", from: fromScheme},
	{element: "TxInf/RtrId", from: "The Global ID"},
	{element: "TxInf/RtrdIntrBkSttlmAmt", from: "The amount of the payment less the charge"},
	{element: "TxInf/RtrdInstdAmt", from: fromReceived, at: transaction + "/IntrBkSttlmAmt"},
	{element: "TxInf/ChrgBr", from: fromScheme},
	{element: "TxInf/ChrgsInf/Amt", from: fromMaker + ": the charge kept"},
	{element: "TxInf/ChrgsInf/Agt", from: fromReceived, at: transaction + "/CdtrAgt"},
	{element: "TxInf/RtrRsnInf/Orgtr", from: "From the reason: the BIC of our bank, or the creditor's name when the customer decides"},
	{element: "TxInf/RtrRsnInf/Rsn", from: fromMaker + ": the reason chosen"},
	{element: "TxInf/RtrRsnInf/AddtlInf", from: fromMaker + ": additional information; the first line of an answer names the recall"},
}, originalOrigins("TxInf", fromReceived)...)

// resolutionOrigins say where a camt.029 comes from: the camt.056 it answers and what its maker chose.
var resolutionOrigins = append([]origin{
	{element: "Assgnmt/Id", from: fromGlobalID},
	{element: "Assgnmt/Assgnr", from: fromRecall, at: "Assgnmt/Assgne"},
	{element: "Assgnmt/Assgne", from: fromRecall, at: "Assgnmt/Assgnr"},
	{element: "Assgnmt/CreDtTm", from: fromApproval},
	{element: "RslvdCase", from: fromRecall, at: "Case"},
	{element: "Sts/Conf", from: "Always RJCR: a refusal"},
	{element: "CxlDtls/TxInfAndSts/CxlStsId", from: "The Global ID"},
	{element: "CxlDtls/TxInfAndSts/RslvdCase", from: fromRecall, at: "Undrlyg/TxInf/Case"},
	{element: "CxlDtls/TxInfAndSts/TxCxlSts", from: "Always RJCR: a refusal"},
	{
		element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/Orgtr",
		from:    "From the reason: the BIC of our bank, or the creditor's name when the creditor refuses",
	},
	{element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/Rsn", from: fromMaker + ": the reason chosen"},
	{
		element: "CxlDtls/TxInfAndSts/CxlStsRsnInf/AddtlInf",
		from:    fromMaker + ": additional information; in SEPA the first line names the recall",
	},
}, repeated("CxlDtls/TxInfAndSts", fromRecall, "Undrlyg/TxInf")...)

// originalOrigins say where the elements about the original payment come from, in a document made of its pacs.008.
func originalOrigins(place, from string) []origin {
	about := place + "/OrgnlTxRef"
	origins := []origin{
		{element: place + "/OrgnlGrpInf/OrgnlMsgId", from: from, at: "GrpHdr/MsgId"},
		{element: place + "/OrgnlGrpInf/OrgnlMsgNmId", from: "The name of the original message"},
		{element: place + "/OrgnlInstrId", from: from, at: transaction + "/PmtId/InstrId"},
		{element: place + "/OrgnlEndToEndId", from: from, at: transaction + "/PmtId/EndToEndId"},
		{element: place + "/OrgnlTxId", from: from, at: transaction + "/PmtId/TxId"},
		{element: place + "/OrgnlUETR", from: from, at: transaction + "/PmtId/UETR"},
		{element: place + "/OrgnlIntrBkSttlmAmt", from: from, at: transaction + "/IntrBkSttlmAmt"},
		{element: place + "/OrgnlIntrBkSttlmDt", from: from, at: "GrpHdr/IntrBkSttlmDt"},
		{element: about, from: from, at: transaction},
		{element: about + "/SttlmInf", from: from, at: "GrpHdr/SttlmInf"},
		{element: about + "/PmtTpInf", from: from, at: "GrpHdr/PmtTpInf"},
	}
	for _, party := range []string{"UltmtDbtr", "Dbtr", "Cdtr", "UltmtCdtr"} {
		origins = append(origins, origin{element: about + "/" + party + "/Pty", from: from, at: transaction + "/" + party})
	}
	return origins
}

// repeated say where the elements about the original payment come from, in a document that repeats them from another.
func repeated(place, from, there string) []origin {
	var origins []origin
	for _, name := range []string{
		"OrgnlGrpInf", "OrgnlInstrId", "OrgnlEndToEndId", "OrgnlTxId", "OrgnlUETR", "OrgnlIntrBkSttlmAmt", "OrgnlIntrBkSttlmDt", "OrgnlTxRef",
	} {
		origins = append(origins, origin{element: place + "/" + name, from: from, at: there + "/" + name})
	}
	return origins
}
