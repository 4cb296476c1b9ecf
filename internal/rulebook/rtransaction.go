package rulebook

import (
	"time"

	"countersign/internal/calendar"
	"countersign/internal/money"
)

// Request is a person's request for a recall, a return or a resolution. The rules, the domain and the maker of the
// interbank document share the value.
type Request struct {
	Reason      string       // code of the scheme's list
	Information []string     // lines of at most InformationLength characters
	Charge      money.Amount // what a return keeps; the zero value for nothing
}

// RTransactionCase is a request with the payment data that the rules need.
type RTransactionCase struct {
	Request

	Scheme       Scheme
	Amount       money.Amount // of the payment
	Settled      time.Time    // the day the payment settled
	Today        time.Time    // in the scheme's time zone
	Recalled     bool         // another bank has asked for the payment, and has no answer yet
	RecallReason string       // the code that recall came with, "" when there is none
	Settings     Settings
}

// The time limits of the SEPA rulebook (EPC SCT Inst rulebook 2025, sections 4.3.2.3 and 4.3.2.4).
const (
	recallBankingDays = 10 // after execution, for a duplicate or a technical problem
	recallMonths      = 13 // after execution, for fraud and for requests of the originator
	answerBankingDays = 15 // after receipt of a recall
	returnBankingDays = 3  // after settlement, for a return that no recall asked for
)

// afterBankingDays counts days of a calendar from a day; no days are no limit.
func afterBankingDays(banking calendar.Calendar, from time.Time, days int) (last time.Time, limited bool) {
	if days <= 0 {
		return time.Time{}, false
	}
	return banking.AddBankingDays(from, days), true
}
