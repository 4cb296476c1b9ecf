package rulebook

import "countersign/internal/iso20022"

// forbiddenRules are the elements the schema has and a scheme does not take.
var forbiddenRules = []Rule{
	forbidden(Rule{ID: "no-exchange-rate", Scheme: SchemeSCT, Element: "/XchgRateInf", Text: "Remove the exchange rate information."},
		func(t *iso20022.CreditTransferTransaction34) bool { return t.ExchangeRateInformation != nil }),
	forbidden(Rule{ID: "no-cheque-instruction", Element: "/ChqInstr", Text: "Remove the cheque instruction."},
		func(t *iso20022.CreditTransferTransaction34) bool { return t.ChequeInstruction != nil }),
	forbidden(
		Rule{ID: "no-instruction-for-creditor-agent", Element: "/InstrForCdtrAgt", Text: "Remove the instruction for the creditor's bank."},
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.InstructionForCreditorAgent) > 0 },
	),
	forbidden(Rule{ID: "no-instruction-for-debtor-agent", Element: "/InstrForDbtrAgt", Text: "Remove the instruction for the debtor's bank."},
		func(t *iso20022.CreditTransferTransaction34) bool { return t.InstructionForDebtorAgent != "" }),
	forbidden(Rule{ID: "no-regulatory-reporting", Scheme: SchemeSIC, Element: "/RgltryRptg", Text: "Remove the regulatory reporting."},
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.RegulatoryReporting) > 0 }),
	forbidden(Rule{ID: "no-related-remittance", Scheme: SchemeSIC, Element: "/RltdRmtInf", Text: "Remove the related remittance information."},
		func(t *iso20022.CreditTransferTransaction34) bool { return len(t.RelatedRemittanceInformation) > 0 }),
	forbidden(Rule{
		ID: "related-remittance-alone", Scheme: SchemeSCT, Element: "/RltdRmtInf",
		Text: "Remove the related remittance information: it does not go together with remittance information.",
	},
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
	forbiddenStructured(Rule{ID: "no-referred-document", Scheme: SchemeSCT, Element: "/RfrdDocInf", Text: "Remove the referred document."},
		func(s *iso20022.StructuredRemittanceInformation16) bool {
			return len(s.ReferredDocumentInformation) > 0
		}),
	forbiddenStructured(
		Rule{ID: "no-referred-document-amount", Scheme: SchemeSCT, Element: "/RfrdDocAmt", Text: "Remove the amount of the referred document."},
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.ReferredDocumentAmount != nil },
	),
	forbiddenStructured(Rule{ID: "no-invoicer", Element: "/Invcr", Text: "Remove the invoicer."},
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.Invoicer != nil }),
	forbiddenStructured(Rule{ID: "no-invoicee", Element: "/Invcee", Text: "Remove the invoicee."},
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.Invoicee != nil }),
	forbiddenStructured(Rule{ID: "no-tax-remittance", Scheme: SchemeSCT, Element: "/TaxRmt", Text: "Remove the tax remittance."},
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.TaxRemittance != nil }),
	forbiddenStructured(
		Rule{ID: "no-garnishment-remittance", Scheme: SchemeSCT, Element: "/GrnshmtRmt", Text: "Remove the garnishment remittance."},
		func(s *iso20022.StructuredRemittanceInformation16) bool { return s.GarnishmentRemittance != nil },
	),
	forbiddenStructured(
		Rule{ID: "no-additional-remittance", Scheme: SchemeSCT, Element: "/AddtlRmtInf", Text: "Remove the additional remittance text."},
		func(s *iso20022.StructuredRemittanceInformation16) bool {
			return len(s.AdditionalRemittanceInformation) > 0
		},
	),
}

// forbidden is the rule that a transaction does not have the element.
func forbidden(r Rule, has func(*iso20022.CreditTransferTransaction34) bool) Rule {
	below := r.Element
	r.Element, r.Code, r.Source, r.level = transactionElement+below, "CH17", "SPS 4.3", levelTransaction
	r.Check = func(i *inspection) {
		if has(i.transaction) {
			i.report(below)
		}
	}
	return r
}

// forbiddenStructured is the rule that a structured remittance does not have the element.
func forbiddenStructured(r Rule, has func(*iso20022.StructuredRemittanceInformation16) bool) Rule {
	below := r.Element
	r.Element, r.Code, r.Source, r.level = structuredElement+below, "CH17", "SPS 4.3", levelTransaction
	r.Check = func(i *inspection) {
		structured := i.remittance().Structured
		for index := range structured {
			if has(&structured[index]) {
				i.report(indexed(structuredBelow, index) + below)
			}
		}
	}
	return r
}
