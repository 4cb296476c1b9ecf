package payment

import (
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

// Answer is what a pacs.002 says about one payment.
type Answer struct {
	TransactionID string // TxId of the pacs.008: our Global ID
	Outcome       Outcome
	Code          string // ISO reason code of a refusal
	Text          string // its meaning, and what the sender adds
}

// Outcome is the meaning of a transaction status.
type Outcome int

// The outcomes. A status in neither table (pending, received) moves nothing.
const (
	OutcomeNone Outcome = iota
	OutcomePositive
	OutcomeNegative
)

// outcomes is the table of transaction statuses (ISO ExternalPaymentTransactionStatus1Code; iso20022-rules 3.4): positive by table,
// never by prefix.
var outcomes = map[string]Outcome{
	"ACCP": OutcomePositive, "ACSP": OutcomePositive, "ACSC": OutcomePositive, "ACCC": OutcomePositive, "ACWP": OutcomePositive,
	"RJCT": OutcomeNegative,
}

// Answers reads a pacs.002: one answer for each transaction it names.
func Answers(report *iso20022.FIToFIPaymentStatusReport) []Answer {
	list := make([]Answer, 0, len(report.TransactionInformationAndStatus))
	for _, tx := range report.TransactionInformationAndStatus {
		a := Answer{TransactionID: tx.OriginalTransactionID, Outcome: outcomes[tx.TransactionStatus]}
		if a.Outcome == OutcomeNegative {
			a.Code, a.Text = reasonOf(tx.StatusReasonInformation)
		}
		list = append(list, a)
	}
	return list
}

// reasonOf is the first reason's code and its meaning. A refusal without a reason is NARR, "see narrative".
func reasonOf(reasons []iso20022.StatusReasonInformation12) (id, text string) {
	id = "NARR"
	var more []string
	for _, r := range reasons {
		more = append(more, r.AdditionalInformation...)
		if r.Reason != nil && id == "NARR" && r.Reason.Code != "" {
			id = r.Reason.Code
		}
		if r.Reason != nil && r.Reason.Proprietary != "" {
			more = append(more, r.Reason.Proprietary)
		}
	}
	definition, known := code.StatusReasons.Find(id)
	if known {
		text = definition.Text
	}
	text = strings.TrimSpace(text + " " + strings.Join(more, " "))
	if runes := []rune(text); len(runes) > MaxReason {
		text = string(runes[:MaxReason])
	}
	return id, text
}
