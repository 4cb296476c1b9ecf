package rulebook

import (
	"unicode/utf8"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

var partyRules = []Rule{
	{
		ID: "creditor-missing", Element: transactionElement + "/Cdtr", Code: "CH21", level: levelTransaction,
		Text:   "Enter the creditor.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return i.transaction.Creditor == nil },
	},
	{
		ID: "creditor-name-missing", Element: transactionElement + "/Cdtr/Nm", Code: "CH21", level: levelTransaction,
		Text:   "Enter the name of the creditor.",
		Source: "SPS 4.3; EPC AT-21",
		broken: func(i *inspection) bool { return i.transaction.Creditor != nil && i.transaction.Creditor.Name == "" },
	},
	{
		ID: "ultimate-party-name", Scheme: SchemeSIC, Element: documentPointer + "{party}/Nm", Code: "CH21", level: levelParty,
		Text:   "Enter the name of the ultimate debtor or ultimate creditor.",
		Source: "SPS 3.13", broken: func(i *inspection) bool {
			// A party with an address is left to the rule about addresses, which asks for the same name.
			ultimate := i.tail == "/UltmtDbtr" || i.tail == "/UltmtCdtr"
			return ultimate && i.party.Name == "" && i.party.PostalAddress == nil
		},
	},
	{
		ID: "name-length", Element: documentPointer + "{party}/Nm", Code: "CH16", level: levelParty,
		Text:   "Shorten the name to 140 characters for sic-inst, or 70 characters for sct-inst.",
		Source: "SPS 3.11, 4.1 to 4.3; ISO, Max140Text", Check: checkNameLength,
	},
	{
		ID: "ultimate-debtor-level", Element: transactionElement + "/UltmtDbtr", Code: "CH07", level: levelTransaction,
		Text:   "Enter the ultimate debtor only once, either in the payment information (PmtInf) or in the transaction.",
		Source: "SPS 4.2, 4.3",
		broken: func(i *inspection) bool {
			return i.information.UltimateDebtor != nil && i.transaction.UltimateDebtor != nil
		},
	},
	{
		ID: "organisation-identification", Element: documentPointer + "{party}/Id/OrgId", Code: "CH17", level: levelParty,
		Text:   "Identify the organisation by its BIC or by one other identifier. You can also add an LEI.",
		Source: "SPS 4.1 to 4.3; EPC122-16 2025 (BIC, LEI and another together); Regulation (EU) 2023/1113, article 4",
		broken: func(i *inspection) bool {
			organisation := i.organisation()
			either := i.input.Scheme == SchemeSIC && organisation.AnyBIC != "" && len(organisation.Other) > 0
			return len(organisation.Other) > 1 || either
		},
	},
	{
		ID: "organisation-bic", Element: documentPointer + "{party}/Id/OrgId/AnyBIC", Code: "RC01", level: levelParty,
		Text:   "Check the BIC of the organisation. It must have 8 or 11 characters, with a country code in positions 5 and 6.",
		Source: "ISO, AnyBICDec2014Identifier; ISO 9362", Check: checkOrganisationBIC,
	},
	{
		ID: "organisation-lei", Element: documentPointer + "{party}/Id/OrgId/LEI", Code: "CH16", level: levelParty,
		Text:   "Check the LEI of the organisation: the check digits (the last two) are wrong.",
		Source: "ISO 17442", broken: func(i *inspection) bool {
			lei := i.organisation().LEI
			return lei != "" && !account.IsLEI(lei)
		},
	},
	{
		ID: "organisation-id-code", Element: documentPointer + "{party}/Id/OrgId/Othr/0/SchmeNm/Cd", Code: "CH16", level: levelParty,
		Text:   "Use a code from the ISO list for the type of identification, such as TXID, or enter your own code in Prtry.",
		Source: "ISO, ExternalOrganisationIdentification1Code", Check: checkOrganisationIDCode,
	},
	{
		ID: "person-id-code", Element: documentPointer + "{party}/Id/PrvtId/Othr/0/SchmeNm/Cd", Code: "CH16", level: levelParty,
		Text:   "Use a code from the ISO list for the type of identification, such as TXID, or enter your own code in Prtry.",
		Source: "ISO, ExternalPersonIdentification1Code", Check: checkPersonIDCode,
	},
	{
		ID: "person-identification", Element: documentPointer + "{party}/Id/PrvtId", Code: "CH17", level: levelParty,
		Text:   "Identify the person by date and place of birth or by one other identifier.",
		Source: "SPS 4.1 to 4.3", broken: func(i *inspection) bool {
			person := i.person()
			return len(person.Other) > 1 || person.DateAndPlaceOfBirth != nil && len(person.Other) > 0
		},
	},
	{
		ID: "person-birth", Element: documentPointer + "{party}/Id/PrvtId/DtAndPlcOfBirth/BirthDt", Code: "DT01", level: levelParty,
		Text:   "Check the date of birth. It is in the future.",
		Source: "ISO, BirthDate", broken: func(i *inspection) bool {
			birth := i.person().DateAndPlaceOfBirth
			if birth == nil {
				return false
			}
			born, err := birth.BirthDate.Date()
			return err == nil && calendar.Compare(born, i.input.Today) > 0
		},
	},
}

// organisation is the identification of the party as an organisation, empty when it has none.
func (i *inspection) organisation() iso20022.OrganisationIdentification29 {
	if i.party.ID == nil || i.party.ID.OrganisationID == nil {
		return iso20022.OrganisationIdentification29{}
	}
	return *i.party.ID.OrganisationID
}

// person is the identification of the party as a person, empty when it has none.
func (i *inspection) person() iso20022.PersonIdentification13 {
	if i.party.ID == nil || i.party.ID.PrivateID == nil {
		return iso20022.PersonIdentification13{}
	}
	return *i.party.ID.PrivateID
}

func checkNameLength(i *inspection) {
	length := utf8.RuneCountInString(i.party.Name)
	if length > i.profile.NameLength {
		i.reportText("/Nm", i18n.Text("Shorten the name to %d characters. It now has %d.").With(i.profile.NameLength, length))
	}
}

func checkOrganisationBIC(i *inspection) {
	bic := i.organisation().AnyBIC
	if bic == "" {
		return
	}
	_, err := account.ParseBIC(bic)
	if err != nil {
		i.reportText("/Id/OrgId/AnyBIC", i18n.OfError(err))
	}
}

func checkOrganisationIDCode(i *inspection) {
	for index, other := range i.organisation().Other {
		if other.SchemeName != nil {
			i.checkCode(code.OrganisationIDs, nil, other.SchemeName.Code, i.base+i.tail+indexed("/Id/OrgId/Othr/", index)+"/SchmeNm/Cd")
		}
	}
}

func checkPersonIDCode(i *inspection) {
	for index, other := range i.person().Other {
		if other.SchemeName != nil {
			i.checkCode(code.PersonIDs, nil, other.SchemeName.Code, i.base+i.tail+indexed("/Id/PrvtId/Othr/", index)+"/SchmeNm/Cd")
		}
	}
}
