package rulebook

import (
	"reflect"
	"slices"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

const (
	remittanceElement = transactionElement + "/RmtInf"
	structuredElement = remittanceElement + "/Strd/0"
	referenceElement  = structuredElement + "/CdtrRefInf"
)

var remittanceRules = []Rule{
	{
		ID: "remittance-one-kind", Element: remittanceElement, Code: "CH17", level: levelTransaction,
		Text:   "Enter either a structured reference or free text, not both.",
		Source: "SPS 4.3; EPC AT-05", broken: func(i *inspection) bool {
			remittance := i.remittance()
			return len(remittance.Unstructured) > 0 && len(remittance.Structured) > 0
		},
	},
	{
		ID: "unstructured-once", Element: remittanceElement + "/Ustrd", Code: "CH17", level: levelTransaction,
		Text:   "Enter free text (Ustrd) only once, with at most 140 characters.",
		Source: "SPS 4.3; EPC AT-05", broken: func(i *inspection) bool { return len(i.remittance().Unstructured) > 1 },
	},
	{
		ID: "structured-once", Element: remittanceElement + "/Strd", Code: "CH17", level: levelTransaction,
		Text:   "Enter only one structured reference.",
		Source: "SPS 4.3; EPC AT-05", broken: func(i *inspection) bool { return len(i.remittance().Structured) > 1 },
	},
	{
		ID: "structured-length", Element: structuredElement, Code: "CH15", level: levelStructured,
		Text: "Shorten the structured remittance information. The limit is 9000 characters for sic-inst, and 140 including the XML tags for " +
			"sct-inst.",
		Source: "SPS 4.3; EPC AT-05", Check: checkStructuredLength,
	},
	{
		ID: "reference-type-missing", Element: referenceElement + "/Tp", Code: "CH21", level: levelStructured,
		Text:   "Enter the type of the creditor reference.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			return i.structured.CreditorReferenceInformation != nil && i.reference().Type == nil
		},
	},
	{
		ID: "reference-type-code", Element: referenceElement + "/Tp/CdOrPrtry/Cd", Code: "CH16", level: levelStructured,
		Text:   "Enter SCOR as the reference type code.",
		Source: "SPS 4.3; EPC AT-05", broken: func(i *inspection) bool {
			code := i.referenceType().Code
			return code != "" && code != "SCOR"
		},
	},
	{
		ID: "reference-type-proprietary", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH16",
		level:  levelStructured,
		Text:   "Enter QRR or IPI as the proprietary reference type.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			proprietary := i.referenceType().Proprietary
			return proprietary != "" && proprietary != "QRR" && proprietary != "IPI"
		},
	},
	{
		ID: "no-proprietary-reference", Scheme: SchemeSCT, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH17",
		level:  levelStructured,
		Text:   "Remove the proprietary reference type. SEPA supports only the creditor reference SCOR.",
		Source: "SPS 4.3; EPC AT-05", broken: func(i *inspection) bool { return i.referenceType().Proprietary != "" },
	},
	{
		ID: "reference-missing", Element: referenceElement + "/Ref", Code: "CH21", level: levelStructured,
		Text:   "Enter the creditor reference.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			return i.structured.CreditorReferenceInformation != nil && i.reference().Reference == ""
		},
	},
	{
		ID: "creditor-reference-number", Element: referenceElement + "/Ref", Code: "CH16", level: levelStructured,
		Text:   "Check the creditor reference. It must start with RF and two check digits, and have at most 25 characters.",
		Source: "SPS 3.14.2, 4.3 (in sct-inst only with issuer ISO); ISO 11649", Check: checkCreditorReferenceNumber,
	},
	{
		ID: "qr-reference-number", Scheme: SchemeSIC, Element: referenceElement + "/Ref", Code: "CH16", level: levelStructured,
		Text:   "Check the QR reference. It must have 27 digits that are not all zero, and end with a valid check digit.",
		Source: "SPS 3.14.2, 4.3; IG QR-bill v2.4", Check: checkQRReferenceNumber,
	},
	{
		ID: "qr-reference-account", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Prtry", Code: "CH17", level: levelStructured,
		Text:   "Enter the QR-IBAN of the invoice as the creditor account. A QR reference can only be used with a QR-IBAN.",
		Source: "SPS 3.14.2, 4.3", broken: func(i *inspection) bool {
			iban := i.creditorAccount.iban
			return !iban.IsZero() && !iban.IsQR() && i.referenceType().Proprietary == "QRR"
		},
	},
	{
		ID: "qr-iban-reference", Scheme: SchemeSIC, Element: remittanceElement + "/Strd", Code: "CH21", level: levelTransaction,
		Text:   "Enter the QR reference (QRR) of the invoice. A payment to a QR-IBAN must have a QR reference.",
		Source: "SPS 3.14.2, 3.16, 4.3", broken: func(i *inspection) bool {
			return i.creditorAccount.iban.IsQR() && !slices.ContainsFunc(i.remittance().Structured, namesReference)
		},
	},
	{
		ID: "qr-iban-unstructured", Scheme: SchemeSIC, Element: remittanceElement + "/Ustrd", Code: "CH17", level: levelTransaction,
		Text:   "Remove the free text. A payment to a QR-IBAN can contain only the QR reference.",
		Source: "SPS 4.3",
		broken: func(i *inspection) bool { return i.creditorAccount.iban.IsQR() && len(i.remittance().Unstructured) > 0 },
	},
	{
		ID: "qr-iban-creditor-reference", Scheme: SchemeSIC, Element: referenceElement + "/Tp/CdOrPrtry/Cd", Code: "CH16",
		level:  levelStructured,
		Text:   "Enter a QR reference (QRR) instead of a creditor reference. The account is a QR-IBAN.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return i.creditorAccount.iban.IsQR() && i.referenceType().Code != "" },
	},
	{
		ID: "additional-remittance-once", Scheme: SchemeSIC, Element: structuredElement + "/AddtlRmtInf", Code: "CH17", level: levelStructured,
		Text:   "Enter the additional text (AddtlRmtInf) only once.",
		Source: "SPS 4.3", broken: func(i *inspection) bool { return len(i.structured.AdditionalRemittanceInformation) > 1 },
	},
	{
		ID: "additional-remittance-alone", Scheme: SchemeSIC, Element: structuredElement + "/AddtlRmtInf", Code: "CH21", level: levelStructured,
		Text:   "Enter the additional text (AddtlRmtInf) together with a structured reference, or enter it as free text (Ustrd).",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			alone := iso20022.StructuredRemittanceInformation16{AdditionalRemittanceInformation: i.structured.AdditionalRemittanceInformation}
			return len(i.structured.AdditionalRemittanceInformation) > 0 && reflect.DeepEqual(*i.structured, alone)
		},
	},
}

// remittance is the remittance information, empty when there is none.
func (i *inspection) remittance() iso20022.RemittanceInformation16 {
	if i.transaction.RemittanceInformation == nil {
		return iso20022.RemittanceInformation16{}
	}
	return *i.transaction.RemittanceInformation
}

// reference is the creditor reference of the structured remittance in hand, empty when it has none.
func (i *inspection) reference() iso20022.CreditorReferenceInformation2 {
	if i.structured.CreditorReferenceInformation == nil {
		return iso20022.CreditorReferenceInformation2{}
	}
	return *i.structured.CreditorReferenceInformation
}

// referenceType is the type of the reference in hand, empty when it has none.
func (i *inspection) referenceType() iso20022.CreditorReferenceType1Choice {
	kind := i.reference().Type
	if kind == nil {
		return iso20022.CreditorReferenceType1Choice{}
	}
	return kind.CodeOrProprietary
}

func checkStructuredLength(i *inspection) {
	limit, withTags := 9000, false
	if i.input.Scheme == SchemeSCT {
		limit, withTags = 140, true
	}
	length := componentLength(reflect.ValueOf(i.structured).Elem(), withTags)
	if length > limit {
		i.reportText("", i18n.Text("Shorten the structured remittance information to %d characters. It now has %d.").With(limit, length))
	}
}

func checkCreditorReferenceNumber(i *inspection) {
	reference := i.reference()
	mustBeISO := i.input.Scheme == SchemeSIC || reference.Type != nil && reference.Type.Issuer == "ISO"
	if i.referenceType().Code != "SCOR" || reference.Reference == "" || !mustBeISO {
		return
	}
	_, err := account.ParseCreditorReference(reference.Reference)
	if err != nil {
		i.reportText("/CdtrRefInf/Ref", i18n.OfError(err))
	}
}

func checkQRReferenceNumber(i *inspection) {
	reference := i.reference().Reference
	if i.referenceType().Proprietary != "QRR" || reference == "" {
		return
	}
	_, err := account.ParseQRReference(reference)
	if err != nil {
		i.reportText("/CdtrRefInf/Ref", i18n.OfError(err))
	}
}

// namesReference reports whether a structured remittance has a QR reference or any reference of ISO.
func namesReference(structured iso20022.StructuredRemittanceInformation16) bool {
	reference := structured.CreditorReferenceInformation
	return reference != nil && reference.Type != nil &&
		(reference.Type.CodeOrProprietary.Proprietary == "QRR" || reference.Type.CodeOrProprietary.Code != "")
}
