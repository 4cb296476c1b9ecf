package rulebook

import (
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

const (
	transactionTypeElement = transactionElement + "/PmtTpInf"
)

var typeRules = []Rule{
	{
		ID: "payment-method", Element: documentPointer + "/PmtInf/0/PmtMtd", Code: "CH16", level: levelInformation,
		Text:   "Enter TRF as the payment method. Cheques and other methods are not supported.",
		Source: "SPS 4.2", broken: func(i *inspection) bool { return i.information.PaymentMethod != "TRF" },
	},
	{
		ID: "payment-type-level", Element: transactionTypeElement, Code: "CH07", level: levelTransaction,
		Text:   "Enter the payment type information only once, either in the payment information (PmtInf) or in the transaction.",
		Source: "SPS 4.2, 4.3", broken: func(i *inspection) bool {
			return i.information.PaymentTypeInformation != nil && i.transaction.PaymentTypeInformation != nil
		},
	},
	{
		ID: "service-level-once", Element: documentPointer + "{level}/PmtTpInf/SvcLvl", Code: "CH17", level: levelTransaction,
		Text:   "Enter only one service level.",
		Source: "SPS 4.2, 4.3", broken: func(i *inspection) bool { return len(i.paymentType.ServiceLevel) > 1 },
	},
	{
		ID: "service-level-not-sepa", Scheme: SchemeSIC, Element: documentPointer + "{level}/PmtTpInf/SvcLvl/0/Cd", Code: "CH16",
		level:  levelTransaction,
		Text:   "Remove the service level SEPA: Swiss instant payments are recognised by their local instrument.",
		Source: "SPS 3.15", Check: checkServiceLevelNotSEPA,
	},
	{
		ID: "service-level-missing", Scheme: SchemeSCT, Element: documentPointer + "{level}/PmtTpInf/SvcLvl", Code: "CH21",
		level:  levelTransaction,
		Text:   "Enter the service level SEPA.",
		Source: "SPS 4.2; EPC AT-40", broken: func(i *inspection) bool { return len(i.paymentType.ServiceLevel) == 0 },
	},
	{
		ID: "service-level-sepa", Scheme: SchemeSCT, Element: documentPointer + "{level}/PmtTpInf/SvcLvl/0/Cd", Code: "CH16",
		level:  levelTransaction,
		Text:   "Enter SEPA as the code of the service level.",
		Source: "SPS 4.2; EPC AT-40", Check: checkServiceLevelSEPA,
	},
	{
		ID: "service-level-proprietary", Scheme: SchemeSCT, Element: documentPointer + "{level}/PmtTpInf/SvcLvl/0/Prtry", Code: "CH17",
		level:  levelTransaction,
		Text:   "Remove the proprietary service level and enter SEPA as the code.",
		Source: "SPS 4.2", Check: checkServiceLevelProprietary,
	},
	{
		ID: "local-instrument-missing", Element: documentPointer + "{level}/PmtTpInf/LclInstrm", Code: "CH21", level: levelTransaction,
		Text:   "Enter the local instrument INST, which marks the payment as instant.",
		Source: "SPS 3.17, 4.2; ISO, ExternalLocalInstrument1Code", broken: func(i *inspection) bool {
			misplaced := i.transaction.PaymentTypeInformation != nil && i.transaction.PaymentTypeInformation.LocalInstrument != nil
			return i.paymentType.LocalInstrument == nil && !misplaced
		},
	},
	{
		ID: "local-instrument-code", Element: documentPointer + "{level}/PmtTpInf/LclInstrm/Cd", Code: "CH17", level: levelTransaction,
		Text:   "Enter INST as the code of the local instrument.",
		Source: "SPS 3.17, 4.2; ISO, ExternalLocalInstrument1Code", broken: func(i *inspection) bool {
			if i.paymentType.LocalInstrument == nil {
				return false
			}
			code := i.paymentType.LocalInstrument.Code
			fallback := i.input.Scheme == SchemeSIC && i.input.Settings.FallbackAllowed && code == "ITP"
			return code != "" && code != "INST" && !fallback
		},
	},
	{
		ID: "local-instrument-proprietary", Element: documentPointer + "{level}/PmtTpInf/LclInstrm/Prtry", Code: "CH17", level: levelTransaction,
		Text:   "Remove the proprietary local instrument and enter INST as the code.",
		Source: "SPS 4.2; EPC AT-40",
		broken: func(i *inspection) bool {
			return i.paymentType.LocalInstrument != nil && i.paymentType.LocalInstrument.Proprietary != ""
		},
	},
	{
		ID: "local-instrument-level", Scheme: SchemeSIC, Element: transactionTypeElement + "/LclInstrm", Code: "CH17", level: levelTransaction,
		Text:   "Enter the local instrument in the payment information (PmtInf), not in the transaction.",
		Source: "SPS 4.3", broken: func(i *inspection) bool {
			paymentType := i.transaction.PaymentTypeInformation
			return paymentType != nil && paymentType.LocalInstrument != nil
		},
	},
	{
		ID: "charge-bearer-level", Element: transactionElement + "/ChrgBr", Code: "CH07", level: levelTransaction,
		Text:   "Enter the charge bearer only once, either in the payment information (PmtInf) or in the transaction.",
		Source: "SPS 4.2, 4.3",
		broken: func(i *inspection) bool { return i.information.ChargeBearer != "" && i.transaction.ChargeBearer != "" },
	},
	{
		ID: "charge-bearer-slev", Scheme: SchemeSCT, Element: documentPointer + "{level}/ChrgBr", Code: "CH16", level: levelTransaction,
		Text:   "Enter SLEV as the charge bearer, or leave the charge bearer out. Each side pays the charges of its own bank.",
		Source: "SPS 4.2; EPC, ChrgBr", Check: checkChargeBearerSLEV,
	},
	{
		ID: "batch-booking", Scheme: SchemeSIC, Element: documentPointer + "/PmtInf/0/BtchBookg", Code: "CH16", level: levelInformation,
		Text:   "Enter false for batch booking, because instant payments are booked one by one.",
		Source: "SPS 4.2", broken: func(i *inspection) bool {
			asked := i.information.BatchBooking
			return asked != nil && *asked && !i.input.Settings.CollectiveBookingAllowed
		},
	},
}

// readPaymentType finds the payment type information in force and where it stands; where there is none, the place where it belongs. Two
// levels at once are a rule of their own.
func (i *inspection) readPaymentType() {
	i.paymentType, i.typePointer = i.information.PaymentTypeInformation, i.informationPointer+"/PmtTpInf"
	if i.paymentType == nil && i.transaction.PaymentTypeInformation != nil {
		i.paymentType, i.typePointer = i.transaction.PaymentTypeInformation, i.transactionPointer+"/PmtTpInf"
	}
	if i.paymentType == nil {
		i.paymentType = &iso20022.PaymentTypeInformation26{}
	}
}

func checkServiceLevelNotSEPA(i *inspection) {
	for index := range i.paymentType.ServiceLevel {
		if i.paymentType.ServiceLevel[index].Code == "SEPA" {
			i.reportAt(indexed(i.typePointer+"/SvcLvl/", index)+"/Cd", i.rule.Text)
		}
	}
}

func checkServiceLevelSEPA(i *inspection) {
	for index := range i.paymentType.ServiceLevel {
		code := i.paymentType.ServiceLevel[index].Code
		if code != "" && code != i.profile.ServiceLevel {
			i.reportAt(indexed(i.typePointer+"/SvcLvl/", index)+"/Cd", i.rule.Text)
		}
	}
}

func checkServiceLevelProprietary(i *inspection) {
	for index := range i.paymentType.ServiceLevel {
		if i.paymentType.ServiceLevel[index].Proprietary != "" {
			i.reportAt(indexed(i.typePointer+"/SvcLvl/", index)+"/Prtry", i.rule.Text)
		}
	}
}

func checkChargeBearerSLEV(i *inspection) {
	if i.information.ChargeBearer != "" && i.information.ChargeBearer != "SLEV" {
		i.reportAt(i.informationPointer+"/ChrgBr", i.rule.Text)
	}
	if i.transaction.ChargeBearer != "" && i.transaction.ChargeBearer != "SLEV" {
		i.report("/ChrgBr")
	}
}

var purposeRules = []Rule{
	{
		ID: "category-purpose-code", Element: documentPointer + "{level}/PmtTpInf/CtgyPurp/Cd", Code: "CH16", level: levelTransaction,
		Text:   "Use a category purpose from the ISO code list, such as SALA, or leave the category purpose out.",
		Source: "SPS 4.2; ISO, ExternalCategoryPurpose1Code", Check: checkCategoryPurpose,
	},
	{
		ID: "purpose-code", Element: transactionElement + "/Purp/Cd", Code: "CH16", level: levelTransaction,
		Text:   "Use a purpose code from the ISO list, or leave the purpose out.",
		Source: "SPS 4.3; ISO, ExternalPurpose1Code", Check: checkPurpose,
	},
}

func checkCategoryPurpose(i *inspection) {
	if purpose := i.paymentType.CategoryPurpose; purpose != nil {
		i.checkCode(code.CategoryPurposes, i.terms.CategoryPurposes, purpose.Code, i.typePointer+"/CtgyPurp/Cd")
	}
}

func checkPurpose(i *inspection) {
	if purpose := i.transaction.Purpose; purpose != nil {
		i.checkCode(code.Purposes, i.terms.Purposes, purpose.Code, i.base+i.tail+"/Purp/Cd")
	}
}

// checkCode reports a code that the edition of the day does not have, or that the clearing does not take.
func (i *inspection) checkCode(set code.Set, taken []string, given, pointer string) {
	switch {
	case given == "":
	case !i.input.Settings.CodeSets(i.input.Today).Has(set, given):
		i.reportAt(pointer, i.rule.Text)
	case !takes(taken, given):
		i.reportAt(pointer, i18n.Text("Use a code that clearing accepts for this scheme, such as %s, or leave the code out.").With(taken[0]))
	}
}
