package rulebook

import (
	"unicode/utf8"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/iso20022/code"
)

var partyRules = []Rule{
	{
		ID: "creditor-missing", Element: transactionElement + "/Cdtr", Code: "CH21", level: levelTransaction,
		Text:   "Enter the creditor.",
		Source: "SPS 4.3", Check: checkCreditorMissing,
	},
	{
		ID: "creditor-name-missing", Element: transactionElement + "/Cdtr/Nm", Code: "CH21", level: levelTransaction,
		Text:   "Enter the name of the creditor.",
		Source: "SPS 4.3; EPC AT-21", Check: checkCreditorNameMissing,
	},
	{
		ID: "ultimate-party-name", Scheme: SchemeSIC, Element: documentPointer + "{party}/Nm", Code: "CH21", level: levelParty,
		Text:   "Enter the name of the ultimate debtor or creditor.",
		Source: "SPS 3.13", Check: checkUltimatePartyName,
	},
	{
		ID: "name-length", Element: documentPointer + "{party}/Nm", Code: "CH16", level: levelParty,
		Text:   "Shorten the name: 140 characters are allowed in sic-inst, 70 in sct-inst.",
		Source: "SPS 3.11, 4.1 to 4.3; ISO, Max140Text", Check: checkNameLength,
	},
	{
		ID: "ultimate-debtor-level", Element: transactionElement + "/UltmtDbtr", Code: "CH07", level: levelTransaction,
		Text:   "Give the ultimate debtor once: in the payment information (PmtInf) or in the transaction.",
		Source: "SPS 4.2, 4.3", Check: checkUltimateDebtorLevel,
	},
	{
		ID: "organisation-identification", Element: documentPointer + "{party}/Id/OrgId", Code: "CH17", level: levelParty,
		Text:   "Identify the organisation either by BIC or by one other identification; an LEI may be added.",
		Source: "SPS 4.1 to 4.3; EPC122-16 2025 (BIC, LEI and another together); Regulation (EU) 2023/1113, article 4",
		Check:  checkOrganisationIdentification,
	},
	{
		ID: "organisation-bic", Element: documentPointer + "{party}/Id/OrgId/AnyBIC", Code: "RC01", level: levelParty,
		Text:   "Check the BIC of the organisation: it must have 8 or 11 characters, with a country code in positions 5 and 6.",
		Source: "ISO, AnyBICDec2014Identifier; ISO 9362", Check: checkOrganisationBIC,
	},
	{
		ID: "organisation-lei", Element: documentPointer + "{party}/Id/OrgId/LEI", Code: "CH16", level: levelParty,
		Text:   "Check the LEI of the organisation: its check digits (the last two) are wrong.",
		Source: "ISO 17442", Check: checkOrganisationLEI,
	},
	{
		ID: "organisation-id-code", Element: documentPointer + "{party}/Id/OrgId/Othr/0/SchmeNm/Cd", Code: "CH16", level: levelParty,
		Text:   "Use a code of the ISO code list for the kind of identification, such as TXID, or write it as proprietary.",
		Source: "ISO, ExternalOrganisationIdentification1Code", Check: checkOrganisationIDCode,
	},
	{
		ID: "person-id-code", Element: documentPointer + "{party}/Id/PrvtId/Othr/0/SchmeNm/Cd", Code: "CH16", level: levelParty,
		Text:   "Use a code of the ISO code list for the kind of identification, such as TXID, or write it as proprietary.",
		Source: "ISO, ExternalPersonIdentification1Code", Check: checkPersonIDCode,
	},
	{
		ID: "person-identification", Element: documentPointer + "{party}/Id/PrvtId", Code: "CH17", level: levelParty,
		Text:   "Identify the person either by date and place of birth or by one other identification.",
		Source: "SPS 4.1 to 4.3", Check: checkPersonIdentification,
	},
	{
		ID: "person-birth", Element: documentPointer + "{party}/Id/PrvtId/DtAndPlcOfBirth/BirthDt", Code: "DT01", level: levelParty,
		Text:   "Check the date of birth: it is in the future.",
		Source: "ISO, BirthDate", Check: checkPersonBirth,
	},
}

// checkPersonBirth refuses a date of birth after today.
func checkPersonBirth(i *inspection) {
	if i.party.ID == nil || i.party.ID.PrivateID == nil || i.party.ID.PrivateID.DateAndPlaceOfBirth == nil {
		return
	}
	born, err := i.party.ID.PrivateID.DateAndPlaceOfBirth.BirthDate.Date()
	if err == nil && calendar.Compare(born, i.input.Today) > 0 {
		i.report("/Id/PrvtId/DtAndPlcOfBirth/BirthDt")
	}
}

func checkCreditorMissing(i *inspection) {
	if i.transaction.Creditor == nil {
		i.report("/Cdtr")
	}
}

func checkCreditorNameMissing(i *inspection) {
	if i.transaction.Creditor != nil && i.transaction.Creditor.Name == "" {
		i.report("/Cdtr/Nm")
	}
}

// checkUltimatePartyName leaves a party with an address to the rule about addresses, which asks for the same name.
func checkUltimatePartyName(i *inspection) {
	ultimate := i.tail == "/UltmtDbtr" || i.tail == "/UltmtCdtr"
	if ultimate && i.party.Name == "" && i.party.PostalAddress == nil {
		i.report("/Nm")
	}
}

func checkNameLength(i *inspection) {
	length := utf8.RuneCountInString(i.party.Name)
	if length > i.profile.NameLength {
		i.reportText("/Nm", i18n.Text("Shorten the name to %d characters: it has %d.").With(i.profile.NameLength, length))
	}
}

func checkUltimateDebtorLevel(i *inspection) {
	if i.information.UltimateDebtor != nil && i.transaction.UltimateDebtor != nil {
		i.report("/UltmtDbtr")
	}
}

func checkOrganisationIdentification(i *inspection) {
	if i.party.ID == nil || i.party.ID.OrganisationID == nil {
		return
	}
	organisation := i.party.ID.OrganisationID
	either := i.input.Scheme == SchemeSIC && organisation.AnyBIC != "" && len(organisation.Other) > 0
	if len(organisation.Other) > 1 || either {
		i.report("/Id/OrgId")
	}
}

func checkOrganisationBIC(i *inspection) {
	if i.party.ID == nil || i.party.ID.OrganisationID == nil || i.party.ID.OrganisationID.AnyBIC == "" {
		return
	}
	_, err := account.ParseBIC(i.party.ID.OrganisationID.AnyBIC)
	if err != nil {
		i.reportText("/Id/OrgId/AnyBIC", i18n.OfError(err))
	}
}

func checkOrganisationLEI(i *inspection) {
	if i.party.ID == nil || i.party.ID.OrganisationID == nil || i.party.ID.OrganisationID.LEI == "" {
		return
	}
	if !account.IsLEI(i.party.ID.OrganisationID.LEI) {
		i.report("/Id/OrgId/LEI")
	}
}

func checkOrganisationIDCode(i *inspection) {
	if i.party.ID == nil || i.party.ID.OrganisationID == nil {
		return
	}
	for index, other := range i.party.ID.OrganisationID.Other {
		if other.SchemeName != nil {
			i.checkCode(code.OrganisationIDs, nil, other.SchemeName.Code, i.base+i.tail+indexed("/Id/OrgId/Othr/", index)+"/SchmeNm/Cd")
		}
	}
}

func checkPersonIDCode(i *inspection) {
	if i.party.ID == nil || i.party.ID.PrivateID == nil {
		return
	}
	for index, other := range i.party.ID.PrivateID.Other {
		if other.SchemeName != nil {
			i.checkCode(code.PersonIDs, nil, other.SchemeName.Code, i.base+i.tail+indexed("/Id/PrvtId/Othr/", index)+"/SchmeNm/Cd")
		}
	}
}

func checkPersonIdentification(i *inspection) {
	if i.party.ID == nil || i.party.ID.PrivateID == nil {
		return
	}
	person := i.party.ID.PrivateID
	if len(person.Other) > 1 || person.DateAndPlaceOfBirth != nil && len(person.Other) > 0 {
		i.report("/Id/PrvtId")
	}
}
