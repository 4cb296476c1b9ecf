package rulebook

import "countersign/internal/iso20022/code"

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
	purpose := paymentType.CategoryPurpose
	if purpose != nil && purpose.Code != "" && !i.codeSets().Has(code.CategoryPurposes, purpose.Code) {
		i.reportAt(pointer+"/CtgyPurp/Cd", i.rule.Text)
	}
}

func checkPurpose(i *inspection) {
	purpose := i.transaction.Purpose
	if purpose != nil && purpose.Code != "" && !i.codeSets().Has(code.Purposes, purpose.Code) {
		i.report("/Purp/Cd")
	}
}

// codeSets are those in force on the day of the check.
func (i *inspection) codeSets() *code.Edition { return i.input.Settings.CodeSets(i.input.Today) }
