package rulebook_test

import (
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

func manyTransactions(in *rulebook.Input) { in.ManyTransactions = true }

var messageCases = []ruleCase{
	{rule: "transaction-count", name: "right"},
	{rule: "transaction-count", name: "leading zeros", change: func(d *document) { d.GroupHeader.NumberOfTransactions = "001" }},
	{
		rule: "transaction-count", name: "too many", change: func(d *document) { d.GroupHeader.NumberOfTransactions = "2" },
		pointer: root + "/GrpHdr/NbOfTxs",
	},
	{
		rule: "transaction-count", name: "none", change: func(d *document) { d.GroupHeader.NumberOfTransactions = "" },
		pointer: root + "/GrpHdr/NbOfTxs",
	},
	{rule: "one-payment", name: "one"},
	{rule: "one-payment", name: "many in a dry run", change: func(d *document) { d.addTransaction() }, input: manyTransactions},
	{rule: "one-payment", name: "two transactions", change: func(d *document) { d.addTransaction() }, pointer: infoAt + "/CdtTrfTxInf"},
	{rule: "one-payment", name: "two payment informations", change: func(d *document) { d.addInformation() }, pointer: root + "/PmtInf"},
	{rule: "control-sum", name: "same value, other scale", change: func(d *document) { d.GroupHeader.ControlSum = number("199.950") }},
	{rule: "control-sum", name: "left out", change: func(d *document) { d.GroupHeader.ControlSum = nil }},
	{
		rule: "control-sum", name: "wrong", change: func(d *document) { d.GroupHeader.ControlSum = number("199.96") },
		pointer: root + "/GrpHdr/CtrlSum",
	},
	{rule: "control-sum", name: "sum of two", change: func(d *document) { d.addTransaction() }, input: manyTransactions},
	{rule: "initiating-party", name: "by identification", change: func(d *document) {
		d.GroupHeader.InitiatingParty = iso20022.PartyIdentification135{ID: organisation("RAIFCH22005")}
	}},
	{rule: "initiating-party", name: "empty", change: func(d *document) {
		d.GroupHeader.InitiatingParty = iso20022.PartyIdentification135{}
	}, pointer: root + "/GrpHdr/InitgPty"},
	{rule: "payment-transaction-count", name: "left out", change: func(d *document) { d.info.NumberOfTransactions = "" }},
	{
		rule: "payment-transaction-count", name: "wrong", change: func(d *document) { d.info.NumberOfTransactions = "3" },
		pointer: infoAt + "/NbOfTxs",
	},
	{rule: "payment-control-sum", name: "left out", change: func(d *document) { d.info.ControlSum = nil }},
	{rule: "payment-control-sum", name: "wrong", change: func(d *document) { d.info.ControlSum = number("0") }, pointer: infoAt + "/CtrlSum"},
}

func organisation(bic string) *iso20022.Party38Choice {
	return &iso20022.Party38Choice{OrganisationID: &iso20022.OrganisationIdentification29{AnyBIC: bic}}
}

var referenceCases = []ruleCase{
	{rule: "message-id-form", name: "all signs", change: func(d *document) { d.GroupHeader.MessageID = "aZ09 '()+,-./:?x" }},
	{
		rule: "message-id-form", name: "vertical line", change: func(d *document) { d.GroupHeader.MessageID = "a|b" },
		pointer: root + "/GrpHdr/MsgId",
	},
	{
		rule: "message-id-form", name: "first a space", change: func(d *document) { d.GroupHeader.MessageID = " a" },
		pointer: root + "/GrpHdr/MsgId",
	},
	{rule: "message-id-form", name: "too long", change: func(d *document) {
		d.GroupHeader.MessageID = "123456789012345678901234567890123456"
	}, pointer: root + "/GrpHdr/MsgId"},
	{rule: "payment-information-id-form", name: "slash inside", change: func(d *document) { d.info.PaymentInformationID = "a/b" }},
	{
		rule: "payment-information-id-form", name: "slash first", change: func(d *document) { d.info.PaymentInformationID = "/ab" },
		pointer: infoAt + "/PmtInfId",
	},
	{rule: "payment-information-id-unique", name: "different", change: func(d *document) { d.addInformation() }, input: manyTransactions},
	{rule: "payment-information-id-unique", name: "same", change: func(d *document) {
		d.addInformation()
		d.PaymentInformation[1].PaymentInformationID = "S-PMTINF-1"
	}, input: manyTransactions, pointer: root + "/PmtInf/1/PmtInfId"},
	{rule: "instruction-id-form", name: "left out", change: func(d *document) { d.tx.PaymentID.InstructionID = "" }},
	{
		rule: "instruction-id-form", name: "slash last", change: func(d *document) { d.tx.PaymentID.InstructionID = "ab/" },
		pointer: txAt + "/PmtId/InstrId",
	},
	{rule: "instruction-id-unique", name: "different", change: func(d *document) { d.addTransaction() }, input: manyTransactions},
	{rule: "instruction-id-unique", name: "same", change: func(d *document) {
		d.addTransaction()
		d.info.CreditTransferTransactionInformation[1].PaymentID.InstructionID = "S-INSTR-1"
	}, input: manyTransactions, pointer: infoAt + "/CdtTrfTxInf/1/PmtId/InstrId"},
	{rule: "end-to-end-id-missing", name: "none to give", change: func(d *document) { d.tx.PaymentID.EndToEndID = "NOTPROVIDED" }},
	{
		rule: "end-to-end-id-missing", name: "missing", change: func(d *document) { d.tx.PaymentID.EndToEndID = "" },
		pointer: txAt + "/PmtId/EndToEndId",
	},
	{rule: "end-to-end-id-form", name: "slashes apart", change: func(d *document) { d.tx.PaymentID.EndToEndID = "a/b/c" }},
	{
		rule: "end-to-end-id-form", name: "slashes together", change: func(d *document) { d.tx.PaymentID.EndToEndID = "a//c" },
		pointer: txAt + "/PmtId/EndToEndId",
	},
	{rule: "uetr-form", name: "left out", change: func(d *document) { d.tx.PaymentID.UETR = "" }},
	{rule: "uetr-form", name: "upper case", change: func(d *document) {
		d.tx.PaymentID.UETR = "7A1D3E52-1F55-4C0A-9A3E-0D5A5B3C9E10"
	}, pointer: txAt + "/PmtId/UETR"},
}

func francs(minor int64) money.Amount {
	amount, _ := money.FromMinor(money.CHF, minor)
	return amount
}

var amountCases = []ruleCase{
	{rule: "amount-missing", name: "there"},
	{rule: "amount-missing", name: "missing", change: func(d *document) {
		d.tx.Amount.InstructedAmount, d.GroupHeader.ControlSum, d.info.ControlSum = nil, nil, nil
	}, pointer: txAt + "/Amt/InstdAmt"},
	{rule: "amount-zero", name: "one centime", change: func(d *document) { d.setAmount("0.01") }},
	{rule: "amount-zero", name: "zero", change: func(d *document) { d.setAmount("0.00") }, pointer: txAt + "/Amt/InstdAmt"},
	{rule: "amount-decimals", name: "one", change: func(d *document) { d.setAmount("1.1") }},
	{rule: "amount-decimals", name: "three", change: func(d *document) { d.setAmount("1.001") }, pointer: txAt + "/Amt/InstdAmt"},
	{rule: "amount-form", name: "plain"},
	{rule: "amount-form", name: "negative", change: func(d *document) { d.setAmount("-1") }, pointer: txAt + "/Amt/InstdAmt"},
	{
		rule: "amount-form", name: "beyond counting", change: func(d *document) { d.setAmount("999999999999999999") },
		pointer: txAt + "/Amt/InstdAmt",
	},
	{rule: "amount-currency", name: "euro in SEPA", base: sepaPayment},
	{
		rule: "amount-currency", name: "euro in Switzerland", change: func(d *document) { d.tx.Amount.InstructedAmount.Currency = "EUR" },
		pointer: txAt + "/Amt/InstdAmt/Ccy",
	},
	{
		rule: "amount-currency", name: "francs in SEPA", base: sepaPayment,
		change: func(d *document) { d.tx.Amount.InstructedAmount.Currency = "CHF" }, pointer: txAt + "/Amt/InstdAmt/Ccy",
	},
	{rule: "amount-maximum", name: "at the limit", change: func(d *document) { d.setAmount("20000.00") }},
	{rule: "amount-maximum", name: "above the limit", change: func(d *document) { d.setAmount("20000.01") }, pointer: txAt + "/Amt/InstdAmt"},
	{
		rule: "amount-maximum", name: "raised limit", change: func(d *document) { d.setAmount("20000.01") },
		settings: func(s *rulebook.Settings) {
			s.SICLimit = francs(5_000_000)
		},
	},
	{rule: "amount-maximum", name: "SEPA message limit", base: sepaPayment, change: func(d *document) { d.setAmount("999999999.99") }},
	{
		rule: "amount-maximum", name: "above the SEPA message limit", base: sepaPayment,
		change: func(d *document) { d.setAmount("1000000000") }, pointer: txAt + "/Amt/InstdAmt",
	},
	{rule: "no-equivalent-amount", name: "instructed"},
	{rule: "no-equivalent-amount", name: "equivalent", change: func(d *document) {
		d.tx.Amount.EquivalentAmount = &iso20022.EquivalentAmount2{Amount: *d.tx.Amount.InstructedAmount, CurrencyOfTransfer: "CHF"}
		d.tx.Amount.InstructedAmount = nil
	}, pointer: txAt + "/Amt/EqvtAmt"},
}

func requestedAt(text string) func(d *document) {
	return func(d *document) {
		d.info.RequestedExecutionDate = iso20022.DateAndDateTime2Choice{DateTime: iso20022.ISODateTime(text)}
	}
}

func requestedOn(text string) func(d *document) {
	return func(d *document) {
		d.info.RequestedExecutionDate = iso20022.DateAndDateTime2Choice{Date: iso20022.ISODate(text)}
	}
}

func nowIsToday(in *rulebook.Input) { in.Now = in.Today }

var dateCases = []ruleCase{
	{rule: "execution-date-missing", name: "date"},
	{rule: "execution-date-missing", name: "missing", change: requestedOn(""), pointer: infoAt + "/ReqdExctnDt"},
	{rule: "execution-date-missing", name: "no date", change: requestedOn("2026-13-01"), pointer: infoAt + "/ReqdExctnDt"},
	{rule: "execution-date-past", name: "today with zone", change: requestedOn("2026-11-20+14:00")},
	{rule: "execution-date-past", name: "yesterday", change: requestedOn("2026-11-19"), pointer: infoAt + "/ReqdExctnDt/Dt"},
	{rule: "execution-date-past", name: "earlier today", change: requestedAt("2026-11-20T00:30:00+01:00"), input: nowIsToday},
	{
		rule: "execution-date-past", name: "yesterday in Zurich", change: requestedAt("2026-11-19T22:30:00Z"),
		pointer: infoAt + "/ReqdExctnDt/DtTm",
	},
	{rule: "execution-date-past", name: "today in Zurich", change: requestedAt("2026-11-19T23:30:00Z"), input: nowIsToday},
	{rule: "execution-date-past", name: "last month", change: requestedOn("2026-03-02"), pointer: infoAt + "/ReqdExctnDt/Dt"},
	{rule: "execution-date-future", name: "now", change: requestedAt("2026-11-20T09:30:00+01:00"), input: nowIsToday},
	{rule: "execution-date-future", name: "local time", change: requestedAt("2026-11-20T09:30:00"), input: nowIsToday},
	{rule: "execution-date-future", name: "later, hour unknown", change: requestedAt("2026-11-20T20:00:00+01:00")},
	{
		rule: "execution-date-future", name: "a second later", change: requestedAt("2026-11-20T09:30:01+01:00"), input: nowIsToday,
		pointer: infoAt + "/ReqdExctnDt/DtTm",
	},
	{
		rule: "execution-date-future", name: "local time, later", change: requestedAt("2026-11-20T09:30:01"), input: nowIsToday,
		pointer: infoAt + "/ReqdExctnDt/DtTm",
	},
	{rule: "execution-date-future", name: "tomorrow", change: requestedOn("2026-11-21")},
	{rule: "execution-date-future", name: "in a year", change: requestedOn("2027-11-20")},
	{rule: "execution-date-future", name: "later than in a year", change: requestedOn("2027-11-21"), pointer: infoAt + "/ReqdExctnDt/Dt"},
	{
		rule: "execution-date-future", name: "tomorrow with a time", change: requestedAt("2026-11-21T00:00:00+01:00"),
		pointer: infoAt + "/ReqdExctnDt/DtTm",
	},
	{rule: "execution-date-future", name: "today a day later", change: requestedOn("2026-11-21"), input: func(in *rulebook.Input) {
		in.Today = today.Add(24 * time.Hour)
	}},
}
