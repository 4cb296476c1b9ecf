package rulebook

import (
	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

const (
	remittanceElement = transactionElement + "/RmtInf"
	structuredElement = remittanceElement + "/Strd/0"
	structuredBelow   = "/RmtInf/Strd/"
	referenceElement  = structuredElement + "/CdtrRefInf"
	typeBelow         = "/CdtrRefInf/Tp/CdOrPrtry"
)

var remittanceRules = []Rule{
	{
		ID: "remittance-one-kind", Element: remittanceElement, Code: "CH17", level: levelTransaction,
		Text:   "Give either a structured reference or an unstructured text, not both.",
		Source: "SPS 4.3; EPC AT-05", Check: checkRemittanceOneKind,
	},
	{
		ID: "unstructured-once", Element: remittanceElement + "/Ustrd", Code: "CH17", level: levelTransaction,
		Text:   "Give one unstructured text of at most 140 characters.",
		Source: "SPS 4.3; EPC AT-05", Check: checkUnstructuredOnce,
	},
	{
		ID: "structured-once", Element: remittanceElement + "/Strd", Code: "CH17", level: levelTransaction,
		Text:   "Give one structured reference only.",
		Source: "SPS 4.3; EPC AT-05", Check: checkStructuredOnce,
	},
	{
		ID: "structured-length", Element: structuredElement, Code: "CH15", level: levelTransaction,
		Text:   "Shorten the structured remittance: sic-inst allows 9000 characters, sct-inst 140 with the tags of its elements.",
		Source: "SPS 4.3; EPC AT-05", Check: checkStructuredLength,
	},
	{
		ID: "reference-type-missing", Element: referenceElement + "/Tp", Code: "CH21", level: levelTransaction,
		Text:   "Enter the type of the creditor reference.",
		Source: "SPS 4.3", Check: checkReferenceTypeMissing,
	},
	{
		ID: "reference-type-code", Element: referenceElement + "/Tp/CdOrPrtry/Cd", Code: "CH16", level: levelTransaction,
		Text:   "Enter SCOR as the code of the reference type.",
		Source: "SPS 4.3; EPC AT-05", Check: checkReferenceTypeCode,
	},
	{
		ID: "reference-type-proprietary", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH16",
		level:  levelTransaction,
		Text:   "Write QRR or IPI as proprietary reference type.",
		Source: "SPS 4.3", Check: checkReferenceTypeProprietary,
	},
	{
		ID: "no-proprietary-reference", Scheme: SchemeSCT, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH17",
		level:  levelTransaction,
		Text:   "Remove the proprietary reference type: SEPA only supports the creditor reference SCOR.",
		Source: "SPS 4.3; EPC AT-05", Check: checkNoProprietaryReference,
	},
	{
		ID: "reference-missing", Element: referenceElement + "/Ref", Code: "CH21", level: levelTransaction,
		Text:   "Enter the creditor reference.",
		Source: "SPS 4.3", Check: checkReferenceMissing,
	},
	{
		ID: "creditor-reference-number", Element: referenceElement + "/Ref", Code: "CH16", level: levelTransaction,
		Text:   "Check the creditor reference: it starts with RF and two check digits and has at most 25 characters.",
		Source: "SPS 3.14.2, 4.3 (in sct-inst only with issuer ISO); ISO 11649", Check: checkCreditorReferenceNumber,
	},
	{
		ID: "qr-reference-number", Scheme: SchemeSIC, Element: referenceElement + "/Ref", Code: "CH16", level: levelTransaction,
		Text:   "Check the QR reference: it must have 27 digits, not all zero, and end with a correct check digit.",
		Source: "SPS 3.14.2, 4.3; IG QR-bill v2.4", Check: checkQRReferenceNumber,
	},
	{
		ID: "qr-reference-account", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH17", level: levelTransaction,
		Text:   "Enter the QR-IBAN of the invoice as creditor account: a QR reference can only be used with a QR-IBAN.",
		Source: "SPS 3.14.2, 4.3", Check: checkQRReferenceAccount,
	},
	{
		ID: "qr-iban-reference", Scheme: SchemeSIC, Element: remittanceElement + "/Strd", Code: "CH21", level: levelTransaction,
		Text:   "Enter the QR reference (QRR) of the invoice: a QR-IBAN accepts no payment without it.",
		Source: "SPS 3.14.2, 3.16, 4.3", Check: checkQRIBANReference,
	},
	{
		ID: "qr-iban-unstructured", Scheme: SchemeSIC, Element: remittanceElement + "/Ustrd", Code: "CH17", level: levelTransaction,
		Text:   "Remove the unstructured text: a payment to a QR-IBAN carries the QR reference only.",
		Source: "SPS 4.3", Check: checkQRIBANUnstructured,
	},
	{
		ID: "qr-iban-creditor-reference", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Cd", Code: "CH16",
		level:  levelTransaction,
		Text:   "Use the QR reference (QRR) instead of a creditor reference: the account is a QR-IBAN.",
		Source: "SPS 4.3", Check: checkQRIBANCreditorReference,
	},
	{
		ID: "additional-remittance-once", Scheme: SchemeSIC, Element: structuredElement + "/AddtlRmtInf", Code: "CH17", level: levelTransaction,
		Text:   "Give one additional remittance text only.",
		Source: "SPS 4.3", Check: checkAdditionalRemittanceOnce,
	},
	{
		ID: "additional-remittance-alone", Scheme: SchemeSIC, Element: structuredElement + "/AddtlRmtInf", Code: "CH21", level: levelTransaction,
		Text:   "Enter the additional text together with a structured reference, or as unstructured text.",
		Source: "SPS 4.3", Check: checkAdditionalRemittanceAlone,
	},
}

// remittance is the remittance information, empty when there is none.
func (i *inspection) remittance() iso20022.RemittanceInformation16 {
	if i.transaction.RemittanceInformation == nil {
		return iso20022.RemittanceInformation16{}
	}
	return *i.transaction.RemittanceInformation
}

// eachReference calls visit with each creditor reference and the pointer of its Strd below the transaction.
func (i *inspection) eachReference(visit func(below string, reference *iso20022.CreditorReferenceInformation2)) {
	structured := i.remittance().Structured
	for index := range structured {
		if structured[index].CreditorReferenceInformation != nil {
			visit(indexed(structuredBelow, index), structured[index].CreditorReferenceInformation)
		}
	}
}

// referenceType is the code or proprietary type of a reference, both empty when it has none.
func referenceType(reference *iso20022.CreditorReferenceInformation2) (code, proprietary string) {
	if reference.Type == nil {
		return "", ""
	}
	return reference.Type.CodeOrProprietary.Code, reference.Type.CodeOrProprietary.Proprietary
}

func checkRemittanceOneKind(i *inspection) {
	remittance := i.remittance()
	if len(remittance.Unstructured) > 0 && len(remittance.Structured) > 0 {
		i.report("/RmtInf")
	}
}

func checkUnstructuredOnce(i *inspection) {
	if len(i.remittance().Unstructured) > 1 {
		i.report("/RmtInf/Ustrd")
	}
}

func checkStructuredOnce(i *inspection) {
	if len(i.remittance().Structured) > 1 {
		i.report("/RmtInf/Strd")
	}
}

func checkStructuredLength(i *inspection) {
	limit, withTags := 9000, false
	if i.input.Scheme == SchemeSCT {
		limit, withTags = 140, true
	}
	structured := i.remittance().Structured
	for index := range structured {
		length := contentLength(&structured[index], withTags)
		if length > limit {
			sentence := i18n.Text("Shorten the structured remittance to %d characters: it has %d.").With(limit, length)
			i.reportText(indexed(structuredBelow, index), sentence)
		}
	}
}

func checkReferenceTypeMissing(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		if reference.Type == nil {
			i.report(below + "/CdtrRefInf/Tp")
		}
	})
}

func checkReferenceTypeCode(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		code, _ := referenceType(reference)
		if code != "" && code != "SCOR" {
			i.report(below + typeBelow + "/Cd")
		}
	})
}

func checkReferenceTypeProprietary(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		_, proprietary := referenceType(reference)
		if proprietary != "" && proprietary != "QRR" && proprietary != "IPI" {
			i.report(below + typeBelow + "/Prtry")
		}
	})
}

func checkNoProprietaryReference(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		_, proprietary := referenceType(reference)
		if proprietary != "" {
			i.report(below + typeBelow + "/Prtry")
		}
	})
}

func checkReferenceMissing(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		if reference.Reference == "" {
			i.report(below + "/CdtrRefInf/Ref")
		}
	})
}

func checkCreditorReferenceNumber(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		code, _ := referenceType(reference)
		mustBeISO := i.input.Scheme == SchemeSIC || reference.Type != nil && reference.Type.Issuer == "ISO"
		if code != "SCOR" || reference.Reference == "" || !mustBeISO {
			return
		}
		_, err := account.ParseCreditorReference(reference.Reference)
		if err != nil {
			i.reportText(below+"/CdtrRefInf/Ref", i18n.OfError(err))
		}
	})
}

func checkQRReferenceNumber(i *inspection) {
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		_, proprietary := referenceType(reference)
		if proprietary != "QRR" || reference.Reference == "" {
			return
		}
		_, err := account.ParseQRReference(reference.Reference)
		if err != nil {
			i.reportText(below+"/CdtrRefInf/Ref", i18n.OfError(err))
		}
	})
}

func checkQRReferenceAccount(i *inspection) {
	if i.creditorAccount.iban.IsZero() || i.creditorAccount.iban.IsQR() {
		return
	}
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		_, proprietary := referenceType(reference)
		if proprietary == "QRR" {
			i.report(below + typeBelow + "/Prtry")
		}
	})
}

func checkQRIBANReference(i *inspection) {
	if !i.creditorAccount.iban.IsQR() {
		return
	}
	found := false
	i.eachReference(func(_ string, reference *iso20022.CreditorReferenceInformation2) {
		code, proprietary := referenceType(reference)
		found = found || proprietary == "QRR" || code != ""
	})
	if !found {
		i.report("/RmtInf/Strd")
	}
}

func checkQRIBANUnstructured(i *inspection) {
	if i.creditorAccount.iban.IsQR() && len(i.remittance().Unstructured) > 0 {
		i.report("/RmtInf/Ustrd")
	}
}

func checkQRIBANCreditorReference(i *inspection) {
	if !i.creditorAccount.iban.IsQR() {
		return
	}
	i.eachReference(func(below string, reference *iso20022.CreditorReferenceInformation2) {
		code, _ := referenceType(reference)
		if code != "" {
			i.report(below + typeBelow + "/Cd")
		}
	})
}

func checkAdditionalRemittanceOnce(i *inspection) {
	structured := i.remittance().Structured
	for index := range structured {
		if len(structured[index].AdditionalRemittanceInformation) > 1 {
			i.report(indexed(structuredBelow, index) + "/AddtlRmtInf")
		}
	}
}

func checkAdditionalRemittanceAlone(i *inspection) {
	structured := i.remittance().Structured
	for index := range structured {
		entry := &structured[index]
		others := len(entry.ReferredDocumentInformation) > 0 || entry.ReferredDocumentAmount != nil ||
			entry.CreditorReferenceInformation != nil || entry.Invoicer != nil || entry.Invoicee != nil ||
			entry.TaxRemittance != nil || entry.GarnishmentRemittance != nil
		if len(entry.AdditionalRemittanceInformation) > 0 && !others {
			i.report(indexed(structuredBelow, index) + "/AddtlRmtInf")
		}
	}
}
