// Package rtransactionrule is the rule book of recalls, returns and resolutions: the reasons of each scheme, the lines of information that
// go with them, the last days, and the check of a request against all of it. It is apart from the rules about payment orders because it
// looks at a request and not at a document; internal/rulebook/rulesdoc writes both into one page.
package rtransactionrule

import (
	"time"

	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// Request is what a person asks for with a recall, a return or a resolution. It is made once, where the request comes in, and is the same
// value in the rules, the domain and the maker of the interbank document.
type Request struct {
	Reason      string       // code of the scheme's list
	Information []string     // lines of at most InformationLength characters
	Charge      money.Amount // what a return keeps; the zero value for nothing
}

// Case is a request with what the rules need to know about the payment.
type Case struct {
	Request

	Scheme       rulebook.Scheme
	Amount       money.Amount // of the payment
	Settled      time.Time    // the day the payment settled
	Today        time.Time    // in the scheme's time zone
	Recalled     bool         // another bank has asked for the payment, and has no answer yet
	RecallReason string       // the code that recall came with, "" when there is none
	Settings     rulebook.Settings
}
