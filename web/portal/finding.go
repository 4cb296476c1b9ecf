package portal

import (
	"cmp"
	"slices"
	"strings"

	"countersign/internal/payment"
	"countersign/views"
	"countersign/views/ui"
)

const (
	informationPointer = "/Document/CstmrCdtTrfInitn/PmtInf/0"
	transactionPointer = informationPointer + "/CdtTrfTxInf/0"
	addressPointer     = transactionPointer + "/Cdtr/PstlAdr"
)

// places lead from a place in the document to the field of the form that fills it; the first that fits counts.
var places = []struct{ pointer, field string }{
	{"/Document/CstmrCdtTrfInitn/GrpHdr/InitgPty", "debtorAccount"},
	{informationPointer + "/Dbtr", "debtorAccount"},
	{informationPointer + "/DbtrAcct", "debtorAccount"},
	{informationPointer + "/DbtrAgt", "debtorAccount"},
	{addressPointer + "/StrtNm", "street"},
	{addressPointer + "/BldgNb", "buildingNumber"},
	{addressPointer + "/PstCd", "postcode"},
	{addressPointer + "/TwnNm", "town"},
	{addressPointer + "/Ctry", "country"},
	{addressPointer + "/AdrLine/1", "addressLine2"},
	{addressPointer + "/AdrLine", "addressLine1"},
	{addressPointer, "town"},
	{transactionPointer + "/CdtrAcct", "creditorIban"},
	{transactionPointer + "/CdtrAgt", "creditorIban"},
	{transactionPointer + "/Cdtr", "creditorName"},
	{transactionPointer + "/Amt", "amount"},
	{transactionPointer + "/PmtId/EndToEndId", "endToEndId"},
	{transactionPointer + "/RmtInf/Ustrd", "remittanceText"},
}

// fieldOf finds the field of the form for a place in its document, "" when there is none: the sentence then stands in the summary only.
func fieldOf(pointer string, values views.PaymentValues) string {
	for _, place := range places {
		if pointer == place.pointer || strings.HasPrefix(pointer, place.pointer+"/") {
			return place.field
		}
	}
	if !strings.HasPrefix(pointer, transactionPointer+"/RmtInf") {
		return ""
	}
	switch {
	case values.RemittanceKind == remittanceQR && strings.HasSuffix(pointer, "/Ref"):
		return "qrReference"
	case values.RemittanceKind == remittanceReference && strings.HasSuffix(pointer, "/Ref"):
		return "creditorReference"
	}
	return "remittanceKind"
}

// problemsOf puts what could not be read and what the stations found beside the fields of the form, in the order of the form. A field
// that could not be read is not spoken of twice, and where a rule and the schema find the same fault, the rule's sentence stands: it speaks
// of payments, not of elements.
func problemsOf(unreadable []ui.Problem, findings []payment.Finding, values views.PaymentValues) []ui.Problem {
	problems := slices.Clone(unreadable)
	rulesFirst := slices.Clone(findings)
	slices.SortStableFunc(rulesFirst, func(a, b payment.Finding) int { return cmp.Compare(emptiness(a.Rule), emptiness(b.Rule)) })
	for _, f := range rulesFirst {
		name := fieldOf(f.Pointer, values)
		known := slices.ContainsFunc(problems, func(p ui.Problem) bool { return p.Field == name && (name != "" || p.Text == f.Text) })
		if !known {
			problems = append(problems, ui.Problem{Field: name, Text: f.Text, Code: f.Code})
		}
	}
	var all views.PaymentValues
	order := fields(&all)
	position := func(p ui.Problem) int {
		at := slices.IndexFunc(order, func(f field) bool { return f.name == p.Field })
		if at < 0 {
			return len(order)
		}
		return at
	}
	slices.SortStableFunc(problems, func(a, b ui.Problem) int { return position(a) - position(b) })
	return problems
}

// emptiness orders texts: those that say something before those that do not.
func emptiness(text string) int {
	if text == "" {
		return 1
	}
	return 0
}
