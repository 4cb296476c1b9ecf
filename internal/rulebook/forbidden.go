package rulebook

// forbiddenRules are the elements the schema has and a scheme does not take.
var forbiddenRules = []Rule{
	forbidden(levelTransaction, Rule{
		ID: "no-exchange-rate", Scheme: SchemeSCT, Element: "/XchgRateInf", Text: "Remove the exchange rate information.",
		broken: func(i *inspection) bool { return i.transaction.ExchangeRateInformation != nil },
	}),
	forbidden(levelTransaction, Rule{
		ID: "no-cheque-instruction", Element: "/ChqInstr", Text: "Remove the cheque instruction.",
		broken: func(i *inspection) bool { return i.transaction.ChequeInstruction != nil },
	}),
	forbidden(levelTransaction, Rule{
		ID: "no-instruction-for-creditor-agent", Element: "/InstrForCdtrAgt", Text: "Remove the instruction for the creditor's bank.",
		broken: func(i *inspection) bool { return len(i.transaction.InstructionForCreditorAgent) > 0 },
	}),
	forbidden(levelTransaction, Rule{
		ID: "no-instruction-for-debtor-agent", Element: "/InstrForDbtrAgt", Text: "Remove the instruction for the debtor's bank.",
		broken: func(i *inspection) bool { return i.transaction.InstructionForDebtorAgent != "" },
	}),
	forbidden(levelTransaction, Rule{
		ID: "no-regulatory-reporting", Scheme: SchemeSIC, Element: "/RgltryRptg", Text: "Remove the regulatory reporting information.",
		broken: func(i *inspection) bool { return len(i.transaction.RegulatoryReporting) > 0 },
	}),
	forbidden(levelTransaction, Rule{
		ID: "no-related-remittance", Scheme: SchemeSIC, Element: "/RltdRmtInf", Text: "Remove the related remittance information.",
		broken: func(i *inspection) bool { return len(i.transaction.RelatedRemittanceInformation) > 0 },
	}),
	forbidden(levelTransaction, Rule{
		ID: "related-remittance-alone", Scheme: SchemeSCT, Element: "/RltdRmtInf",
		Text: "Remove the related remittance information: it cannot be combined with remittance information.",
		broken: func(i *inspection) bool {
			return len(i.transaction.RelatedRemittanceInformation) > 0 && i.transaction.RemittanceInformation != nil
		},
	}),
	{
		ID: "no-payment-instruction-for-debtor-agent", Scheme: SchemeSCT, Element: documentPointer + "/PmtInf/0/InstrForDbtrAgt",
		Code: "CH17", Text: "Remove the instruction for the debtor's bank.", Source: "SPS 4.2", level: levelInformation,
		broken: func(i *inspection) bool { return i.information.InstructionForDebtorAgent != "" },
	},
	forbidden(levelStructured, Rule{
		ID: "no-referred-document", Scheme: SchemeSCT, Element: "/RfrdDocInf", Text: "Remove the referenced document.",
		broken: func(i *inspection) bool { return len(i.structured.ReferredDocumentInformation) > 0 },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-referred-document-amount", Scheme: SchemeSCT, Element: "/RfrdDocAmt", Text: "Remove the amount of the referenced document.",
		broken: func(i *inspection) bool { return i.structured.ReferredDocumentAmount != nil },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-invoicer", Element: "/Invcr", Text: "Remove the issuer of the invoice.",
		broken: func(i *inspection) bool { return i.structured.Invoicer != nil },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-invoicee", Element: "/Invcee", Text: "Remove the recipient of the invoice.",
		broken: func(i *inspection) bool { return i.structured.Invoicee != nil },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-tax-remittance", Scheme: SchemeSCT, Element: "/TaxRmt", Text: "Remove the tax information.",
		broken: func(i *inspection) bool { return i.structured.TaxRemittance != nil },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-garnishment-remittance", Scheme: SchemeSCT, Element: "/GrnshmtRmt", Text: "Remove the garnishment information.",
		broken: func(i *inspection) bool { return i.structured.GarnishmentRemittance != nil },
	}),
	forbidden(levelStructured, Rule{
		ID: "no-additional-remittance", Scheme: SchemeSCT, Element: "/AddtlRmtInf", Text: "Remove the additional remittance information.",
		broken: func(i *inspection) bool { return len(i.structured.AdditionalRemittanceInformation) > 0 },
	}),
}

// forbidden is the rule that a part does not have the element.
func forbidden(at level, r Rule) Rule {
	r.Element, r.Code, r.Source, r.level = partElements[at]+r.Element, "CH17", "SPS 4.3", at
	return r
}
