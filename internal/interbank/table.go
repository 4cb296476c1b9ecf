package interbank

import (
	"slices"

	"countersign/internal/rulebook"
)

// Short names of the schemes and places of the table.
const (
	sic = rulebook.SchemeSIC
	sct = rulebook.SchemeSCT

	payments = "PmtInf/CdtTrfTxInf"
	transfer = "CdtTrfTxInf"
)

// Reasons that several rows have.
const (
	masterData  = "the account's master data take its place (SPS 4.2)"
	onePriority = "instant payments have one priority"
	noneInSEPA  = "The SEPA message between banks has no element for this information (EPC115-06 pacs.008)"
	accountOnly = "its number names the account"
	noPlace     = "instant payments do not carry it"
)

// rows is the table. Sources: SPS and EPC as in docs/rules.md.
var rows = slices.Concat(
	headerRows,
	informationRows,
	mappedParty("PmtInf/UltmtDbtr", transfer+"/UltmtDbtr", "the ultimate debtor"),
	typeRows("PmtInf", ""),
	typeRows(payments, sct),
	transactionRows,
	mappedParty(payments+"/UltmtDbtr", transfer+"/UltmtDbtr", "the ultimate debtor"),
	mappedParty(payments+"/Cdtr", transfer+"/Cdtr", "the creditor"),
	mappedParty(payments+"/UltmtCdtr", transfer+"/UltmtCdtr", "the ultimate creditor"),
	refusedRows,
)

// headerRows: what names the order to its own bank stays with it.
var headerRows = []Row{
	{Place: "GrpHdr/MsgId", Fate: Kept, Reason: "names the order to its own bank: the status report answers with it"},
	{Place: "GrpHdr/CreDtTm", Fate: Kept, Reason: "when the order was made; the pacs.008 has a time of its own"},
	{Place: "GrpHdr/NbOfTxs", Fate: Kept, Reason: "control total of the order, checked"},
	{Place: "GrpHdr/CtrlSum", Fate: Kept, Reason: "control total of the order, checked"},
	{Place: "GrpHdr/InitgPty", Fate: Kept, Reason: "who hands the order in, to its own bank"},
	{Place: "GrpHdr/Authstn", Scheme: sct, Fate: NotForwarded, Name: "the authorisation", Reason: "approval is given here"},
	{Place: "GrpHdr/FwdgAgt", Fate: NotForwarded, Name: "the forwarding bank", Reason: "it lies between the client and the debtor's bank"},
}

var informationRows = []Row{
	{Place: "PmtInf/PmtInfId", Fate: Kept, Reason: "names the order to its own bank: the status report answers with it"},
	{Place: "PmtInf/PmtMtd", Fate: Kept, Reason: "says credit transfer, as the pacs.008 does by its kind"},
	{
		Place: "PmtInf/BtchBookg", Fate: NotForwarded, says: "false", Name: "the batch booking",
		Reason: "instant payments are booked one by one",
	},
	{Place: "PmtInf/NbOfTxs", Fate: Kept, Reason: "control total of the order, checked"},
	{Place: "PmtInf/CtrlSum", Fate: Kept, Reason: "control total of the order, checked"},
	{Place: "PmtInf/ReqdExctnDt", Fate: Kept, Reason: "the day on which it is sent; the settlement day takes its place"},
	{
		Place: "PmtInf/Dbtr/Nm", Fate: Kept,
		Reason: "the account's master data name the debtor (SPS 4.2); where the order says otherwise, pages and reads show it beside",
	},
	{Place: "PmtInf/Dbtr/PstlAdr", Fate: NotForwarded, Name: "the address of the debtor", Reason: masterData},
	{Place: "PmtInf/Dbtr/CtryOfRes", Scheme: sct, Fate: NotForwarded, Name: "the country of residence of the debtor", Reason: noneInSEPA},
	{Place: "PmtInf/Dbtr/CtctDtls", Scheme: sct, Fate: NotForwarded, Name: "the contact of the debtor", Reason: noneInSEPA},
	{Place: "PmtInf/Dbtr/Id", Fate: Carried, To: transfer + "/Dbtr/Id"},
	{Place: "PmtInf/DbtrAcct/Id", Fate: Kept, Reason: "finds the account to debit, whose number the pacs.008 has in DbtrAcct"},
	{Place: "PmtInf/DbtrAcct/Tp", Fate: NotForwarded, Name: "the type of the debtor account", Reason: accountOnly},
	{Place: "PmtInf/DbtrAcct/Ccy", Fate: NotForwarded, Name: "the currency of the debtor account", Reason: accountOnly},
	{Place: "PmtInf/DbtrAcct/Nm", Scheme: sct, Fate: NotForwarded, Name: "the name of the debtor account", Reason: accountOnly},
	{Place: "PmtInf/DbtrAcct/Prxy", Fate: NotForwarded, Name: "the proxy of the debtor account", Reason: accountOnly},
	{Place: "PmtInf/DbtrAgt/FinInstnId/BICFI", Fate: Kept, Reason: "checked to be the bank of the account, which the pacs.008 names"},
	{Place: "PmtInf/DbtrAgt/FinInstnId/ClrSysMmbId", Fate: Kept, Reason: "checked to be the bank of the account, which the pacs.008 names"},
	{Place: "PmtInf/DbtrAgt/FinInstnId/Othr/Id", Fate: Kept, Reason: "If the value is NOTPROVIDED, the bank is determined from the account"},
	{
		Place: "PmtInf/DbtrAgt/FinInstnId/Othr/SchmeNm", Scheme: sct, Fate: NotForwarded, Name: "the scheme of the debtor's bank",
		Reason: masterData,
	},
	{
		Place: "PmtInf/DbtrAgt/FinInstnId/Othr/Issr", Scheme: sct, Fate: NotForwarded, Name: "the issuer of the debtor's bank",
		Reason: masterData,
	},
	{Place: "PmtInf/DbtrAgt/FinInstnId/LEI", Fate: NotForwarded, Name: "the LEI of the debtor's bank", Reason: masterData},
	{Place: "PmtInf/DbtrAgt/FinInstnId/Nm", Scheme: sct, Fate: NotForwarded, Name: "the name of the debtor's bank", Reason: masterData},
	{
		Place: "PmtInf/DbtrAgt/FinInstnId/PstlAdr", Scheme: sct, Fate: NotForwarded, Name: "the address of the debtor's bank",
		Reason: masterData,
	},
	{Place: "PmtInf/DbtrAgt/BrnchId", Scheme: sct, Fate: NotForwarded, Name: "the branch of the debtor's bank", Reason: masterData},
	{Place: "PmtInf/DbtrAgtAcct", Scheme: sct, Fate: NotForwarded, Name: "the account of the debtor's bank", Reason: masterData},
	{
		Place: "PmtInf/InstrForDbtrAgt", Scheme: sic, Fate: NotForwarded, Name: "the instruction for the debtor's bank",
		Reason: "it is for the debtor's bank, which carries none out automatically",
	},
	{
		Place: "PmtInf/ChrgBr", Fate: Carried, To: transfer + "/ChrgBr", says: "SLEV", Name: "the charge bearer",
		Reason: "instant payments settle with SLEV",
	},
	{Place: "PmtInf/ChrgsAcct", Fate: NotForwarded, Name: "the charges account", Reason: "it is an account with the debtor's bank"},
	{
		Place: "PmtInf/ChrgsAcctAgt", Scheme: sct, Fate: NotForwarded, Name: "the bank of the charges account",
		Reason: "it is the debtor's bank",
	},
}

// typeRows are the rows about the payment type information on one level.
func typeRows(level string, scheme rulebook.Scheme) []Row {
	at := level + "/PmtTpInf"
	made := []Row{
		{Place: at + "/InstrPrty", Scheme: scheme, Fate: NotForwarded, Name: "the instruction priority", Reason: onePriority},
		{Place: at + "/SvcLvl/Cd", Scheme: sct, Fate: Carried, To: "{header}/PmtTpInf/SvcLvl/Cd"},
		{
			Place: at + "/LclInstrm/Cd", Scheme: scheme, Fate: Carried, To: "{header}/PmtTpInf/LclInstrm/Cd", says: "INST",
			Name: "the local instrument", Reason: "the pacs.008 says INST",
		},
		{Place: at + "/CtgyPurp", Scheme: scheme, Fate: Carried, To: "{header}/PmtTpInf/CtgyPurp"},
	}
	if scheme == "" {
		made = append(made, Row{
			Place: at + "/SvcLvl", Scheme: sic, Fate: NotForwarded, Name: "the service level",
			Reason: "SIC identifies instant payments by their local instrument (SPS 3.15)",
		})
	}
	return made
}

var transactionRows = []Row{
	{
		Place: payments + "/PmtId/InstrId", Fate: Kept,
		Reason: "point to point: it ends with the debtor's bank (SPS 3.14), whose status report answers with it",
	},
	{Place: payments + "/PmtId/EndToEndId", Fate: Carried, To: transfer + "/PmtId/EndToEndId"},
	{Place: payments + "/PmtId/UETR", Scheme: sic, Fate: Carried, To: transfer + "/PmtId/UETR"},
	{
		Place: payments + "/PmtId/UETR", Scheme: sct, Fate: Kept,
		Reason: "SEPA does not pass on the UETR, but the status report to the sender contains it (SPS 3.18)",
	},
	{Place: payments + "/Amt/InstdAmt", Fate: Carried, To: transfer + "/IntrBkSttlmAmt"},
	{
		Place: payments + "/ChrgBr", Fate: Carried, To: transfer + "/ChrgBr", says: "SLEV", Name: "the charge bearer",
		Reason: "instant payments settle with SLEV",
	},
	{
		Place: payments + "/CdtrAgt", Scheme: sic, Fate: NotForwarded, Name: "the creditor's bank",
		Reason: "the IBAN names the bank and wins (SPS 3.12)", quiet: namesBankOfIBAN,
	},
	{Place: payments + "/CdtrAgt/FinInstnId/BICFI", Scheme: sct, Fate: Carried, To: transfer + "/CdtrAgt/FinInstnId/BICFI"},
	{Place: payments + "/CdtrAcct/Id", Fate: Carried, To: transfer + "/CdtrAcct/Id"},
	{Place: payments + "/CdtrAcct/Prxy", Scheme: sct, Fate: Carried, To: transfer + "/CdtrAcct/Prxy"},
	{Place: payments + "/CdtrAcct/Tp", Scheme: sct, Fate: NotForwarded, Name: "the type of the creditor account", Reason: accountOnly},
	{Place: payments + "/CdtrAcct/Ccy", Scheme: sct, Fate: NotForwarded, Name: "the currency of the creditor account", Reason: accountOnly},
	{Place: payments + "/CdtrAcct/Nm", Scheme: sct, Fate: NotForwarded, Name: "the name of the creditor account", Reason: accountOnly},
	{Place: payments + "/Purp", Fate: Carried, To: transfer + "/Purp"},
	{
		Place: payments + "/RgltryRptg", Scheme: sct, Fate: NotForwarded, Name: "the regulatory reporting",
		Reason: "it is for the authority of the debtor's bank",
	},
	{Place: payments + "/RltdRmtInf", Scheme: sct, Fate: Carried, To: transfer + "/RltdRmtInf"},
	{Place: payments + "/RmtInf", Fate: Carried, To: transfer + "/RmtInf"},
}

// mappedParty returns the rows of a party of the order that is forwarded unchanged.
func mappedParty(place, to, name string) []Row {
	return []Row{
		{Place: place, Fate: Carried, To: to},
		{Place: place + "/CtryOfRes", Scheme: sct, Fate: NotForwarded, Name: "the country of residence of " + name, Reason: noneInSEPA},
		{Place: place + "/CtctDtls", Scheme: sct, Fate: NotForwarded, Name: "the contact of " + name, Reason: noneInSEPA},
	}
}

// refusedRows are the elements that are neither forwarded nor used up by the debtor's bank itself; those that a scheme forbids are rules of
// package rulebook.
var refusedRows = []Row{
	{Place: "PmtInf/PoolgAdjstmntDt", Fate: Refused, Name: "the pooling adjustment date", Reason: noPlace},
	{Place: payments + "/XchgRateInf", Fate: Refused, Name: "the exchange rate information", Reason: noPlace},
	{Place: payments + "/IntrmyAgt1", Fate: Refused, Name: "the intermediary bank", Reason: noPlace},
	{Place: payments + "/IntrmyAgt1Acct", Fate: Refused, Name: "the account of the intermediary bank", Reason: noPlace},
	{Place: payments + "/IntrmyAgt2", Fate: Refused, Name: "the intermediary bank", Reason: noPlace},
	{Place: payments + "/IntrmyAgt2Acct", Fate: Refused, Name: "the account of the intermediary bank", Reason: noPlace},
	{Place: payments + "/IntrmyAgt3", Fate: Refused, Name: "the intermediary bank", Reason: noPlace},
	{Place: payments + "/IntrmyAgt3Acct", Fate: Refused, Name: "the account of the intermediary bank", Reason: noPlace},
	{Place: payments + "/CdtrAgt/BrnchId", Scheme: sct, Fate: Refused, Name: "the branch of the creditor's bank", Reason: noPlace},
	{Place: payments + "/CdtrAgtAcct", Fate: Refused, Name: "the account of the creditor's bank", Reason: noPlace},
	{Place: payments + "/Tax", Fate: Refused, Name: "the tax information", Reason: noPlace},
	{Place: payments + "/SplmtryData", Fate: Refused, Name: "the supplementary data", Reason: noPlace},
	{Place: "SplmtryData", Fate: Refused, Name: "the supplementary data", Reason: noPlace},
}
