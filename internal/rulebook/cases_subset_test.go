package rulebook_test

import "countersign/internal/iso20022"

func purposeAs(code, proprietary string) func(d *document) {
	return func(d *document) { d.tx.Purpose = &iso20022.Purpose2Choice{Code: code, Proprietary: proprietary} }
}

func debtorAgentOther(id string) func(d *document) {
	return func(d *document) {
		d.info.DebtorAgent = iso20022.BranchAndFinancialInstitutionIdentification6{
			FinancialInstitutionID: iso20022.FinancialInstitutionIdentification18{
				Other: &iso20022.GenericFinancialIdentification1{ID: id},
			},
		}
	}
}

func creditorAccountCurrency(d *document) { d.tx.CreditorAccount.Currency = "CHF" }

// The whole list of the Swiss schema is held by package interbank, which adds elements by themselves.
var subsetCases = []ruleCase{
	{rule: "swiss-subset", name: "purpose by code", change: purposeAs("SALA", "")},
	{rule: "swiss-subset", name: "purpose in own words", change: purposeAs("", "rent"), pointer: txAt + "/Purp/Prtry"},
	{rule: "swiss-subset", name: "purpose in own words, SEPA", base: sepaPayment, change: purposeAs("", "rent")},
	{rule: "swiss-subset", name: "currency of the creditor account", change: creditorAccountCurrency, pointer: txAt + "/CdtrAcct/Ccy"},
	{rule: "swiss-subset", name: "contact details of the debtor", change: func(d *document) {
		d.info.Debtor.ContactDetails = &iso20022.Contact4{Name: "Anna"}
	}, pointer: infoAt + "/Dbtr/CtctDtls"},
	{rule: "swiss-subset", name: "bank not named", change: debtorAgentOther("NOTPROVIDED")},
	{rule: "swiss-subset", name: "bank named by a number of its own", change: debtorAgentOther("4711"), pointer: debtorAgentAt + "/Othr"},
}
