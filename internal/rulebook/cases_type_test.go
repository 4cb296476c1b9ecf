package rulebook_test

import (
	"slices"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// typeOnTransaction moves the payment type information to the transaction.
func typeOnTransaction(d *document) {
	d.tx.PaymentTypeInformation, d.info.PaymentTypeInformation = d.info.PaymentTypeInformation, nil
}

func serviceLevels(levels ...iso20022.ServiceLevel8Choice) func(d *document) {
	return func(d *document) { d.info.PaymentTypeInformation.ServiceLevel = slices.Clone(levels) }
}

func localInstrument(code, proprietary string) func(d *document) {
	return func(d *document) {
		d.info.PaymentTypeInformation.LocalInstrument = &iso20022.LocalInstrument2Choice{Code: code, Proprietary: proprietary}
	}
}

func batchBooking(value bool) func(d *document) {
	return func(d *document) {
		own := value
		d.info.BatchBooking = &own
	}
}

var typeCases = []ruleCase{
	{rule: "payment-method", name: "transfer"},
	{rule: "payment-method", name: "cheque", change: func(d *document) { d.info.PaymentMethod = "CHK" }, pointer: infoAt + "/PmtMtd"},
	{rule: "payment-type-level", name: "on the transaction", base: sepaPayment, change: typeOnTransaction},
	{rule: "payment-type-level", name: "on both", change: func(d *document) {
		d.tx.PaymentTypeInformation = &iso20022.PaymentTypeInformation26{InstructionPriority: "NORM"}
	}, pointer: txAt + "/PmtTpInf"},
	{rule: "service-level-once", name: "once", base: sepaPayment},
	{rule: "service-level-once", name: "twice", base: sepaPayment, change: serviceLevels(
		iso20022.ServiceLevel8Choice{Code: "SEPA"}, iso20022.ServiceLevel8Choice{Code: "SEPA"},
	), pointer: infoAt + "/PmtTpInf/SvcLvl"},
	{rule: "service-level-not-sepa", name: "other", change: serviceLevels(iso20022.ServiceLevel8Choice{Code: "URGP"})},
	{
		rule: "service-level-not-sepa", name: "SEPA", change: serviceLevels(iso20022.ServiceLevel8Choice{Code: "SEPA"}),
		pointer: infoAt + "/PmtTpInf/SvcLvl/0/Cd",
	},
	{rule: "service-level-missing", name: "there", base: sepaPayment},
	{rule: "service-level-missing", name: "missing", base: sepaPayment, change: serviceLevels(), pointer: infoAt + "/PmtTpInf/SvcLvl"},
	{rule: "service-level-missing", name: "missing on the transaction", base: sepaPayment, change: func(d *document) {
		serviceLevels()(d)
		typeOnTransaction(d)
	}, pointer: txAt + "/PmtTpInf/SvcLvl"},
	{rule: "service-level-sepa", name: "SEPA", base: sepaPayment},
	{
		rule: "service-level-sepa", name: "other", base: sepaPayment, change: serviceLevels(iso20022.ServiceLevel8Choice{Code: "URGP"}),
		pointer: infoAt + "/PmtTpInf/SvcLvl/0/Cd",
	},
	{rule: "service-level-proprietary", name: "code", base: sepaPayment},
	{
		rule: "service-level-proprietary", name: "proprietary", base: sepaPayment,
		change: serviceLevels(iso20022.ServiceLevel8Choice{Proprietary: "SEPA"}), pointer: infoAt + "/PmtTpInf/SvcLvl/0/Prtry",
	},
	{rule: "local-instrument-missing", name: "there"},
	{
		rule: "local-instrument-missing", name: "no type information", change: func(d *document) { d.info.PaymentTypeInformation = nil },
		pointer: infoAt + "/PmtTpInf/LclInstrm",
	},
	{rule: "local-instrument-missing", name: "no local instrument", base: sepaPayment, change: func(d *document) {
		d.info.PaymentTypeInformation.LocalInstrument = nil
	}, pointer: infoAt + "/PmtTpInf/LclInstrm"},
	{rule: "local-instrument-code", name: "instant", base: sepaPayment},
	{rule: "local-instrument-code", name: "other", change: localInstrument("TRF", ""), pointer: infoAt + "/PmtTpInf/LclInstrm/Cd"},
	{
		rule: "local-instrument-code", name: "fallback not agreed", change: localInstrument("ITP", ""),
		pointer: infoAt + "/PmtTpInf/LclInstrm/Cd",
	},
	{
		rule: "local-instrument-code", name: "fallback agreed", change: localInstrument("ITP", ""),
		settings: func(s *rulebook.Settings) { s.FallbackAllowed = true },
	},
	{
		rule: "local-instrument-code", name: "fallback in SEPA", base: sepaPayment, change: localInstrument("ITP", ""),
		settings: func(s *rulebook.Settings) {
			s.FallbackAllowed = true
		},
		pointer: infoAt + "/PmtTpInf/LclInstrm/Cd",
	},
	{rule: "local-instrument-proprietary", name: "code"},
	{
		rule: "local-instrument-proprietary", name: "proprietary", change: localInstrument("", "INST"),
		pointer: infoAt + "/PmtTpInf/LclInstrm/Prtry",
	},
	{rule: "local-instrument-level", name: "with the payment information"},
	{rule: "local-instrument-level", name: "on the transaction", change: typeOnTransaction, pointer: txAt + "/PmtTpInf/LclInstrm"},
	{rule: "charge-bearer-level", name: "on the transaction", change: func(d *document) { d.tx.ChargeBearer = "SHAR" }},
	{
		rule: "charge-bearer-level", name: "on both", base: sepaPayment, change: func(d *document) { d.tx.ChargeBearer = "SLEV" },
		pointer: txAt + "/ChrgBr",
	},
	{rule: "charge-bearer-slev", name: "left out", base: sepaPayment, change: func(d *document) { d.info.ChargeBearer = "" }},
	{
		rule: "charge-bearer-slev", name: "shared", base: sepaPayment, change: func(d *document) { d.info.ChargeBearer = "SHAR" },
		pointer: infoAt + "/ChrgBr",
	},
	{rule: "charge-bearer-slev", name: "shared on the transaction", base: sepaPayment, change: func(d *document) {
		d.info.ChargeBearer, d.tx.ChargeBearer = "", "SHAR"
	}, pointer: txAt + "/ChrgBr"},
	{rule: "batch-booking", name: "left out", change: func(d *document) { d.info.BatchBooking = nil }},
	{rule: "batch-booking", name: "collective", change: batchBooking(true), pointer: infoAt + "/BtchBookg"},
	{
		rule: "batch-booking", name: "collective by agreement", change: batchBooking(true),
		settings: func(s *rulebook.Settings) { s.CollectiveBookingAllowed = true },
	},
	{rule: "batch-booking", name: "collective in SEPA", base: sepaPayment, change: batchBooking(true)},
}
