package rulebook

import (
	"reflect"
	"sync"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
)

// swissSubset are the places that ISO has and the Swiss form of the message (schema pain.001.001.09.ch.03 of SIX) has not, with their names
// in sentences. Places below an element that another rule refuses whole do not stand here.
var swissSubset = []struct{ place, name string }{
	{"GrpHdr/Authstn", "the authorisation"},
	{"GrpHdr/InitgPty/PstlAdr", "the address of the initiating party"},
	{"GrpHdr/InitgPty/CtryOfRes", "the country of residence of the initiating party"},
	{"GrpHdr/InitgPty/CtctDtls/NmPrfx", "the form of address of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/Nm", "the name of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/PhneNb", "the telephone number of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/MobNb", "the mobile number of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/FaxNb", "the fax number of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/EmailAdr", "the e-mail address of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/EmailPurp", "the purpose of the e-mail address"},
	{"GrpHdr/InitgPty/CtctDtls/JobTitl", "the job title of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/Rspnsblty", "the responsibility of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/Dept", "the department of the contact"},
	{"GrpHdr/InitgPty/CtctDtls/PrefrdMtd", "the preferred method of contact"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/AdrTp", "the type of the forwarding bank's address"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/Dept", "the department of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/SubDept", "the subdepartment of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/StrtNm", "the street of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/BldgNb", "the building number of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/BldgNm", "the building name of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/Flr", "the floor of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/PstBx", "the post box of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/Room", "the room of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/PstCd", "the post code of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/TwnNm", "the town of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/TwnLctnNm", "the part of town of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/DstrctNm", "the district of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/CtrySubDvsn", "the region of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/PstlAdr/Ctry", "the country of the forwarding bank"},
	{"GrpHdr/FwdgAgt/FinInstnId/Othr/Issr", "the issuer of the forwarding bank's identification"},
	{"GrpHdr/FwdgAgt/BrnchId", "the branch of the forwarding bank"},
	{"PmtInf/PmtTpInf/CtgyPurp/Prtry", "the proprietary category purpose"},
	{"PmtInf/Dbtr/CtryOfRes", "the country of residence of the debtor"},
	{"PmtInf/Dbtr/CtctDtls", "the contact details of the debtor"},
	{"PmtInf/DbtrAcct/Nm", "the name of the debtor account"},
	{"PmtInf/DbtrAgt/FinInstnId/ClrSysMmbId/ClrSysId/Prtry", "the proprietary clearing system of the debtor's bank"},
	{"PmtInf/DbtrAgt/FinInstnId/Nm", "the name of the debtor's bank"},
	{"PmtInf/DbtrAgt/FinInstnId/PstlAdr", "the address of the debtor's bank"},
	{debtorAgentOther, "the other identification of the debtor's bank"},
	{"PmtInf/DbtrAgt/BrnchId", "the branch of the debtor's bank"},
	{"PmtInf/DbtrAgtAcct", "the account of the debtor's bank"},
	{"PmtInf/UltmtDbtr/CtryOfRes", "the country of residence of the ultimate debtor"},
	{"PmtInf/UltmtDbtr/CtctDtls", "the contact details of the ultimate debtor"},
	{"PmtInf/ChrgsAcct/Id/Othr/SchmeNm", "the scheme name of the charges account"},
	{"PmtInf/ChrgsAcct/Id/Othr/Issr", "the issuer of the charges account"},
	{"PmtInf/ChrgsAcct/Tp", "the type of the charges account"},
	{"PmtInf/ChrgsAcct/Nm", "the name of the charges account"},
	{"PmtInf/ChrgsAcctAgt", "the bank of the charges account"},
	{"PmtInf/CdtTrfTxInf/UltmtDbtr/CtryOfRes", "the country of residence of the ultimate debtor"},
	{"PmtInf/CdtTrfTxInf/UltmtDbtr/CtctDtls", "the contact details of the ultimate debtor"},
	{"PmtInf/CdtTrfTxInf/CdtrAgt/BrnchId", "the branch of the creditor's bank"},
	{"PmtInf/CdtTrfTxInf/Cdtr/CtryOfRes", "the country of residence of the creditor"},
	{"PmtInf/CdtTrfTxInf/Cdtr/CtctDtls", "the contact details of the creditor"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Tp", "the type of the creditor account"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Ccy", "the currency of the creditor account"},
	{"PmtInf/CdtTrfTxInf/CdtrAcct/Nm", "the name of the creditor account"},
	{"PmtInf/CdtTrfTxInf/UltmtCdtr/CtryOfRes", "the country of residence of the ultimate creditor"},
	{"PmtInf/CdtTrfTxInf/UltmtCdtr/CtctDtls", "the contact details of the ultimate creditor"},
	{"PmtInf/CdtTrfTxInf/Purp/Prtry", "the proprietary purpose"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/Grnshee/PstlAdr/AdrTp", "the type of the garnishee's address"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/Grnshee/PstlAdr/AdrLine", "the address lines of the garnishee"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/Grnshee/CtctDtls", "the contact details of the garnishee"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/GrnshmtAdmstr/PstlAdr/AdrTp", "the type of the garnishment administrator's address"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/GrnshmtAdmstr/PstlAdr/AdrLine", "the address lines of the garnishment administrator"},
	{"PmtInf/CdtTrfTxInf/RmtInf/Strd/GrnshmtRmt/GrnshmtAdmstr/CtctDtls", "the contact details of the garnishment administrator"},
}

// debtorAgentOther may say NOTPROVIDED, by which an order names no bank: the interface takes it in both schemes.
const debtorAgentOther = "PmtInf/DbtrAgt/FinInstnId/Othr"

var subsetRules = []Rule{
	{
		ID: "swiss-subset", Scheme: SchemeSIC, Element: documentPointer + "/{place of the list below}", Code: "CH17",
		Text:   "Remove this element. Swiss payment orders do not allow it.",
		Source: "SIX, schema pain.001.001.09.ch.03; SPS 3.11 to 3.13, 4.1 to 4.3", Check: checkSwissSubset,
	},
}

// swissPlaces looks for the places of swissSubset.
var swissPlaces = sync.OnceValue(func() *iso20022.Set {
	return iso20022.MustNew(reflect.TypeFor[iso20022.CustomerCreditTransferInitiation](), SwissSubset())
})

func checkSwissSubset(i *inspection) {
	swissPlaces().Each(i.document, func(found iso20022.Found) bool {
		row := swissSubset[found.Place]
		other, isOther := found.Value.Interface().(iso20022.GenericFinancialIdentification1)
		if row.place != debtorAgentOther || !isOther || other.ID != iso20022.NotProvided {
			i.reportAt(found.Pointer(documentPointer), i18n.Text("Remove %s. Swiss payment orders do not allow this element.").With(row.name))
		}
		return !i.more
	})
}

// SwissSubset lists the places that ISO has and Swiss payment orders have not, below the message element.
func SwissSubset() []string {
	places := make([]string, len(swissSubset))
	for i := range swissSubset {
		places[i] = swissSubset[i].place
	}
	return places
}
