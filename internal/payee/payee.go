package payee

import (
	"context"
	"errors"
	"time"
)

// Limit is the time limit for an answer. The scheme allows five seconds for the whole way; the answering bank should need at most one.
const Limit = 5 * time.Second

// Result is the result of a verification.
type Result string

// The results: the first four are the codes of the EPC's scheme, the others are ours.
const (
	Match       Result = "MTCH"   // the name is that of the account
	CloseMatch  Result = "CMTC"   // nearly: the answer says which name the account has
	NoMatch     Result = "NMTC"   // another name
	NotPossible Result = "NOAP"   // it could not be verified
	Late        Result = "LATE"   // no answer within Limit
	Waived      Result = "WAIVED" // the client does without: it unpacks files of many payments
)

// Verification is the stored result for one version of a payment. The zero value means that nothing was asked: neither the scheme nor the
// gateway verifies payees.
type Verification struct {
	Result Result
	// MatchedName is the name of the account, told with a close match only, at most MaxName characters.
	MatchedName string
	At          time.Time // of the answer, or when it was given up
}

// Known reports whether there is a verification.
func (v Verification) Known() bool { return v.Result != "" }

// Warns reports whether people have to be told before they go on: the name was not found to be that of the account.
func (v Verification) Warns() bool { return v.Known() && v.Result != Match }

// MaxName is the longest name, in characters.
const MaxName = 140

// Question asks whether a name is that of an account.
type Question struct {
	Name string
	IBAN string // compact
	// Bank is the BIC of the bank that keeps the account, Asker that of the bank of the payer.
	Bank, Asker string
}

// Answer is the answer of a verifier: one of the four results of the scheme, and with a close match the name of the account.
type Answer struct {
	Result      Result
	MatchedName string
}

type askingKey struct{}

// BeforeAsking returns a context in which leave is called, perhaps more than once, before a bank is asked.
func BeforeAsking(ctx context.Context, leave func()) context.Context {
	return context.WithValue(ctx, askingKey{}, leave)
}

// Asking calls what BeforeAsking set.
func Asking(ctx context.Context) {
	leave, is := ctx.Value(askingKey{}).(func())
	if is {
		leave()
	}
}

// Verifier asks the bank that keeps an account. It gives up when the context ends, and fails with ErrLate when that was because of its
// deadline; any other error means that there is no answer to be had.
type Verifier interface {
	Verify(context.Context, Question) (Answer, error)
}

// ErrLate says that the bank did not answer in time.
var ErrLate = errors.New("the payee's bank did not answer in time")

// Outcome turns an answer, or the error of a verifier, into the stored Verification.
func Outcome(answer Answer, err error, at time.Time) Verification {
	v := Verification{Result: answer.Result, MatchedName: answer.MatchedName, At: at}
	switch {
	case errors.Is(err, ErrLate), errors.Is(err, context.DeadlineExceeded):
		return Verification{Result: Late, At: at}
	case err != nil:
		return Verification{Result: NotPossible, At: at}
	case v.Result != CloseMatch:
		v.MatchedName = "" // whatever came with it: the scheme tells the name with a close match only
	}
	return v
}
