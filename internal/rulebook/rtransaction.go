package rulebook

import (
	"time"

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
