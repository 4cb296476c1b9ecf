package profile

import (
	"reflect"

	"countersign/internal/iso20022"
)

// places are elements of each message that profiles write in their way.
type places map[iso20022.MessageName]*iso20022.Set

// placesOf makes the places of paths below the message elements.
func placesOf(paths map[iso20022.MessageName][]string) places {
	made := places{}
	for name, list := range paths {
		made[name] = iso20022.MustNew(reflect.TypeOf(iso20022.DefinitionNamed(name).New()).Elem(), list)
	}
	return made
}

// each visits the places that a document has.
func (p places) each(document iso20022.Document, visit func(iso20022.Found)) {
	set := p[document.MessageName()]
	if set == nil {
		return
	}
	set.Each(document, func(found iso20022.Found) bool {
		visit(found)
		return true
	})
}

// bankPlaces are the banks.
var bankPlaces = placesOf(map[iso20022.MessageName][]string{
	iso20022.Pacs008V08: {
		"GrpHdr/InstgAgt", "GrpHdr/InstdAgt", "CdtTrfTxInf/InstgAgt", "CdtTrfTxInf/InstdAgt", "CdtTrfTxInf/DbtrAgt", "CdtTrfTxInf/CdtrAgt",
	},
	iso20022.Pacs004V09: {
		"GrpHdr/InstgAgt", "GrpHdr/InstdAgt", "TxInf/InstgAgt", "TxInf/InstdAgt", "TxInf/ChrgsInf/Agt", "TxInf/RtrChain/DbtrAgt",
		"TxInf/RtrChain/CdtrAgt", "TxInf/OrgnlTxRef/DbtrAgt", "TxInf/OrgnlTxRef/CdtrAgt",
	},
	iso20022.Pacs002V10: {
		"GrpHdr/InstgAgt", "GrpHdr/InstdAgt", "TxInfAndSts/InstgAgt", "TxInfAndSts/InstdAgt", "TxInfAndSts/OrgnlTxRef/DbtrAgt",
		"TxInfAndSts/OrgnlTxRef/CdtrAgt",
	},
	iso20022.Camt056V08: {
		"Assgnmt/Assgnr/Agt", "Assgnmt/Assgne/Agt", "Undrlyg/TxInf/OrgnlTxRef/DbtrAgt", "Undrlyg/TxInf/OrgnlTxRef/CdtrAgt",
	},
	iso20022.Camt029V09: {
		"Assgnmt/Assgnr/Agt", "Assgnmt/Assgne/Agt", "CxlDtls/TxInfAndSts/OrgnlTxRef/DbtrAgt", "CxlDtls/TxInfAndSts/OrgnlTxRef/CdtrAgt",
	},
})

// namePlaces are the names of the messages that a document is about.
var namePlaces = placesOf(map[iso20022.MessageName][]string{
	iso20022.Pacs004V09: {"TxInf/OrgnlGrpInf/OrgnlMsgNmId"},
	iso20022.Pacs002V10: {"OrgnlGrpInfAndSts/OrgnlMsgNmId", "TxInfAndSts/OrgnlGrpInf/OrgnlMsgNmId"},
	iso20022.Camt056V08: {"Undrlyg/TxInf/OrgnlGrpInf/OrgnlMsgNmId"},
	iso20022.Camt029V09: {"CxlDtls/TxInfAndSts/OrgnlGrpInf/OrgnlMsgNmId"},
	iso20022.Pacs028V03: {"OrgnlGrpInf/OrgnlMsgNmId", "TxInf/OrgnlGrpInf/OrgnlMsgNmId"},
	iso20022.Camt025V05: {"RctDtls/OrgnlMsgId/MsgNmId"},
})

// instructionPlaces are the InstrIds of a payment, and of the payment a document is about. The OrgnlInstrId of a pacs.028 is none of them:
// it may be the id of a recall.
var instructionPlaces = placesOf(map[iso20022.MessageName][]string{
	iso20022.Pacs008V08: {"CdtTrfTxInf/PmtId/InstrId"},
	iso20022.Pacs004V09: {"TxInf/OrgnlInstrId"},
	iso20022.Pacs002V10: {"TxInfAndSts/OrgnlInstrId"},
	iso20022.Camt056V08: {"Undrlyg/TxInf/OrgnlInstrId"},
	iso20022.Camt029V09: {"CxlDtls/TxInfAndSts/OrgnlInstrId"},
})
