package interbank

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// ContradictionError reports a document that contradicts itself or exceeds a limit.
type ContradictionError struct {
	Element string // the ISO name of the element, such as TxSts
	Said    string
	Against string // what it stands against, in words
}

func (e *ContradictionError) Error() string {
	return fmt.Sprintf("%s says %q, against %s.", e.Element, e.Said, e.Against)
}

// consistent checks a pacs.002 for contradictions: its status is one of ISO, the group status equals it, only a refusal has a reason, and
// the answered message holds one payment. A contradictory document is ignored as a whole. It fails with a ContradictionError.
//
// Source: ISO ExternalPaymentTransactionStatus1Code and ExternalPaymentGroupStatus1Code; EPC115-06 pacs.002 (StsRsnInf with RJCT alone).
func (s Status) consistent(document *iso20022.FIToFIPaymentStatusReport) error {
	element, known := "GrpSts", code.GroupStatuses
	for i := range document.TransactionInformationAndStatus {
		if document.TransactionInformationAndStatus[i].TransactionStatus != "" {
			element, known = "TxSts", code.TransactionStatuses
		}
	}
	_, found := known.Find(s.Status)
	if !found {
		return &ContradictionError{Element: element, Said: s.Status, Against: "the statuses that ISO knows"}
	}
	for i := range document.OriginalGroupInformationAndStatus {
		err := s.inGroup(&document.OriginalGroupInformationAndStatus[i])
		if err != nil {
			return err
		}
	}
	for i := range document.TransactionInformationAndStatus {
		err := s.because(document.TransactionInformationAndStatus[i].StatusReasonInformation)
		if err != nil {
			return err
		}
	}
	return nil
}

// inGroup compares the status with that of the message. An intermediate group status, such as RCVD, contradicts nothing.
func (s Status) inGroup(group *iso20022.OriginalGroupHeader17) error {
	said := OutcomeOf(group.GroupStatus)
	if said == OutcomeNegative && s.Outcome != OutcomeNegative || said == OutcomePositive && s.Outcome == OutcomeNegative {
		return &ContradictionError{Element: "GrpSts", Said: group.GroupStatus, Against: "the TxSts " + s.Status}
	}
	count := group.OriginalNumberOfTransactions
	if count != "" && strings.TrimLeft(count, "0") != "1" {
		return &ContradictionError{Element: "OrgnlNbOfTxs", Said: count, Against: "the one payment of an instant message"}
	}
	return s.because(group.StatusReasonInformation)
}

// because refuses a reason beside a positive status; text alone (AddtlInf) is no reason.
func (s Status) because(reasons []iso20022.StatusReasonInformation12) error {
	if s.Outcome != OutcomePositive {
		return nil
	}
	for i := range reasons {
		given := reasons[i].Reason
		if given != nil && given.Code+given.Proprietary != "" {
			return &ContradictionError{Element: "StsRsnInf/Rsn", Said: given.Code + given.Proprietary, Against: "the positive status " + s.Status}
		}
	}
	return nil
}

// Settles holds the settlement day of a return against the banking day it comes on: it may lie rulebook.SettlementDays away, as that of a
// payment, and a return that names none settles at once. It fails with a ContradictionError.
func (r Returned) Settles(today time.Time) error {
	if r.Day.IsZero() || !rulebook.SettlesFar(r.Day, today) {
		return nil
	}
	return &ContradictionError{
		Element: "IntrBkSttlmDt", Said: dayText(r.Day),
		Against: fmt.Sprintf("the banking day %s: a return settles within %d days", dayText(today), rulebook.SettlementDays),
	}
}
