package simulator

import (
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/profile"
)

// chargesShared is the charge bearer of both schemes.
const chargesShared = "SLEV"

// scheme is one of the two instant schemes as its clearing sees it.
type scheme struct {
	name     string         // as in the paths: sic-inst, sct-inst
	currency money.Currency // the only one it settles
	positive string         // status of a settled payment; ISO ExternalPaymentTransactionStatus1Code
	short    string         // start of the ids made here
	receipts bool           // recalls and their answers are acknowledged with a camt.025

	demoAccount, otherAccount string // of incoming payments: the creditor's by default, the debtor's
	otherAddress              iso20022.PostalAddress24
}

// schemeNamed finds a scheme. In SIC the clearing system itself confirms the settlement (ACSC); in SCT Inst the bank of the creditor
// accepts (ACCP).
func schemeNamed(name string) (scheme, bool) {
	switch name {
	case "sic-inst":
		return scheme{
			name: name, currency: "CHF", positive: "ACSC", short: "SIC", receipts: true, demoAccount: demoAccountCHF,
			otherAccount: otherAccountCHF, otherAddress: iso20022.PostalAddress24{TownName: "Bern", Country: "CH"},
		}, true
	case "sct-inst":
		return scheme{
			name: name, currency: "EUR", positive: "ACCP", short: "SCT", demoAccount: demoAccountEUR,
			otherAccount: otherAccountEUR, otherAddress: iso20022.PostalAddress24{TownName: "Paris", Country: "FR"},
		}, true
	default:
		return scheme{}, false
	}
}

// spoken returns the clearing profile that the clearing of a scheme speaks now; nil for every one.
func (s *Simulator) spoken(of scheme) *profile.Profile {
	return s.config.Profiles.InForce(of.name, s.config.Now())
}

// settlement returns the settlement method of the scheme: through a clearing system, in SIC by its code SIP.
func (s scheme) settlement() iso20022.SettlementInstruction7 {
	settlement := iso20022.SettlementInstruction7{SettlementMethod: "CLRG"}
	if s.currency == "CHF" {
		settlement.ClearingSystem = &iso20022.ClearingSystemIdentification3Choice{Code: "SIP"}
	}
	return settlement
}

// paymentType marks a payment as instant; SEPA also names its service level.
func (s scheme) paymentType() *iso20022.PaymentTypeInformation28 {
	instant := &iso20022.PaymentTypeInformation28{LocalInstrument: &iso20022.LocalInstrument2Choice{Code: "INST"}}
	if s.currency == "EUR" {
		instant.ServiceLevel = []iso20022.ServiceLevel8Choice{{Code: "SEPA"}}
	}
	return instant
}

// lateAnswer is the delay of a late answer from the delivery: two seconds more than the ten that both schemes allow.
const lateAnswer = 12 * time.Second

// The reason codes of refusals (ISO ExternalStatusReason1Code).
const (
	reasonClosedAccount     = "AC04"
	reasonInsufficientFunds = "AM04"
	reasonTimeout           = "AB05" // time-out at the creditor agent
	reasonNeverReceived     = "AG09" // the payment asked for never arrived
)

// behaviour is the reaction of the clearing to one payment.
type behaviour struct {
	reason      string        // refusal, or "" for a positive answer
	silent      bool          // the payment itself is not answered
	mute        bool          // a question for its status is not answered either
	wait        time.Duration // before the answer
	copies      int           // how many times the same answer is sent
	brokenFirst bool          // a document that is not valid goes ahead of the answer
	refusals    int           // deliveries refused before one is taken
}

// behaviourOf reads the cents of an amount. All cents that are not named, .90 and .99 among them, get a positive answer at once.
func behaviourOf(cents int) behaviour {
	switch cents {
	case 91:
		return behaviour{reason: reasonClosedAccount, copies: 1}
	case 92:
		return behaviour{reason: reasonInsufficientFunds, copies: 1}
	case 93:
		return behaviour{silent: true, mute: true}
	case 94:
		return behaviour{wait: lateAnswer, copies: 1}
	case 95:
		return behaviour{copies: 3}
	case 96:
		return behaviour{brokenFirst: true, copies: 1}
	case 97:
		return behaviour{refusals: 2, copies: 1}
	case 98:
		return behaviour{reason: reasonTimeout, silent: true}
	default:
		return behaviour{copies: 1}
	}
}
