package interbank

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
)

// Outcome is the meaning of a transaction status.
type Outcome int

// The outcomes.
const (
	OutcomeNone     Outcome = iota // pending, received, in settlement, blocked: ends nothing
	OutcomePositive                // executed, or accepted for good
	OutcomeNegative                // refused or cancelled
)

// StatusBlocked is the status of a payment whose money moves neither on nor back (ISO: PaymentBlocked).
const StatusBlocked = "BLCK"

// OutcomeOf is the meaning of a status (ISO ExternalPaymentTransactionStatus1Code): positive by table, never by prefix. ACSP
// (AcceptedSettlementInProcess) is still under way.
func OutcomeOf(status string) Outcome {
	switch status {
	case "ACCP", "ACSC", "ACCC", "ACWP":
		return OutcomePositive
	case statusRejected, statusCancelled:
		return OutcomeNegative
	default:
		return OutcomeNone
	}
}

// Status holds the content of a pacs.002 about one payment or return.
type Status struct {
	MessageID string
	// Original has the message the status answers and the ids of the transaction; TransactionID is "" when the status is about the
	// whole message, which then holds one transaction.
	Original Original
	Status   string
	Outcome  Outcome
	// Reason is set when the outcome is negative, and for another one that gives a reason.
	Reason Reason
	// AcceptedAt is the acceptance time of the original as the sender repeats it; zero when it does not.
	AcceptedAt time.Time
}

// ReadStatus reads a pacs.002. A report about the message as a whole is taken as one about its transaction. It fails with
// ErrTransactions, ErrIncomplete when it names neither message nor transaction or no status, a ContradictionError when its elements
// contradict each other or the status is unknown, a MismatchError when it names the original's message twice and differently, or on an
// amount (money.Error), date or time that cannot be read.
func ReadStatus(document *iso20022.FIToFIPaymentStatusReport) (Status, error) {
	if document == nil || len(document.TransactionInformationAndStatus) > 1 || len(document.OriginalGroupInformationAndStatus) > 1 {
		return Status{}, fmt.Errorf("read pacs.002: %w", ErrTransactions)
	}
	read := Status{MessageID: document.GroupHeader.MessageID}
	var reasons []iso20022.StatusReasonInformation12
	if len(document.OriginalGroupInformationAndStatus) == 1 {
		group := &document.OriginalGroupInformationAndStatus[0]
		read.Original.MessageID, read.Original.MessageName = group.OriginalMessageID, group.OriginalMessageNameID
		read.Original.ControlSum = sumText(group.OriginalControlSum)
		read.Status, reasons = group.GroupStatus, group.StatusReasonInformation
	}
	if len(document.TransactionInformationAndStatus) == 1 {
		transaction := &document.TransactionInformationAndStatus[0]
		var err error
		read.Original, err = reportedOriginal(read.Original, transaction)
		if err != nil {
			return Status{}, fmt.Errorf("read pacs.002: %w", err)
		}
		read.Status = cmp.Or(transaction.TransactionStatus, read.Status)
		reasons = append(
			transaction.StatusReasonInformation[:len(transaction.StatusReasonInformation):len(transaction.StatusReasonInformation)],
			reasons...)
		accepted, err := readMoment(transaction.AcceptanceDateTime)
		if err != nil {
			return Status{}, fmt.Errorf("read pacs.002: %w", err)
		}
		read.AcceptedAt = accepted
	}
	if read.Status == "" || read.Original.MessageID == "" && read.Original.TransactionID == "" {
		return Status{}, fmt.Errorf("read pacs.002 without status or original: %w", ErrIncomplete)
	}
	read.Outcome = OutcomeOf(read.Status)
	err := read.consistent(document)
	if err != nil {
		return Status{}, fmt.Errorf("read pacs.002: %w", err)
	}
	if read.Outcome == OutcomeNegative || len(reasons) > 0 {
		read.Reason = statusReason(reasons)
	}
	if read.Status == statusCancelled {
		read.Reason.Text = strings.TrimSpace("Cancelled by clearing (CANC). " + read.Reason.Text)
	}
	return read, nil
}

// reportedOriginal reads the payment or return of a status, whose document may be named in the group too.
func reportedOriginal(about Original, transaction *iso20022.PaymentTransaction110) (Original, error) {
	about.InstructionID, about.EndToEndID = transaction.OriginalInstructionID, transaction.OriginalEndToEndID
	about.TransactionID, about.UETR = transaction.OriginalTransactionID, transaction.OriginalUETR
	return about.read(said{group: transaction.OriginalGroupInformation, copy: transaction.OriginalTransactionReference})
}

// statusReason returns the first code, and the texts of all reasons.
func statusReason(reasons []iso20022.StatusReasonInformation12) Reason {
	var first *choice
	var named *party
	var lines []string
	for i := range reasons {
		if given := (*choice)(reasons[i].Reason); given != nil && (first == nil || *first == choice{}) {
			first = given
		}
		if named == nil {
			named = reasons[i].Originator
		}
		lines = append(lines, reasons[i].AdditionalInformation...)
	}
	return reasonOf(code.StatusReasons, first, named, lines)
}
