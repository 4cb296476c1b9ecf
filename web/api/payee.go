package api

import (
	"countersign/internal/payee"
)

// payeeOf writes the result of a verification of payee; nil when there was none.
func payeeOf(v payee.Verification) *Payee {
	if !v.Known() {
		return nil
	}
	return &Payee{Result: string(v.Result), MatchedName: v.MatchedName, At: moment(v.At)}
}

// verified adds the verification to the status report of an instruction.
func (r reply) verified(v payee.Verification) reply {
	if answer, is := r.body.(InstructionAnswer); is {
		answer.Payee = payeeOf(v)
		r.body = answer
	}
	return r
}
