package clearing_test

import (
	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// lie is one element of a document that says something else than its original.
type lie[D iso20022.Document] struct {
	element string // named in the reason
	tell    func(D)
}

const foreignUETR = "00000000-0000-4000-8000-000000000000"

// foreign is an amount that nothing here has.
func foreign() *iso20022.Amount {
	return &iso20022.Amount{Currency: "CHF", Value: decimal.MustParse("99999.00")}
}

// otherCurrency is the amount of the test payments in a currency neither scheme has.
func otherCurrency() *iso20022.Amount {
	return &iso20022.Amount{Currency: "USD", Value: decimal.MustParse("100.00")}
}

func copyLies[D iso20022.Document](of func(D) **iso20022.OriginalTransactionReference28) []lie[D] {
	tell := func(change func(*iso20022.OriginalTransactionReference28)) func(D) {
		return func(d D) {
			said := iso20022.OriginalTransactionReference28{}
			change(&said)
			*of(d) = &said
		}
	}
	held := &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: "GB33BUKB20201555555555"}}
	return []lie[D]{
		{"OrgnlTxRef/IntrBkSttlmAmt", tell(func(r *iso20022.OriginalTransactionReference28) { r.InterbankSettlementAmount = foreign() })},
		{"OrgnlTxRef/IntrBkSttlmAmt", tell(func(r *iso20022.OriginalTransactionReference28) { r.InterbankSettlementAmount = otherCurrency() })},
		{"OrgnlTxRef/IntrBkSttlmDt", tell(func(r *iso20022.OriginalTransactionReference28) { r.InterbankSettlementDate = "2026-03-01" })},
		{"OrgnlTxRef/DbtrAcct", tell(func(r *iso20022.OriginalTransactionReference28) { r.DebtorAccount = held })},
		{"OrgnlTxRef/CdtrAcct", tell(func(r *iso20022.OriginalTransactionReference28) { r.CreditorAccount = held })},
	}
}

func statusLies() []lie[*iso20022.FIToFIPaymentStatusReport] {
	tx := func(d *iso20022.FIToFIPaymentStatusReport) *iso20022.PaymentTransaction110 {
		return &d.TransactionInformationAndStatus[0]
	}
	return append(copyLies(func(d *iso20022.FIToFIPaymentStatusReport) **iso20022.OriginalTransactionReference28 {
		return &tx(d).OriginalTransactionReference
	}), []lie[*iso20022.FIToFIPaymentStatusReport]{
		{"OrgnlTxId", func(d *iso20022.FIToFIPaymentStatusReport) { tx(d).OriginalTransactionID = "FOREIGN" }},
		{"OrgnlMsgId", func(d *iso20022.FIToFIPaymentStatusReport) {
			d.OriginalGroupInformationAndStatus[0].OriginalMessageID = "FOREIGN"
		}},
		{"OrgnlMsgNmId", func(d *iso20022.FIToFIPaymentStatusReport) {
			d.OriginalGroupInformationAndStatus[0].OriginalMessageNameID = "pacs.009.001.08"
		}},
		{"OrgnlGrpInf/OrgnlMsgId", func(d *iso20022.FIToFIPaymentStatusReport) {
			tx(d).OriginalGroupInformation = &iso20022.OriginalGroupInformation29{OriginalMessageID: "FOREIGN", OriginalMessageNameID: "pacs.008"}
		}},
		{"OrgnlInstrId", func(d *iso20022.FIToFIPaymentStatusReport) { tx(d).OriginalInstructionID = "FOREIGN" }},
		{"OrgnlEndToEndId", func(d *iso20022.FIToFIPaymentStatusReport) { tx(d).OriginalEndToEndID = "FOREIGN" }},
		{"OrgnlUETR", func(d *iso20022.FIToFIPaymentStatusReport) { tx(d).OriginalUETR = foreignUETR }},
	}...)
}

func returnLies() []lie[*iso20022.PaymentReturn] {
	tx := func(d *iso20022.PaymentReturn) *iso20022.PaymentTransaction112 { return &d.TransactionInformation[0] }
	less := iso20022.Amount{Currency: "CHF", Value: decimal.MustParse("0.01")}
	return append(copyLies(func(d *iso20022.PaymentReturn) **iso20022.OriginalTransactionReference28 {
		return &tx(d).OriginalTransactionReference
	}),
		[]lie[*iso20022.PaymentReturn]{
			{"FOREIGN", func(d *iso20022.PaymentReturn) { tx(d).OriginalTransactionID = "FOREIGN" }},
			{"OrgnlMsgId", func(d *iso20022.PaymentReturn) { tx(d).OriginalGroupInformation.OriginalMessageID = "FOREIGN" }},
			{"OrgnlMsgNmId", func(d *iso20022.PaymentReturn) { tx(d).OriginalGroupInformation.OriginalMessageNameID = "pacs.009" }},
			{"OrgnlInstrId", func(d *iso20022.PaymentReturn) { tx(d).OriginalInstructionID = "FOREIGN" }},
			{"OrgnlEndToEndId", func(d *iso20022.PaymentReturn) { tx(d).OriginalEndToEndID = "FOREIGN" }},
			{"OrgnlUETR", func(d *iso20022.PaymentReturn) { tx(d).OriginalUETR = foreignUETR }},
			{"OrgnlIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) { tx(d).OriginalInterbankSettlementAmount = foreign() }},
			{"OrgnlIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) { tx(d).OriginalInterbankSettlementAmount = otherCurrency() }},
			{"OrgnlIntrBkSttlmDt", func(d *iso20022.PaymentReturn) { tx(d).OriginalInterbankSettlementDate = "2026-03-01" }},
			{"RtrdIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) {
				less.Currency = tx(d).ReturnedInterbankSettlementAmount.Currency
				tx(d).ReturnedInterbankSettlementAmount = less
			}},
			{"RtrdIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) { tx(d).ReturnedInterbankSettlementAmount = *otherCurrency() }},
			{"RtrdIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) {
				tx(d).ReturnedInterbankSettlementAmount.Value = decimal.MustParse("99999.00")
			}},
			{"RtrdIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) { // a charge that does not make up for what is missing
				amount := tx(d).ReturnedInterbankSettlementAmount
				tx(d).ChargesInformation = []iso20022.Charges7{
					{
						Amount: iso20022.Amount{Currency: amount.Currency, Value: decimal.MustParse("5.00")},
						Agent:  *tx(d).OriginalTransactionReference.CreditorAgent,
					},
				}
				tx(d).ReturnedInterbankSettlementAmount.Value = decimal.MustParse("90.00")
			}},
			{"a recall that does not belong to this payment", func(d *iso20022.PaymentReturn) {
				tx(d).ReturnReasonInformation[0].AdditionalInformation = []string{"ATR053/FOREIGN"}
			}},
			{"a recall that does not belong to this payment", func(d *iso20022.PaymentReturn) {
				tx(d).ReturnReasonInformation[0].AdditionalInformation = []string{"It was agreed.", "ATR072/FOREIGN"}
			}},
			{"ChrgsInf", func(d *iso20022.PaymentReturn) { // nearly all is kept
				amount := tx(d).ReturnedInterbankSettlementAmount
				tx(d).ChargesInformation = []iso20022.Charges7{
					{
						Amount: iso20022.Amount{Currency: amount.Currency, Value: decimal.MustParse("99.00")},
						Agent:  *tx(d).OriginalTransactionReference.CreditorAgent,
					},
				}
				tx(d).ReturnedInterbankSettlementAmount.Value = decimal.MustParse("1.00")
				d.GroupHeader.TotalReturnedInterbankSettlementAmount = &tx(d).ReturnedInterbankSettlementAmount
			}},
			{"IntrBkSttlmDt", func(d *iso20022.PaymentReturn) { d.GroupHeader.InterbankSettlementDate = "2026-03-11" }},
			{"IntrBkSttlmDt", func(d *iso20022.PaymentReturn) { d.GroupHeader.InterbankSettlementDate = "2026-02-20" }},
			{"NbOfTxs", func(d *iso20022.PaymentReturn) { d.GroupHeader.NumberOfTransactions = "2" }},
			{"TtlRtrdIntrBkSttlmAmt", func(d *iso20022.PaymentReturn) { d.GroupHeader.TotalReturnedInterbankSettlementAmount = foreign() }},
		}...)
}

func resolutionLies() []lie[*iso20022.ResolutionOfInvestigation] {
	tx := func(d *iso20022.ResolutionOfInvestigation) *iso20022.PaymentTransaction102 {
		return &d.CancellationDetails[0].TransactionInformationAndStatus[0]
	}
	return append(copyLies(func(d *iso20022.ResolutionOfInvestigation) **iso20022.OriginalTransactionReference28 {
		return &tx(d).OriginalTransactionReference
	}), []lie[*iso20022.ResolutionOfInvestigation]{
		{"FOREIGN", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalTransactionID = "FOREIGN" }},
		{"OrgnlMsgId", func(d *iso20022.ResolutionOfInvestigation) {
			tx(d).OriginalGroupInformation = &iso20022.OriginalGroupInformation29{OriginalMessageID: "FOREIGN", OriginalMessageNameID: "pacs.008"}
		}},
		{"OrgnlMsgNmId", func(d *iso20022.ResolutionOfInvestigation) {
			named := *tx(d).OriginalGroupInformation
			named.OriginalMessageNameID = "pacs.009"
			tx(d).OriginalGroupInformation = &named
		}},
		{"OrgnlInstrId", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalInstructionID = "FOREIGN" }},
		{"OrgnlEndToEndId", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalEndToEndID = "FOREIGN" }},
		{"OrgnlUETR", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalUETR = foreignUETR }},
		{"OrgnlIntrBkSttlmAmt", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalInterbankSettlementAmount = foreign() }},
		{"OrgnlIntrBkSttlmAmt", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalInterbankSettlementAmount = otherCurrency() }},
		{"OrgnlIntrBkSttlmDt", func(d *iso20022.ResolutionOfInvestigation) { tx(d).OriginalInterbankSettlementDate = "2026-03-01" }},
	}...)
}

func recallLies() []lie[*iso20022.FIToFIPaymentCancellationRequest] {
	tx := func(d *iso20022.FIToFIPaymentCancellationRequest) *iso20022.PaymentTransaction106 {
		return &d.Underlying[0].TransactionInformation[0]
	}
	return append(copyLies(func(d *iso20022.FIToFIPaymentCancellationRequest) **iso20022.OriginalTransactionReference28 {
		return &tx(d).OriginalTransactionReference
	}), []lie[*iso20022.FIToFIPaymentCancellationRequest]{
		{"OrgnlMsgId", func(d *iso20022.FIToFIPaymentCancellationRequest) {
			tx(d).OriginalGroupInformation.OriginalMessageID = "FOREIGN"
		}},
		{"OrgnlMsgNmId", func(d *iso20022.FIToFIPaymentCancellationRequest) {
			tx(d).OriginalGroupInformation.OriginalMessageNameID = "pacs.009"
		}},
		{"OrgnlInstrId", func(d *iso20022.FIToFIPaymentCancellationRequest) { tx(d).OriginalInstructionID = "FOREIGN" }},
		{"OrgnlEndToEndId", func(d *iso20022.FIToFIPaymentCancellationRequest) { tx(d).OriginalEndToEndID = "FOREIGN" }},
		{"OrgnlUETR", func(d *iso20022.FIToFIPaymentCancellationRequest) { tx(d).OriginalUETR = foreignUETR }},
		{"OrgnlIntrBkSttlmAmt", func(d *iso20022.FIToFIPaymentCancellationRequest) {
			tx(d).OriginalInterbankSettlementAmount = foreign()
		}},
		{"OrgnlIntrBkSttlmAmt", func(d *iso20022.FIToFIPaymentCancellationRequest) {
			tx(d).OriginalInterbankSettlementAmount = otherCurrency()
		}},
		{"OrgnlIntrBkSttlmDt", func(d *iso20022.FIToFIPaymentCancellationRequest) {
			tx(d).OriginalInterbankSettlementDate = "2026-03-01"
		}},
	}...)
}

func inquiryLies() []lie[*iso20022.FIToFIPaymentStatusRequest] {
	tx := func(d *iso20022.FIToFIPaymentStatusRequest) *iso20022.PaymentTransaction113 {
		return &d.TransactionInformation[0]
	}
	return append(copyLies(func(d *iso20022.FIToFIPaymentStatusRequest) **iso20022.OriginalTransactionReference28 {
		return &tx(d).OriginalTransactionReference
	}), []lie[*iso20022.FIToFIPaymentStatusRequest]{
		{"OrgnlMsgId", func(d *iso20022.FIToFIPaymentStatusRequest) {
			d.OriginalGroupInformation[0].OriginalMessageID = "FOREIGN"
		}},
		{"OrgnlMsgNmId", func(d *iso20022.FIToFIPaymentStatusRequest) {
			d.OriginalGroupInformation[0].OriginalMessageNameID = "pacs.009"
		}},
		{"OrgnlInstrId", func(d *iso20022.FIToFIPaymentStatusRequest) { tx(d).OriginalInstructionID = "FOREIGN" }},
		{"OrgnlEndToEndId", func(d *iso20022.FIToFIPaymentStatusRequest) { tx(d).OriginalEndToEndID = "FOREIGN" }},
		{"OrgnlUETR", func(d *iso20022.FIToFIPaymentStatusRequest) { tx(d).OriginalUETR = foreignUETR }},
	}...)
}
