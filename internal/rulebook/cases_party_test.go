package rulebook_test

import (
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

func creditorName(length int) func(d *document) {
	return func(d *document) { d.tx.Creditor.Name = strings.Repeat("é", length) }
}

// ultimateDebtors puts ultimate debtors where the letters say: i with the payment information, t with the transaction.
func ultimateDebtors(where string) func(d *document) {
	return func(d *document) {
		party := &iso20022.PartyIdentification135{Name: "Anna Muster"}
		if strings.Contains(where, "i") {
			d.info.UltimateDebtor = party
		}
		if strings.Contains(where, "t") {
			d.tx.UltimateDebtor = party
		}
	}
}

func creditorOrganisation(bic string, others int) func(d *document) {
	return func(d *document) {
		d.tx.Creditor.ID = organisation(bic)
		d.tx.Creditor.ID.OrganisationID.LEI = "529900T8BM49AURSDO55"
		d.tx.Creditor.ID.OrganisationID.Other = make([]iso20022.GenericOrganisationIdentification1, others)
	}
}

func creditorPerson(born bool, others int) func(d *document) {
	return func(d *document) {
		person := &iso20022.PersonIdentification13{Other: make([]iso20022.GenericPersonIdentification1, others)}
		if born {
			person.DateAndPlaceOfBirth = &iso20022.DateAndPlaceOfBirth1{BirthDate: "1980-01-31", CityOfBirth: "Bern", CountryOfBirth: "CH"}
		}
		d.tx.Creditor.ID = &iso20022.Party38Choice{PrivateID: person}
	}
}

// identified gives the creditor another identification of a kind: a code, or proprietary.
func identified(kind, proprietary string, person bool) func(d *document) {
	return func(d *document) {
		d.tx.Creditor.ID = &iso20022.Party38Choice{}
		if person {
			d.tx.Creditor.ID.PrivateID = &iso20022.PersonIdentification13{Other: []iso20022.GenericPersonIdentification1{
				{ID: "4711", SchemeName: &iso20022.PersonIdentificationSchemeName1Choice{Code: kind, Proprietary: proprietary}},
			}}
			return
		}
		d.tx.Creditor.ID.OrganisationID = &iso20022.OrganisationIdentification29{Other: []iso20022.GenericOrganisationIdentification1{
			{ID: "4711", SchemeName: &iso20022.OrganisationIdentificationSchemeName1Choice{Code: kind, Proprietary: proprietary}},
		}}
	}
}

var partyCases = []ruleCase{
	{rule: "creditor-missing", name: "there"},
	{rule: "creditor-missing", name: "missing", change: func(d *document) { d.tx.Creditor = nil }, pointer: txAt + "/Cdtr"},
	{rule: "creditor-name-missing", name: "without address", change: func(d *document) { d.tx.Creditor.PostalAddress = nil }},
	{rule: "creditor-name-missing", name: "missing", change: func(d *document) { d.tx.Creditor.Name = "" }, pointer: txAt + "/Cdtr/Nm"},
	{rule: "name-length", name: "longest Swiss", change: creditorName(140)},
	{rule: "name-length", name: "longest SEPA", base: sepaPayment, change: creditorName(70)},
	{rule: "name-length", name: "too long for SEPA", base: sepaPayment, change: creditorName(71), pointer: txAt + "/Cdtr/Nm"},
	{
		rule: "name-length", name: "debtor too long for SEPA", base: sepaPayment,
		change: func(d *document) { d.info.Debtor.Name = strings.Repeat("a", 71) }, pointer: infoAt + "/Dbtr/Nm",
	},
	{rule: "name-length", name: "too long for Switzerland", change: creditorName(141), pointer: txAt + "/Cdtr/Nm"},
	{rule: "ultimate-debtor-level", name: "with the payment information", change: ultimateDebtors("i")},
	{rule: "ultimate-debtor-level", name: "on the transaction", change: ultimateDebtors("t")},
	{rule: "ultimate-debtor-level", name: "on both", change: ultimateDebtors("it"), pointer: txAt + "/UltmtDbtr"},
	{rule: "organisation-identification", name: "BIC and LEI", change: creditorOrganisation("RAIFCH22005", 0)},
	{rule: "organisation-identification", name: "one other", change: creditorOrganisation("", 1)},
	{
		rule: "organisation-identification", name: "BIC and other", change: creditorOrganisation("RAIFCH22005", 1),
		pointer: txAt + "/Cdtr/Id/OrgId",
	},
	{
		rule: "organisation-identification", name: "BIC, LEI and other in SEPA", base: sepaPayment,
		change: creditorOrganisation("RAIFCH22005", 1),
	},
	{
		rule: "organisation-identification", name: "two others in SEPA", base: sepaPayment, change: creditorOrganisation("", 2),
		pointer: txAt + "/Cdtr/Id/OrgId",
	},
	{rule: "organisation-identification", name: "two others", change: creditorOrganisation("", 2), pointer: txAt + "/Cdtr/Id/OrgId"},
	{rule: "organisation-bic", name: "good", change: creditorOrganisation("RAIFCH22", 0)},
	{rule: "organisation-bic", name: "no such country", change: creditorOrganisation("RAIFZZ22", 0), pointer: txAt + "/Cdtr/Id/OrgId/AnyBIC"},
	{rule: "ultimate-party-name", name: "named", change: ultimateDebtors("t")},
	{rule: "ultimate-party-name", name: "debtor by its identification only", change: func(d *document) {
		d.info.UltimateDebtor = &iso20022.PartyIdentification135{ID: organisation("RAIFCH22005")}
	}, pointer: infoAt + "/UltmtDbtr/Nm"},
	{rule: "ultimate-party-name", name: "creditor by its identification only", change: func(d *document) {
		d.tx.UltimateCreditor = &iso20022.PartyIdentification135{ID: organisation("RAIFCH22005")}
	}, pointer: txAt + "/UltmtCdtr/Nm"},
	{rule: "ultimate-party-name", name: "not asked in SEPA", base: sepaPayment, change: func(d *document) {
		d.tx.UltimateCreditor = &iso20022.PartyIdentification135{ID: organisation("RAIFCH22005")}
	}},
	{rule: "organisation-lei", name: "good", change: creditorOrganisation("", 0)},
	{rule: "organisation-lei", name: "check digits", change: func(d *document) {
		creditorOrganisation("", 0)(d)
		d.tx.Creditor.ID.OrganisationID.LEI = "529900T8BM49AURSDO56"
	}, pointer: txAt + "/Cdtr/Id/OrgId/LEI"},
	{rule: "person-identification", name: "birth", change: creditorPerson(true, 0)},
	{rule: "person-birth", name: "in the past", change: creditorPerson(true, 0)},
	{rule: "person-birth", name: "tomorrow", change: func(d *document) {
		creditorPerson(true, 0)(d)
		d.tx.Creditor.ID.PrivateID.DateAndPlaceOfBirth.BirthDate = "2099-01-01"
	}, pointer: txAt + "/Cdtr/Id/PrvtId/DtAndPlcOfBirth/BirthDt"},
	{rule: "organisation-id-code", name: "of the list", change: identified("TXID", "", false)},
	{rule: "organisation-id-code", name: "proprietary", change: identified("", "HOUSE", false)},
	{rule: "organisation-id-code", name: "unknown", change: identified("ZZZZ", "", false), pointer: txAt + "/Cdtr/Id/OrgId/Othr/0/SchmeNm/Cd"},
	{rule: "person-id-code", name: "of the list", base: sepaPayment, change: identified("NIDN", "", true)},
	{rule: "person-id-code", name: "unknown", base: sepaPayment, change: identified("GS1G", "", true), pointer: txAt + "/Cdtr/Id/PrvtId/Othr/0/SchmeNm/Cd"},
	{rule: "person-identification", name: "one other", change: creditorPerson(false, 1)},
	{rule: "person-identification", name: "birth and other", change: creditorPerson(true, 1), pointer: txAt + "/Cdtr/Id/PrvtId"},
	{rule: "person-identification", name: "two others", change: creditorPerson(false, 2), pointer: txAt + "/Cdtr/Id/PrvtId"},
}

const creditorAddress = txAt + "/Cdtr/PstlAdr"

func address(made iso20022.PostalAddress24) func(d *document) {
	return func(d *document) {
		own := made
		d.tx.Creditor.PostalAddress = &own
	}
}

func unstructuredAddress() func(d *document) {
	return address(iso20022.PostalAddress24{Country: "CH", AddressLine: []string{"Rosenauweg 4", "8036 Zürich"}})
}

func todayIs(year int, month time.Month, day int) func(in *rulebook.Input) {
	return func(in *rulebook.Input) {
		in.Today = time.Date(year, month, day, 9, 0, 0, 0, time.UTC)
		in.Document.PaymentInformation[0].RequestedExecutionDate.Date = iso20022.DateOf(in.Today)
	}
}

var addressCases = []ruleCase{
	{rule: "address-needs-name", name: "with name", change: func(d *document) {
		d.tx.UltimateCreditor = &iso20022.PartyIdentification135{Name: "Anna Muster", PostalAddress: d.tx.Creditor.PostalAddress}
	}},
	{rule: "address-needs-name", name: "without name", change: func(d *document) {
		d.tx.UltimateCreditor = &iso20022.PartyIdentification135{PostalAddress: d.tx.Creditor.PostalAddress}
	}, pointer: txAt + "/UltmtCdtr/Nm"},
	{rule: "address-type", name: "none"},
	{rule: "address-type", name: "given", change: func(d *document) {
		d.tx.Creditor.PostalAddress.AddressType = &iso20022.AddressType3Choice{Code: "HOME"}
	}, pointer: creditorAddress + "/AdrTp"},
	{rule: "address-town", name: "least", change: address(iso20022.PostalAddress24{TownName: "Bern", Country: "CH"})},
	{
		rule: "address-town", name: "missing", change: address(iso20022.PostalAddress24{StreetName: "Weg", Country: "CH"}),
		pointer: creditorAddress + "/TwnNm",
	},
	{
		rule: "address-town", name: "a placeholder", change: address(iso20022.PostalAddress24{TownName: "NotProvided", Country: "CH"}),
		pointer: creditorAddress + "/TwnNm",
	},
	{
		rule: "address-town", name: "no letter", change: address(iso20022.PostalAddress24{TownName: " . ", Country: "CH"}),
		pointer: creditorAddress + "/TwnNm",
	},
	{rule: "address-country", name: "least", change: address(iso20022.PostalAddress24{TownName: "Bern", Country: "CH"})},
	{
		rule: "address-country", name: "missing", change: address(iso20022.PostalAddress24{TownName: "Bern"}),
		pointer: creditorAddress + "/Ctry",
	},
	{
		rule: "address-country", name: "missing in a hybrid one",
		change: address(iso20022.PostalAddress24{TownName: "Bern", AddressLine: []string{"Hof"}}), pointer: creditorAddress + "/Ctry",
	},
	{rule: "address-country-exists", name: "Kosovo", change: address(iso20022.PostalAddress24{TownName: "Pristina", Country: "XK"})},
	{
		rule: "address-country-exists", name: "none such", change: address(iso20022.PostalAddress24{TownName: "Bern", Country: "ZZ"}),
		pointer: creditorAddress + "/Ctry",
	},
	{rule: "address-unstructured", name: "Swiss, last day", change: unstructuredAddress(), input: todayIs(2026, time.November, 13)},
	{
		rule: "address-unstructured", name: "Swiss, first day without", change: unstructuredAddress(),
		input: todayIs(2026, time.November, 14), pointer: creditorAddress + "/AdrLine",
	},
	{
		rule: "address-unstructured", name: "SEPA, last day", base: sepaPayment, change: unstructuredAddress(),
		input: todayIs(2026, time.November, 14),
	},
	{
		rule: "address-unstructured", name: "SEPA, first day without", base: sepaPayment, change: unstructuredAddress(),
		input: todayIs(2026, time.November, 15), pointer: creditorAddress + "/AdrLine",
	},
	{rule: "address-unstructured", name: "later by setting", change: unstructuredAddress(), settings: func(s *rulebook.Settings) {
		s.SICUnstructuredEnd = time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)
	}},
	{
		rule: "address-lines", name: "two",
		change: address(iso20022.PostalAddress24{TownName: "Bern", Country: "CH", AddressLine: []string{"Hof", "Tor 2"}}),
	},
	{rule: "address-lines", name: "three", change: address(iso20022.PostalAddress24{
		TownName: "Bern", Country: "CH", AddressLine: []string{"Hof", "Tor 2", "Stock 3"},
	}), pointer: creditorAddress + "/AdrLine"},
	{rule: "address-repeats", name: "something else", change: address(iso20022.PostalAddress24{
		StreetName: "Weg", BuildingNumber: "4", PostCode: "3000", TownName: "Bern", Country: "CH", AddressLine: []string{"Bernhof"},
	})},
	{rule: "address-repeats", name: "town", change: address(iso20022.PostalAddress24{
		TownName: "Bern", Country: "CH", AddressLine: []string{"Hof", "BERN "},
	}), pointer: creditorAddress + "/AdrLine/1"},
	{rule: "address-repeats", name: "post code and town", change: address(iso20022.PostalAddress24{
		PostCode: "3000", TownName: "Bern", Country: "CH", AddressLine: []string{"3000 Bern"},
	}), pointer: creditorAddress + "/AdrLine/0"},
	{rule: "address-repeats", name: "street and number", change: address(iso20022.PostalAddress24{
		StreetName: "Weg", BuildingNumber: "4", TownName: "Bern", Country: "CH", AddressLine: []string{"Weg 4"},
	}), pointer: creditorAddress + "/AdrLine/0"},
}
