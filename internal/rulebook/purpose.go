package rulebook

import (
	"countersign/internal/iso20022/code"

	"countersign/internal/i18n"
)

var purposeRules = []Rule{
	{
		ID: "category-purpose-code", Element: documentPointer + "{level}/PmtTpInf/CtgyPurp/Cd", Code: "CH16", level: levelTransaction,
		Text:   "Use a category purpose of the ISO code list, such as SALA, or leave it out.",
		Source: "SPS 4.2; ISO, ExternalCategoryPurpose1Code", Check: checkCategoryPurpose,
	},
	{
		ID: "purpose-code", Element: transactionElement + "/Purp/Cd", Code: "CH16", level: levelTransaction,
		Text:   "Use a purpose of the ISO code list, or leave it out.",
		Source: "SPS 4.3; ISO, ExternalPurpose1Code", Check: checkPurpose,
	},
}

func checkCategoryPurpose(i *inspection) {
	paymentType, pointer := i.paymentType()
	if purpose := paymentType.CategoryPurpose; purpose != nil {
		i.checkCode(code.CategoryPurposes, i.terms.CategoryPurposes, purpose.Code, pointer+"/CtgyPurp/Cd")
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
		i.reportAt(pointer, i18n.Text("Use a code that the clearing of this scheme accepts, such as %s, or leave it out.").With(taken[0]))
	}
}
