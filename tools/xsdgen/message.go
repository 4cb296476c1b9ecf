package main

// message is one ISO message to generate.
type message struct {
	name     string // name in the namespace, such as pain.001.001.09
	constant string // Go constant of the name
	goType   string // Go type of the root message
	file     string // file name without ending
	title    string // what the message is, for the doc comment
	header   string // root element of a header, which stands beside Document and not in it; "" for a document
}

// messages lists the generated messages, the main versions first: where two versions of a type differ, the first one keeps the plain Go
// name.
var messages = []message{
	{"pain.001.001.09", "Pain001V09", "CustomerCreditTransferInitiation", "pain_001_001_09", "the order of a customer to transfer money", ""},
	{"pain.002.001.10", "Pain002V10", "CustomerPaymentStatusReport", "pain_002_001_10", "the status report to the customer", ""},
	{"pacs.008.001.08", "Pacs008V08", "FIToFICustomerCreditTransfer", "pacs_008_001_08", "the credit transfer between banks", ""},
	{"pacs.002.001.10", "Pacs002V10", "FIToFIPaymentStatusReport", "pacs_002_001_10", "the status report between banks", ""},
	{"pacs.004.001.09", "Pacs004V09", "PaymentReturn", "pacs_004_001_09", "funds sent back", ""},
	{"camt.056.001.08", "Camt056V08", "FIToFIPaymentCancellationRequest", "camt_056_001_08", "the recall of a payment", ""},
	{"camt.029.001.09", "Camt029V09", "ResolutionOfInvestigation", "camt_029_001_09", "the answer to a recall", ""},
	{"camt.025.001.05", "Camt025V05", "Receipt", "camt_025_001_05", "the receipt of the clearing system", ""},
	{"pacs.028.001.03", "Pacs028V03", "FIToFIPaymentStatusRequest", "pacs_028_001_03", "the question for the status of a payment", ""},
	{
		"pain.001.001.03", "Pain001V03", "CustomerCreditTransferInitiationV03", "pain_001_001_03",
		"the order of a customer in the previous generation, read only to be upgraded", "",
	},
	{"pacs.004.001.10", "Pacs004V10", "PaymentReturnV10", "pacs_004_001_10", "funds sent back, in the next version", ""},
	{
		"head.001.001.02", "Head001V02", "BusinessApplicationHeaderV02", "head_001_001_02", "the header before a document, no document itself",
		"AppHdr",
	},
}
