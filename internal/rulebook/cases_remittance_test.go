package rulebook_test

import (
	"slices"
	"strings"

	"countersign/internal/iso20022"
)

// Changes make what they put into a document anew each time: cases run side by side.

func noRemittance(d *document) { d.tx.RemittanceInformation = nil }

func reference(code, proprietary, number string) func(d *document) {
	return func(d *document) { d.tx.RemittanceInformation = structured(code, proprietary, number) }
}

func unstructured(texts ...string) func(d *document) {
	return func(d *document) {
		d.tx.RemittanceInformation = &iso20022.RemittanceInformation16{Unstructured: slices.Clone(texts)}
	}
}

// onStructured changes the structured remittance of a document with a good creditor reference.
func onStructured(change func(s *iso20022.StructuredRemittanceInformation16)) func(d *document) {
	return func(d *document) {
		d.tx.RemittanceInformation = structured("SCOR", "", "RF18539007547034")
		change(d.strd())
	}
}

func issuedBy(issuer, reference string) func(d *document) {
	return func(d *document) {
		d.tx.RemittanceInformation = structured("SCOR", "", reference)
		d.strd().CreditorReferenceInformation.Type.Issuer = issuer
	}
}

const (
	strdAt      = txAt + "/RmtInf/Strd/0"
	referenceAt = strdAt + "/CdtrRefInf"
	typeAt      = referenceAt + "/Tp/CdOrPrtry"
)

// sepaReference is a creditor reference without its issuer as it counts against the limit of 140.
const sepaReference = "<CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry><Issr></Issr></Tp><Ref>RF18539007547034</Ref></CdtrRefInf>"

var remittanceCases = []ruleCase{
	{rule: "remittance-one-kind", name: "none", change: noRemittance},
	{
		rule: "remittance-one-kind", name: "both", change: func(d *document) { d.tx.RemittanceInformation.Unstructured = []string{"x"} },
		pointer: txAt + "/RmtInf",
	},
	{rule: "unstructured-once", name: "once", change: unstructured("x")},
	{rule: "unstructured-once", name: "twice", change: unstructured("x", "y"), pointer: txAt + "/RmtInf/Ustrd"},
	{rule: "structured-once", name: "once"},
	{rule: "structured-once", name: "twice", change: func(d *document) {
		d.tx.RemittanceInformation.Structured = append(d.tx.RemittanceInformation.Structured, *d.strd())
	}, pointer: txAt + "/RmtInf/Strd"},
	{
		rule: "structured-length", name: "SEPA, longest", base: sepaPayment,
		change: issuedBy(strings.Repeat("a", 140-len(sepaReference)), "RF18539007547034"),
	},
	{
		rule: "structured-length", name: "SEPA, one too many", base: sepaPayment,
		change: issuedBy(strings.Repeat("a", 141-len(sepaReference)), "RF18539007547034"), pointer: strdAt,
	},
	{rule: "structured-length", name: "Swiss, longest", change: onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.AdditionalRemittanceInformation = []string{strings.Repeat("a", 9000-len("SCORRF18539007547034"))}
	})},
	{rule: "structured-length", name: "Swiss, one too many", change: onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.AdditionalRemittanceInformation = []string{strings.Repeat("a", 9001-len("SCORRF18539007547034"))}
	}), pointer: strdAt},
	{rule: "reference-type-missing", name: "there"},
	{
		rule: "reference-type-missing", name: "missing", change: func(d *document) { d.strd().CreditorReferenceInformation.Type = nil },
		pointer: referenceAt + "/Tp",
	},
	{rule: "reference-type-code", name: "SCOR", base: sepaPayment, change: reference("SCOR", "", "RF18539007547034")},
	{rule: "reference-type-code", name: "other", change: reference("PUOR", "", "1"), pointer: typeAt + "/Cd"},
	{rule: "reference-type-proprietary", name: "IPI", change: reference("", "IPI", "12345")},
	{rule: "reference-type-proprietary", name: "other", change: reference("", "ESR", "12345"), pointer: typeAt + "/Prtry"},
	{rule: "no-proprietary-reference", name: "none", base: sepaPayment},
	{rule: "no-proprietary-reference", name: "IPI", base: sepaPayment, change: reference("", "IPI", "12345"), pointer: typeAt + "/Prtry"},
	{rule: "reference-missing", name: "there"},
	{rule: "reference-missing", name: "missing", change: reference("SCOR", "", ""), pointer: referenceAt + "/Ref"},
	{rule: "creditor-reference-number", name: "letters", change: reference("SCOR", "", "RF4220210323103704APG0018")},
	{
		rule: "creditor-reference-number", name: "check digits", change: reference("SCOR", "", "RF19539007547034"),
		pointer: referenceAt + "/Ref",
	},
	{rule: "creditor-reference-number", name: "SEPA, other issuer", base: sepaPayment, change: issuedBy("CUR", "12345")},
	{rule: "creditor-reference-number", name: "SEPA, no issuer", base: sepaPayment, change: issuedBy("", "12345")},
	{
		rule: "creditor-reference-number", name: "SEPA, issuer ISO", base: sepaPayment, change: issuedBy("ISO", "12345"),
		pointer: referenceAt + "/Ref",
	},
	{rule: "creditor-reference-number", name: "Swiss, other issuer", change: issuedBy("CUR", "12345"), pointer: referenceAt + "/Ref"},
	{rule: "qr-reference-number", name: "good", base: qrPayment},
	{
		rule: "qr-reference-number", name: "check digit", base: qrPayment, change: reference("", "QRR", "210000000003139471430009018"),
		pointer: referenceAt + "/Ref",
	},
	{
		rule: "qr-reference-number", name: "zeros only", base: qrPayment, change: reference("", "QRR", strings.Repeat("0", 27)),
		pointer: referenceAt + "/Ref",
	},
	{
		rule: "qr-reference-number", name: "short", base: qrPayment, change: reference("", "QRR", "21000000000313947143000901"),
		pointer: referenceAt + "/Ref",
	},
	{rule: "qr-reference-account", name: "QR-IBAN", base: qrPayment},
	{rule: "qr-reference-account", name: "plain IBAN", change: reference("", "QRR", qrReference), pointer: typeAt + "/Prtry"},
	{rule: "qr-iban-reference", name: "QR reference", base: qrPayment},
	{rule: "qr-iban-reference", name: "no remittance", base: qrPayment, change: noRemittance, pointer: txAt + "/RmtInf/Strd"},
	{rule: "qr-iban-reference", name: "IPI", base: qrPayment, change: reference("", "IPI", "1"), pointer: txAt + "/RmtInf/Strd"},
	{rule: "qr-iban-unstructured", name: "none", base: qrPayment},
	{
		rule: "qr-iban-unstructured", name: "text", base: qrPayment, change: unstructured("x"), pointer: txAt + "/RmtInf/Ustrd",
		also: []string{"qr-iban-reference"},
	},
	{rule: "qr-iban-creditor-reference", name: "plain IBAN"},
	{
		rule: "qr-iban-creditor-reference", name: "QR-IBAN", base: qrPayment, change: reference("SCOR", "", "RF18539007547034"),
		pointer: typeAt + "/Cd",
	},
	{rule: "additional-remittance-once", name: "once", change: onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.AdditionalRemittanceInformation = []string{"x"}
	})},
	{rule: "additional-remittance-once", name: "twice", change: onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.AdditionalRemittanceInformation = []string{"x", "y"}
	}), pointer: strdAt + "/AddtlRmtInf"},
	{rule: "additional-remittance-alone", name: "beside a reference", base: qrPayment, change: func(d *document) {
		d.strd().AdditionalRemittanceInformation = []string{"x"}
	}},
	{rule: "additional-remittance-alone", name: "alone", change: onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.CreditorReferenceInformation, s.AdditionalRemittanceInformation = nil, []string{"x"}
	}), pointer: strdAt + "/AddtlRmtInf"},
}

func onTransaction(change func(t *iso20022.CreditTransferTransaction34)) func(d *document) {
	return func(d *document) { change(d.tx) }
}

var (
	withExchangeRate = onTransaction(func(t *iso20022.CreditTransferTransaction34) {
		t.ExchangeRateInformation = &iso20022.ExchangeRate1{UnitCurrency: "CHF"}
	})
	withCheque = onTransaction(func(t *iso20022.CreditTransferTransaction34) {
		t.ChequeInstruction = &iso20022.Cheque11{ChequeType: "CCHQ"}
	})
	withForCreditor = onTransaction(func(t *iso20022.CreditTransferTransaction34) {
		t.InstructionForCreditorAgent = make([]iso20022.InstructionForCreditorAgent1, 1)
	})
	withForDebtor = onTransaction(func(t *iso20022.CreditTransferTransaction34) { t.InstructionForDebtorAgent = "x" })
	withReporting = onTransaction(func(t *iso20022.CreditTransferTransaction34) {
		t.RegulatoryReporting = make([]iso20022.RegulatoryReporting3, 1)
	})
	withRelated = onTransaction(func(t *iso20022.CreditTransferTransaction34) {
		t.RelatedRemittanceInformation = make([]iso20022.RemittanceLocation7, 1)
	})
	withDocument = onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.ReferredDocumentInformation = make([]iso20022.ReferredDocumentInformation7, 1)
	})
	withDocumentAmount = onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.ReferredDocumentAmount = &iso20022.RemittanceAmount2{}
	})
	withInvoicer    = onStructured(func(s *iso20022.StructuredRemittanceInformation16) { s.Invoicer = &iso20022.PartyIdentification135{} })
	withInvoicee    = onStructured(func(s *iso20022.StructuredRemittanceInformation16) { s.Invoicee = &iso20022.PartyIdentification135{} })
	withTax         = onStructured(func(s *iso20022.StructuredRemittanceInformation16) { s.TaxRemittance = &iso20022.TaxInformation7{} })
	withGarnishment = onStructured(func(s *iso20022.StructuredRemittanceInformation16) {
		s.GarnishmentRemittance = &iso20022.Garnishment3{}
	})
	withAdditional = onStructured(func(s *iso20022.StructuredRemittanceInformation16) { s.AdditionalRemittanceInformation = []string{"x"} })
)

var forbiddenCases = []ruleCase{
	{rule: "no-exchange-rate", name: "Swiss", change: withExchangeRate},
	{rule: "no-exchange-rate", name: "SEPA", base: sepaPayment, change: withExchangeRate, pointer: txAt + "/XchgRateInf"},
	{rule: "no-cheque-instruction", name: "none"},
	{rule: "no-cheque-instruction", name: "Swiss", change: withCheque, pointer: txAt + "/ChqInstr"},
	{rule: "no-cheque-instruction", name: "SEPA", base: sepaPayment, change: withCheque, pointer: txAt + "/ChqInstr"},
	{rule: "no-instruction-for-creditor-agent", name: "none"},
	{rule: "no-instruction-for-creditor-agent", name: "Swiss", change: withForCreditor, pointer: txAt + "/InstrForCdtrAgt"},
	{rule: "no-instruction-for-creditor-agent", name: "SEPA", base: sepaPayment, change: withForCreditor, pointer: txAt + "/InstrForCdtrAgt"},
	{rule: "no-instruction-for-debtor-agent", name: "none"},
	{rule: "no-instruction-for-debtor-agent", name: "Swiss", change: withForDebtor, pointer: txAt + "/InstrForDbtrAgt"},
	{rule: "no-instruction-for-debtor-agent", name: "SEPA", base: sepaPayment, change: withForDebtor, pointer: txAt + "/InstrForDbtrAgt"},
	{rule: "no-regulatory-reporting", name: "SEPA", base: sepaPayment, change: withReporting},
	{rule: "no-regulatory-reporting", name: "Swiss", change: withReporting, pointer: txAt + "/RgltryRptg"},
	{rule: "no-related-remittance", name: "none"},
	{rule: "no-related-remittance", name: "Swiss", change: withRelated, pointer: txAt + "/RltdRmtInf"},
	{rule: "related-remittance-alone", name: "alone", base: sepaPayment, change: func(d *document) {
		withRelated(d)
		d.tx.RemittanceInformation = nil
	}},
	{rule: "related-remittance-alone", name: "beside remittance", base: sepaPayment, change: withRelated, pointer: txAt + "/RltdRmtInf"},
	{rule: "no-payment-instruction-for-debtor-agent", name: "Swiss", change: func(d *document) { d.info.InstructionForDebtorAgent = "x" }},
	{rule: "no-payment-instruction-for-debtor-agent", name: "SEPA", base: sepaPayment, change: func(d *document) {
		d.info.InstructionForDebtorAgent = "x"
	}, pointer: infoAt + "/InstrForDbtrAgt"},
	{rule: "no-referred-document", name: "Swiss", change: withDocument},
	{rule: "no-referred-document", name: "SEPA", base: sepaPayment, change: withDocument, pointer: strdAt + "/RfrdDocInf"},
	{rule: "no-referred-document-amount", name: "Swiss", change: withDocumentAmount},
	{rule: "no-referred-document-amount", name: "SEPA", base: sepaPayment, change: withDocumentAmount, pointer: strdAt + "/RfrdDocAmt"},
	{rule: "no-invoicer", name: "none"},
	{rule: "no-invoicer", name: "Swiss", change: withInvoicer, pointer: strdAt + "/Invcr"},
	{rule: "no-invoicer", name: "SEPA", base: sepaPayment, change: withInvoicer, pointer: strdAt + "/Invcr"},
	{rule: "no-invoicee", name: "none"},
	{rule: "no-invoicee", name: "Swiss", change: withInvoicee, pointer: strdAt + "/Invcee"},
	{rule: "no-invoicee", name: "SEPA", base: sepaPayment, change: withInvoicee, pointer: strdAt + "/Invcee"},
	{rule: "no-tax-remittance", name: "Swiss", change: withTax},
	{rule: "no-tax-remittance", name: "SEPA", base: sepaPayment, change: withTax, pointer: strdAt + "/TaxRmt"},
	{rule: "no-garnishment-remittance", name: "Swiss", change: withGarnishment},
	{rule: "no-garnishment-remittance", name: "SEPA", base: sepaPayment, change: withGarnishment, pointer: strdAt + "/GrnshmtRmt"},
	{rule: "no-additional-remittance", name: "none", base: sepaPayment},
	{rule: "no-additional-remittance", name: "SEPA", base: sepaPayment, change: withAdditional, pointer: strdAt + "/AddtlRmtInf"},
}

var textCases = []ruleCase{
	{rule: "characters", name: "all of Latin", change: func(d *document) { d.tx.Creditor.Name = "Žižka Ășț Łódź ñ ß 5 € ~ \u00a0\u017f" }},
	{
		rule: "characters", name: "SEPA takes Latin from users", base: sepaPayment,
		change: func(d *document) { d.tx.Creditor.Name = "Müller & Söhne" },
	},
	{
		rule: "characters", name: "typographic quote", change: func(d *document) { d.tx.Creditor.Name = "Rock\u2019n\u2019Roll" },
		pointer: txAt + "/Cdtr/Nm",
	},
	{rule: "characters", name: "Greek in a repeated element", change: unstructured("αβγ"), pointer: txAt + "/RmtInf/Ustrd/0"},
	{
		rule: "characters", name: "line break", change: func(d *document) { d.GroupHeader.InitiatingParty.Name = "Muster\nAG" },
		pointer: root + "/GrpHdr/InitgPty/Nm",
	},
	{
		rule: "characters", name: "control character", change: func(d *document) { d.info.Debtor.Name = "Muster\u0085" },
		pointer: infoAt + "/Dbtr/Nm",
	},
	{rule: "characters", name: "broken UTF-8", change: func(d *document) { d.info.Debtor.Name = "Muster\xff" }, pointer: infoAt + "/Dbtr/Nm"},
	{rule: "characters", name: "deep in an address line", change: address(iso20022.PostalAddress24{
		TownName: "Bern", Country: "CH", AddressLine: []string{"Hof", "日本"},
	}), pointer: creditorAddress + "/AdrLine/1"},
}
