package rulebook

import "countersign/internal/iso20022"

// forbiddenRules are the elements the schema has and a scheme does not take.
var forbiddenRules = []Rule{
	forbidden("no-exchange-rate", SchemeSCT, "/XchgRateInf", "Remove the exchange rate information.",
		func(t *iso20022.CreditTransferTransaction34) bool { return t.ExchangeRateInformation != nil }),
	forbidden("no-cheque-instruction", "", "/ChqInstr", "Remove the cheque instruction.",
		func(t *iso20022.CreditTransferTransaction34) bool { return t.ChequeInstruction != nil }),
	forbidden("no-instruction-for-creditor-agent", "", "/InstrForCdtrAgt", "Remove the instruction for the creditor's bank.",
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.InstructionForCreditorAgent) > 0 }),
	forbidden("no-instruction-for-debtor-agent", "", "/InstrForDbtrAgt", "Remove the instruction for the debtor's bank.",
		func(t *iso20022.CreditTransferTransaction34) bool { return t.InstructionForDebtorAgent != "" }),
	forbidden("no-regulatory-reporting", SchemeSIC, "/RgltryRptg", "Remove the regulatory reporting.",
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.RegulatoryReporting) > 0 }),
	forbidden("no-related-remittance", SchemeSIC, "/RltdRmtInf", "Remove the related remittance information.",
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.RelatedRemittanceInformation) > 0 }),
	forbidden("related-remittance-alone", SchemeSCT, "/RltdRmtInf", "Remove the related remittance information: it does not go together with remittance information.",
		func(t *iso20022.CreditTransferTransaction34) bool {
			return len(t.RelatedRemittanceInformation) > 0 && t.RemittanceInformation != nil
		}),
	{
		ID: "no-payment-instruction-for-debtor-agent", Scheme: SchemeSCT, Element: documentPointer + "/PmtInf/0/InstrForDbtrAgt",
		Code: "CH17", Text: "Remove the instruction for the debtor's bank.", Source: "SPS 4.2", level: levelInformation,
		Check: func(i *inspection) {
			if i.information.InstructionForDebtorAgent != "" {
				i.report("/InstrForDbtrAgt")
			}
		},
	},
	forbiddenStructured("no-referred-document", SchemeSCT, "/RfrdDocInf", "Remove the referred document.",
		func(s *iso20022.StructuredRemittanceInformation16) bool {
			return len(s.ReferredDocumentInformation) > 0
		}),
	forbiddenStructured("no-referred-document-amount", SchemeSCT, "/RfrdDocAmt", "Remove the amount of the referred document.",
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.ReferredDocumentAmount != nil }),
	forbiddenStructured("no-invoicer", "", "/Invcr", "Remove the invoicer.",
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.Invoicer != nil }),
	forbiddenStructured("no-invoicee", "", "/Invcee", "Remove the invoicee.",
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.Invoicee != nil }),
	forbiddenStructured("no-tax-remittance", SchemeSCT, "/TaxRmt", "Remove the tax remittance.",
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.TaxRemittance != nil }),
	forbiddenStructured("no-garnishment-remittance", SchemeSCT, "/GrnshmtRmt", "Remove the garnishment remittance.",
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.GarnishmentRemittance != nil }),
	forbiddenStructured("no-additional-remittance", SchemeSCT, "/AddtlRmtInf", "Remove the additional remittance text.",
		func(s *iso20022.StructuredRemittanceInformation16) bool {
			return len(s.AdditionalRemittanceInformation) > 0
		}),
}

// forbidden is the rule that a transaction does not have an element.
func forbidden(id string, scheme Scheme, below, text string, has func(*iso20022.CreditTransferTransaction34) bool) Rule {
	return Rule{
		ID: id, Scheme: scheme, Element: transactionElement + below, Code: "CH17", Text: text, Source: "SPS 4.3", level: levelTransaction,
		Check: func(i *inspection) {
			if has(i.transaction) {
				i.report(below)
			}
		},
	}
}

// forbiddenStructured is the rule that a structured remittance does not have an element.
func forbiddenStructured(id string, scheme Scheme, below, text string, has func(*iso20022.StructuredRemittanceInformation16) bool) Rule {
	return Rule{
		ID: id, Scheme: scheme, Element: structuredElement + below, Code: "CH17", Text: text, Source: "SPS 4.3", level: levelTransaction,
		Check: func(i *inspection) {
			structured := i.remittance().Structured
			for index := range structured {
				if has(&structured[index]) {
					i.report(indexed(structuredBelow, index) + below)
				}
			}
		},
	}
}
