package interbank_test

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/govalues/decimal"
	"pgregory.net/rapid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// The letters of generated texts: those of the Swiss set, with many that SEPA does not take.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 äöüßÄÖÜéèàçñøœŁšğț&.,'-/()+?:€;"

// drawText draws a text of 1 to limit characters that begins with a letter.
func drawText(t *rapid.T, limit int, label string) string {
	rest := rapid.StringOfN(rapid.SampledFrom([]rune(letters)), 0, limit-1, -1).Draw(t, label)
	return rapid.SampledFrom([]string{"A", "Z", "Ö", "é", "ß", "m"}).Draw(t, label+" begins") + rest
}

func drawReference(t *rapid.T, label string) string {
	return rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9+?().,:'-]{0,33}[A-Z0-9]`).Draw(t, label)
}

// nameLimit is the longest name the scheme takes.
func nameLimit(scheme rulebook.Scheme) int {
	profile, _ := scheme.Profile()
	return profile.NameLength
}

func drawParty(t *rapid.T, scheme rulebook.Scheme, label string) *iso20022.PartyIdentification135 {
	return &iso20022.PartyIdentification135{
		Name: drawText(t, nameLimit(scheme), label), PostalAddress: drawAddress(t, label), ID: drawIdentification(t, label),
	}
}

func drawAddress(t *rapid.T, label string) *iso20022.PostalAddress24 {
	town := iso20022.PostalAddress24{
		TownName: drawText(t, 35, label+" town"), PostCode: rapid.StringMatching(`[0-9]{4,5}`).Draw(t, label+" post code"),
		Country: rapid.SampledFrom([]string{"CH", "LI", "DE", "FR", "AT"}).Draw(t, label+" country"),
	}
	switch rapid.IntRange(0, 3).Draw(t, label+" kind of address") {
	case 0:
		return nil
	case 1:
		town.StreetName, town.BuildingNumber = drawText(t, 70, label+" street"), drawText(t, 16, label+" building")
		town.Department, town.Floor = drawText(t, 70, label+" department"), drawText(t, 70, label+" floor")
		return &town
	case 2:
		for range rapid.IntRange(1, 2).Draw(t, label+" lines") {
			town.AddressLine = append(town.AddressLine, "c/o "+drawText(t, 66, label+" line"))
		}
		return &town
	default: // until November 2026
		return &iso20022.PostalAddress24{
			Country: town.Country, AddressLine: []string{drawText(t, 70, label+" line"), drawText(t, 70, label+" line")},
		}
	}
}

func drawIdentification(t *rapid.T, label string) *iso20022.Party38Choice {
	organisation := &iso20022.OrganisationIdentification29{}
	other := []iso20022.GenericOrganisationIdentification1{{ID: drawReference(t, label+" id"), Issuer: "Register"}}
	switch rapid.IntRange(0, 6).Draw(t, label+" kind of identification") {
	case 0:
		return nil
	case 1:
		organisation.AnyBIC = "DEUTDEFF"
	case 2:
		organisation.LEI = "529900T8BM49AURSDO55"
	case 3:
		organisation.AnyBIC, organisation.LEI = "UBSWCHZH80A", "529900T8BM49AURSDO55"
	case 4:
		organisation.Other, organisation.LEI = other, "529900T8BM49AURSDO55"
	case 5:
		organisation.Other = other
	default:
		return &iso20022.Party38Choice{PrivateID: &iso20022.PersonIdentification13{DateAndPlaceOfBirth: &iso20022.DateAndPlaceOfBirth1{
			BirthDate: "1980-02-29", CityOfBirth: drawText(t, 35, label+" birth"), CountryOfBirth: "CH",
		}}}
	}
	return &iso20022.Party38Choice{OrganisationID: organisation}
}

// drawOrder draws an order the scheme takes.
func drawOrder(t *rapid.T, scheme rulebook.Scheme, from interbank.Account) *iso20022.CustomerCreditTransferInitiation {
	profile, _ := scheme.Profile()
	value := decimal.MustNew(rapid.Int64Range(1, 20_000_00).Draw(t, "amount"), 2)
	paid := iso20022.Amount{Currency: string(profile.Currency), Value: value}
	transaction := iso20022.CreditTransferTransaction34{
		PaymentID: iso20022.PaymentIdentification6{InstructionID: "I-1", EndToEndID: drawReference(t, "end to end")},
		Amount:    iso20022.AmountType4Choice{InstructedAmount: &paid}, Creditor: drawParty(t, scheme, "creditor"),
	}
	if rapid.Bool().Draw(t, "has UETR") {
		transaction.PaymentID.UETR = rapid.StringMatching(`[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}`).Draw(t, "UETR")
	}
	drawCreditorAccount(t, scheme, &transaction)
	information := iso20022.PaymentInstruction30{
		PaymentInformationID: "P-1", PaymentMethod: "TRF",
		RequestedExecutionDate: iso20022.DateAndDateTime2Choice{Date: iso20022.DateOf(paidDay)},
		PaymentTypeInformation: drawPaymentType(t, scheme),
		Debtor: iso20022.PartyIdentification135{
			Name: drawText(t, nameLimit(scheme), "debtor"), ID: drawIdentification(t, "debtor"),
		},
		DebtorAccount: iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: from.IBAN}},
		DebtorAgent: iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: from.AgentBIC},
		},
	}
	drawFurther(t, scheme, &information, &transaction)
	information.CreditTransferTransactionInformation = []iso20022.CreditTransferTransaction34{transaction}
	return &iso20022.CustomerCreditTransferInitiation{
		GroupHeader: iso20022.GroupHeader85{
			MessageID: "M-1", CreationDateTime: "2026-03-02T08:00:00Z", NumberOfTransactions: "1",
			InitiatingParty: iso20022.PartyIdentification135{Name: drawText(t, nameLimit(scheme), "initiating party")},
		},
		PaymentInformation: []iso20022.PaymentInstruction30{information},
	}
}

func drawPaymentType(t *rapid.T, scheme rulebook.Scheme) *iso20022.PaymentTypeInformation26 {
	kind := &iso20022.PaymentTypeInformation26{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	if scheme == rulebook.SchemeSCT {
		kind.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: "SEPA"}}
	}
	if rapid.Bool().Draw(t, "has category purpose") {
		kind.CategoryPurpose = &iso20022.CategoryPurpose1Choice{
			Code: rapid.SampledFrom(code.CategoryPurposes.All()).Draw(t, "category purpose").Code,
		}
	}
	return kind
}

// drawFurther draws ultimate parties and purpose.
func drawFurther(
	t *rapid.T, scheme rulebook.Scheme, information *iso20022.PaymentInstruction30, transaction *iso20022.CreditTransferTransaction34,
) {
	switch rapid.IntRange(0, 2).Draw(t, "ultimate debtor") {
	case 0:
		information.UltimateDebtor = drawParty(t, scheme, "ultimate debtor")
	case 1:
		transaction.UltimateDebtor = drawParty(t, scheme, "ultimate debtor")
	}
	if rapid.Bool().Draw(t, "has ultimate creditor") {
		transaction.UltimateCreditor = drawParty(t, scheme, "ultimate creditor")
	}
	if rapid.Bool().Draw(t, "has purpose") {
		transaction.Purpose = &iso20022.Purpose2Choice{Code: rapid.SampledFrom(code.Purposes.All()).Draw(t, "purpose").Code}
	}
}

// drawCreditorAccount draws account, bank and the remittance that fits.
func drawCreditorAccount(t *rapid.T, scheme rulebook.Scheme, transaction *iso20022.CreditTransferTransaction34) {
	ibans := []string{"CH4821966000009613388", "LI21088100002324013AA", "CH5021977000004331346"}
	if scheme == rulebook.SchemeSCT {
		ibans = append(ibans, "DE62007620110623852957", "FR1420041010050500013M02606", "NL91ABNA0417164300", "AT611904300234573201")
	}
	iban := rapid.SampledFrom(ibans).Draw(t, "creditor account")
	if scheme == rulebook.SchemeSCT && rapid.Bool().Draw(t, "has creditor agent") {
		transaction.CreditorAgent = &iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{BICFI: "BBBB" + iban[:2] + "PPXXX"},
		}
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind of remittance") {
	case 0:
	case 1:
		transaction.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: []string{drawText(t, 140, "remittance")}}
	case 2:
		reference := creditorReference(rapid.StringMatching(`[A-Z0-9]{1,21}`).Draw(t, "creditor reference"))
		transaction.RemittanceInformation = referenced(iso20022.CreditorReferenceType1Choice{Code: "SCOR"}, reference)
	default:
		if scheme == rulebook.SchemeSIC {
			iban = "CH4431999123000889012"
			reference := qrReference(rapid.StringMatching(`[0-9]{25}[1-9]`).Draw(t, "QR reference"))
			transaction.RemittanceInformation = referenced(iso20022.CreditorReferenceType1Choice{Proprietary: "QRR"}, reference)
		}
	}
	transaction.CreditorAccount = &iso20022.CashAccount38{ID: iso20022.AccountIdentification4Choice{IBAN: iban}}
}

func referenced(kind iso20022.CreditorReferenceType1Choice, reference string) *iso20022.RemittanceInformation16 {
	return &iso20022.RemittanceInformation16{Structured: []iso20022.StructuredRemittanceInformation16{{
		CreditorReferenceInformation: &iso20022.CreditorReferenceInformation2{
			Type: &iso20022.CreditorReferenceType2{CodeOrProprietary: kind}, Reference: reference,
		},
	}}}
}

// creditorReference puts the check digits of ISO 11649 in front.
func creditorReference(text string) string {
	var digits strings.Builder
	for _, r := range text + "RF00" {
		if r >= 'A' {
			fmt.Fprint(&digits, r-'A'+10)
		} else {
			digits.WriteRune(r)
		}
	}
	number, _ := new(big.Int).SetString(digits.String(), 10)
	return fmt.Sprintf("RF%02d%s", 98-number.Mod(number, big.NewInt(97)).Int64(), text)
}

// qrReference puts the check digit (recursive modulo 10) at the end.
func qrReference(digits string) string {
	carry := 0
	for _, r := range digits {
		carry = int("0946827135"[(carry+int(r-'0'))%10] - '0')
	}
	return digits + string(rune('0'+(10-carry)%10))
}
