package orderform

import "strings"

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
	{informationPointer + "/ReqdExctnDt", "executionDate"},
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
	{transactionPointer + "/RmtInf/Strd/0/AddtlRmtInf", "remittanceText"},
}

// FieldOf finds the field of the form for a place in its document, "" when there is none: the sentence then stands in the summary only.
func FieldOf(pointer string, values Values) string {
	for _, place := range places {
		if pointer == place.pointer || strings.HasPrefix(pointer, place.pointer+"/") {
			return place.field
		}
	}
	if !strings.HasPrefix(pointer, transactionPointer+"/RmtInf") {
		return ""
	}
	switch {
	case values.RemittanceKind == RemittanceQR && strings.HasSuffix(pointer, "/Ref"):
		return "qrReference"
	case values.RemittanceKind == RemittanceReference && strings.HasSuffix(pointer, "/Ref"):
		return "creditorReference"
	}
	return "remittanceKind"
}

// ElementOf returns the path of an element below its payment, or below the order, without the numbers of repeated elements.
func ElementOf(pointer string) string {
	rest, is := strings.CutPrefix(pointer, transactionPointer+"/")
	if !is {
		rest = strings.TrimPrefix(pointer, "/Document/CstmrCdtTrfInitn/")
	}
	return strings.ReplaceAll(rest, "/0/", "/")
}
