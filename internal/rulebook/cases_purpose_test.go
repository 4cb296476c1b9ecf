package rulebook_test

import "countersign/internal/iso20022"

func categoryPurpose(code string) func(d *document) {
	return func(d *document) {
		d.info.PaymentTypeInformation.CategoryPurpose = &iso20022.CategoryPurpose1Choice{Code: code}
	}
}

func purpose(code string) func(d *document) {
	return func(d *document) { d.tx.Purpose = &iso20022.Purpose2Choice{Code: code} }
}

var purposeCases = []ruleCase{
	{rule: "category-purpose-code", name: "salary", change: categoryPurpose("SALA")},
	{rule: "category-purpose-code", name: "not of the list", change: categoryPurpose("XXXX"), pointer: infoAt + "/PmtTpInf/CtgyPurp/Cd"},
	{rule: "purpose-code", name: "salary", change: purpose("SALA")},
	{rule: "purpose-code", name: "not of the list", change: purpose("XXXX"), pointer: txAt + "/Purp/Cd"},
}
