package rulebook_test

import (
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
)

// The documents below break no rule on this day; the tests change one thing at a time.
var today = time.Date(2026, time.November, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600))

const (
	qrIBAN      = "CH4431999123000889012"
	qrReference = "210000000003139471430009017"
)

// document is a payment order with short cuts to its parts.
type document struct {
	*iso20022.CustomerCreditTransferInitiation
	info *iso20022.PaymentInstruction30
	tx   *iso20022.CreditTransferTransaction34
}

func open(order *iso20022.CustomerCreditTransferInitiation) *document {
	info := &order.PaymentInformation[0]
	return &document{order, info, &info.CreditTransferTransactionInformation[0]}
}

func number(text string) *decimal.Decimal {
	value := decimal.MustParse(text)
	return &value
}

func swissPayment() *document {
	noBatch := false
	order := &iso20022.CustomerCreditTransferInitiation{
		GroupHeader: iso20022.GroupHeader85{
			MessageID: "S-MSG-1", CreationDateTime: "2026-11-20T09:00:00+01:00", NumberOfTransactions: "1", ControlSum: number("199.95"),
			InitiatingParty: iso20022.PartyIdentification135{Name: "Muster AG"},
		},
		PaymentInformation: []iso20022.PaymentInstruction30{
			{
				PaymentInformationID: "S-PMTINF-1", PaymentMethod: "TRF", BatchBooking: &noBatch, NumberOfTransactions: "1",
				ControlSum:             number("199.95"),
				PaymentTypeInformation: &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}},
				RequestedExecutionDate: iso20022.DateAndDateTime2Choice{Date: "2026-11-20"},
				Debtor:                 iso20022.PartyIdentification135{Name: "Muster AG"},
				DebtorAccount:          ibanAccount("CH5021977000004331346"),
				DebtorAgent:            iidAgent("80005"),
				CreditTransferTransactionInformation: []iso20022.CreditTransferTransaction34{{
					PaymentID: iso20022.PaymentIdentification6{
						InstructionID: "S-INSTR-1", EndToEndID: "S-E2E-1", UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10",
					},
					Amount: iso20022.AmountType4Choice{InstructedAmount: &iso20022.Amount{Currency: "CHF", Value: decimal.MustParse("199.95")}},
					Creditor: &iso20022.PartyIdentification135{Name: "Peter Haller", PostalAddress: &iso20022.PostalAddress24{
						StreetName: "Rosenauweg", BuildingNumber: "4", PostCode: "8036", TownName: "Zürich", Country: "CH",
					}},
					CreditorAccount:       accountPointer("CH4821966000009613388"),
					RemittanceInformation: structured("SCOR", "", "RF18539007547034"),
				}},
			},
		},
	}
	return open(order)
}

func sepaPayment() *document {
	order := swissPayment().CustomerCreditTransferInitiation
	changed := open(order)
	changed.info.PaymentTypeInformation.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: "SEPA"}}
	changed.info.DebtorAccount = ibanAccount("DE62007620110623852957")
	changed.info.DebtorAgent = bicAgent("AAAADEFFXXX")
	changed.info.ChargeBearer = "SLEV"
	changed.tx.Amount.InstructedAmount.Currency = "EUR"
	changed.tx.CreditorAccount = accountPointer("FR1420041010050500013M02606")
	agent := bicAgent("BBBBFRPPXXX")
	changed.tx.CreditorAgent = &agent
	changed.tx.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: []string{"Invoice 2026-118"}}
	return changed
}

// qrPayment is a Swiss payment of a QR invoice.
func qrPayment() *document {
	changed := swissPayment()
	changed.tx.CreditorAccount = accountPointer(qrIBAN)
	changed.tx.RemittanceInformation = structured("", "QRR", qrReference)
	return changed
}

func ibanAccount(iban string) iso20022.CashAccount38 {
	return iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}}
}

func accountPointer(iban string) *iso20022.CashAccount38 {
	made := ibanAccount(iban)
	return &made
}

func bicAgent(bic string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: bic},
	}
}

func iidAgent(iid string) iso20022.BranchAndFinancialInstitutionIdentification6 {
	return iso20022.BranchAndFinancialInstitutionIdentification6{
		FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
			ClearingSystemMemberID: &iso20022.ClearingSystemMemberIdentification2{
				ClearingSystemID: &iso20022.ClearingSystemIdentification2Choice{Code: "CHBCC"}, MemberID: iid,
			},
		},
	}
}

// structured is a remittance with one creditor reference of a code or proprietary type.
func structured(code, proprietary, reference string) *iso20022.RemittanceInformation16 {
	return &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
		CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
			Type: &iso20022.CreditorReferenceType2{
				CodeOrProprietary: iso20022.CreditorReferenceType1Choice{Code: code, Proprietary: proprietary},
			},
			Reference: reference,
		},
	}}}
}

// strd is the structured remittance of the document.
func (d *document) strd() *iso20022.StructuredRemittanceInformation16 {
	return &d.tx.RemittanceInformation.Structured[0]
}

// setAmount sets the amount and both control sums.
func (d *document) setAmount(text string) {
	d.tx.Amount.InstructedAmount.Value = decimal.MustParse(text)
	d.GroupHeader.ControlSum, d.info.ControlSum = nil, nil
}

// addTransaction puts a copy of the transaction beside it.
func (d *document) addTransaction() {
	d.GroupHeader.NumberOfTransactions, d.info.NumberOfTransactions = "2", "2"
	d.GroupHeader.ControlSum, d.info.ControlSum = number("399.9"), number("399.90")
	second := *d.tx
	second.PaymentID.InstructionID = "S-INSTR-2"
	d.info.CreditTransferTransactionInformation = append(d.info.CreditTransferTransactionInformation, second)
	d.tx = &d.info.CreditTransferTransactionInformation[0]
}

// addInformation puts a copy of the payment information beside it.
func (d *document) addInformation() {
	d.GroupHeader.NumberOfTransactions, d.GroupHeader.ControlSum = "2", number("399.90")
	second := *d.info
	second.PaymentInformationID = "S-PMTINF-2"
	d.PaymentInformation = append(d.PaymentInformation, second)
	d.info = &d.PaymentInformation[0]
}
