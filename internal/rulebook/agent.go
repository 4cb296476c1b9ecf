package rulebook

import (
	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

const (
	agentElement       = documentPointer + "{agent}/FinInstnId"
	creditorAgentBelow = creditorAgentPointer + "/FinInstnId"
	creditorAgent      = transactionElement + creditorAgentBelow
	swissClearing      = "CHBCC"
)

var agentRules = []Rule{
	{
		ID: "agent-empty", Element: agentElement, Code: "CH21", level: levelAgent,
		Text:   "Identify the bank by its BIC or bank code. If the bank is optional here, you can remove the element instead.",
		Source: "SPS 3.4, 3.12",
		broken: func(i *inspection) bool {
			return i.agent.FinancialInstitutionID == (iso20022.FinancialInstitutionIdentification18{})
		},
	},
	{
		ID: "agent-one-identification", Element: agentElement + "/ClrSysMmbId", Code: "CH17", level: levelAgent,
		Text:   "Identify the bank by its BIC or by its bank code, not by both.",
		Source: "SPS 3.12", broken: func(i *inspection) bool {
			institution := &i.agent.FinancialInstitutionID
			return institution.BICFI != "" && institution.ClearingSystemMemberID != nil
		},
	},
	{
		ID: "agent-bic", Element: agentElement + "/BICFI", Code: "RC01", level: levelAgent,
		Text:   "Check the BIC. It must have 8 or 11 characters, with a country code in positions 5 and 6.",
		Source: "ISO, BICFIDec2014Identifier; ISO 9362", Check: checkAgentBIC,
	},
	{
		ID: "agent-clearing-system", Element: agentElement + "/ClrSysMmbId/ClrSysId", Code: "CH21", level: levelAgent,
		Text:   "Enter the clearing system of the bank code, such as CHBCC.",
		Source: "SPS 3.12", broken: func(i *inspection) bool {
			member := i.agent.FinancialInstitutionID.ClearingSystemMemberID
			return member != nil && member.ClearingSystemID == nil
		},
	},
	{
		ID: "agent-iid", Element: agentElement + "/ClrSysMmbId/MmbId", Code: "RC01", level: levelAgent,
		Text:   "Enter the bank code (IID) with at most 5 digits.",
		Source: "SPS 4.2, 4.3", Check: checkAgentIID,
	},
	{
		ID: "agent-iid-known", Element: agentElement + "/ClrSysMmbId/MmbId", Code: "AGNT", level: levelAgent,
		Text:   "Check the bank code (IID): no bank in Switzerland or Liechtenstein has this code.",
		Source: "SPS 4.2, 4.3; bank master of SIX (a setting, off by default)", broken: func(i *inspection) bool {
			code, swiss := swissMember(i.agent)
			if !swiss || !i.input.Settings.KnownBanksOnly {
				return false
			}
			iid, err := account.ParseIID(code)
			_, known := account.BankByIID(iid)
			return err == nil && !known
		},
	},
	{
		ID: "creditor-agent-country", Scheme: SchemeSIC, Element: creditorAgent + "/BICFI", Code: "AGNT", level: levelTransaction,
		Text:   "Enter the BIC of a bank in Switzerland or Liechtenstein, or leave the bank out. The IBAN identifies the bank.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			bic, err := account.ParseBIC(i.creditorInstitution().BICFI)
			return err == nil && bic.Country() != "CH" && bic.Country() != "LI"
		},
	},
	{
		ID: "creditor-agent-clearing-code", Scheme: SchemeSIC, Element: creditorAgent + "/ClrSysMmbId/ClrSysId", Code: "CH16",
		level:  levelTransaction,
		Text:   "Enter CHBCC as the clearing system of the creditor's bank.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			member := i.creditorInstitution().ClearingSystemMemberID
			return member != nil && member.ClearingSystemID != nil && member.ClearingSystemID.Code != swissClearing
		},
	},
	{
		ID: "creditor-agent-bank-code", Scheme: SchemeSCT, Element: creditorAgent + "/ClrSysMmbId", Code: "CH17", level: levelTransaction,
		Text:   "Remove the bank code: SEPA identifies the creditor's bank only by its BIC.",
		Source: "SPS 4.3; EPC, CdtrAgt", broken: func(i *inspection) bool { return i.creditorInstitution().ClearingSystemMemberID != nil },
	},
	{
		ID: "creditor-agent-reach", Scheme: SchemeSCT, Element: creditorAgent + "/BICFI", Code: "AGNT", level: levelTransaction,
		Text:   "Enter the BIC of the bank that holds the account. The country of the bank must be a SEPA country and match the IBAN.",
		Source: "EPC SCT Inst rulebook 2025, scheme participants; ISO 9362; ISO 13616", broken: func(i *inspection) bool {
			bic, err := account.ParseBIC(i.creditorInstitution().BICFI)
			if err != nil || bic.String() == iso20022.NotProvided {
				return false
			}
			country, iban := ibanCountryOf(bic.Country()), i.creditorAccount.iban
			elsewhere := !iban.IsZero() && country != iban.Country() // an IBAN that is none is another rule's matter
			return elsewhere || !account.InSEPA(country, i.input.Today)
		},
	},
	{
		ID: "creditor-agent-lei", Scheme: SchemeSCT, Element: creditorAgent + "/LEI", Code: "CH17", level: levelTransaction,
		Text:   "Remove the LEI of the creditor's bank: SEPA identifies the bank only by its BIC.",
		Source: "EPC115-06 pacs.008 (CdtrAgt: only BIC)", broken: func(i *inspection) bool { return i.creditorInstitution().LEI != "" },
	},
	{
		ID: "agent-lei", Element: agentElement + "/LEI", Code: "CH16", level: levelAgent,
		Text:   "Check the LEI of the bank: the check digits (the last two) are wrong.",
		Source: "ISO 17442",
		broken: func(i *inspection) bool {
			lei := i.agent.FinancialInstitutionID.LEI
			return lei != "" && !account.IsLEI(lei)
		},
	},
	{
		ID: "creditor-agent-name", Element: creditorAgent + "/Nm", Code: "CH17", level: levelTransaction,
		Text:   "Remove the name of the creditor's bank.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return i.creditorInstitution().Name != "" },
	},
	{
		ID: "creditor-agent-address", Element: creditorAgent + "/PstlAdr", Code: "CH17", level: levelTransaction,
		Text:   "Remove the address of the creditor's bank.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return i.creditorInstitution().PostalAddress != nil },
	},
	{
		ID: "creditor-agent-other", Element: creditorAgent + "/Othr", Code: "CH17", level: levelTransaction,
		Text:   "Remove the other identification (Othr) of the creditor's bank.",
		Source: "SPS 4.3", Check: checkCreditorAgentOther,
	},
}

func checkAgentBIC(i *inspection) {
	if i.agent.FinancialInstitutionID.BICFI == "" {
		return
	}
	if i.agent.FinancialInstitutionID.BICFI == iso20022.NotProvided {
		i.reportText("/FinInstnId/BICFI",
			"Enter the BIC of the bank. If the bank is unknown, leave CdtrAgt out, or write NOTPROVIDED in Othr/Id of DbtrAgt.")
		return
	}
	_, err := account.ParseBIC(i.agent.FinancialInstitutionID.BICFI)
	if err != nil {
		i.reportText("/FinInstnId/BICFI", i18n.OfError(err))
	}
}

// swissMember is the bank code of an agent when it is one of the Swiss clearing.
func swissMember(agent *iso20022.BranchAndFinancialInstitutionIdentification6) (string, bool) {
	member := agent.FinancialInstitutionID.ClearingSystemMemberID
	if member == nil || member.ClearingSystemID == nil || member.ClearingSystemID.Code != swissClearing {
		return "", false
	}
	return member.MemberID, true
}

func checkAgentIID(i *inspection) {
	code, swiss := swissMember(i.agent)
	if !swiss {
		return
	}
	_, err := account.ParseIID(code)
	if err != nil {
		i.reportText("/FinInstnId/ClrSysMmbId/MmbId", i18n.OfError(err))
	}
}

// creditorInstitution is the identification of the creditor's bank, empty when it is left out.
func (i *inspection) creditorInstitution() iso20022.FinancialInstitutionIdentification18 {
	if i.transaction.CreditorAgent == nil {
		return iso20022.FinancialInstitutionIdentification18{}
	}
	return i.transaction.CreditorAgent.FinancialInstitutionID
}

// ibanCountries are the territories of SEPA whose banks have BICs of their own country and IBANs of another (ISO 13616, registry of SWIFT).
// New Caledonia, French Polynesia, Wallis and Futuna and the Southern Territories have IBANs of France too, but are not of SEPA
// (EPC409-09).
var ibanCountries = map[string]string{
	"AX": "FI",
	"GG": "GB",
	"IM": "GB",
	"JE": "GB",
	"BL": "FR",
	"GF": "FR",
	"GP": "FR",
	"MF": "FR",
	"MQ": "FR",
	"PM": "FR",
	"RE": "FR",
	"YT": "FR",
}

// ibanCountryOf is the country in which the accounts of a bank begin.
func ibanCountryOf(country string) string {
	if of, found := ibanCountries[country]; found {
		return of
	}
	return country
}

func checkCreditorAgentOther(i *inspection) {
	other := i.creditorInstitution().Other
	switch {
	case other == nil:
	case other.ID == iso20022.NotProvided:
		i.reportText(creditorAgentBelow+"/Othr", "Leave CdtrAgt out: the IBAN identifies the creditor's bank.")
	default:
		i.report(creditorAgentBelow + "/Othr")
	}
}
