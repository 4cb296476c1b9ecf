package interbank

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// MismatchError reports a document that contradicts its original.
type MismatchError struct {
	Element string // the ISO name of the element that disagrees, such as OrgnlEndToEndId
	Said    string
	Known   string // "" when the original has no such thing
}

func (e *MismatchError) Error() string {
	if e.Known == "" {
		return fmt.Sprintf("%s says %q, but the original has none.", e.Element, e.Said)
	}
	return fmt.Sprintf("%s says %q, but the original has %q.", e.Element, e.Said, e.Known)
}

// agreement is a field that a document repeats of its original: the repeated and the original value, "" for none.
type agreement struct {
	element     string
	said, known func(Original) string
	// optional: an unknown value of the original is not compared. A missing id of the original always disagrees.
	optional bool
}

func same(element string, value func(Original) string) agreement {
	return agreement{element: element, said: value, known: value}
}

// agreements are compared by Agree, in this order: ids first, then the money, then the copy of the payment (OrgnlTxRef).
// Source: EPC115-06 (pacs.002, pacs.004, pacs.028, camt.029, camt.056), where each of these elements repeats the original's exactly.
var agreements = []agreement{
	same("OrgnlTxId", func(o Original) string { return o.TransactionID }),
	same("OrgnlMsgId", func(o Original) string { return o.MessageID }),
	same("OrgnlInstrId", func(o Original) string { return o.InstructionID }),
	same("OrgnlEndToEndId", func(o Original) string { return o.EndToEndID }),
	same("OrgnlUETR", func(o Original) string { return o.UETR }),
	{element: "OrgnlCtrlSum", optional: true, said: func(o Original) string { return o.ControlSum }, known: controlSumOf},
	{element: "OrgnlIntrBkSttlmAmt", optional: true, said: amountOf, known: amountOf},
	{element: "OrgnlIntrBkSttlmDt", optional: true, said: dayOf, known: dayOf},
	{
		element: "OrgnlTxRef/IntrBkSttlmAmt", optional: true, said: func(o Original) string { return amountText(o.Copy.Amount) },
		known: amountOf,
	},
	{element: "OrgnlTxRef/IntrBkSttlmDt", optional: true, said: func(o Original) string { return dayText(o.Copy.Day) }, known: dayOf},
	{element: "OrgnlTxRef/DbtrAcct", optional: true, said: debtorAccountOf, known: debtorAccountOf},
	{element: "OrgnlTxRef/CdtrAcct", optional: true, said: creditorAccountOf, known: creditorAccountOf},
}

// Agree compares the fields that a document repeats with the known original: every id, the amount with its currency,
// the settlement day and the accounts. Omitted fields are not compared. It fails with a MismatchError that names the
// first different element.
func (o Original) Agree(known Original) error {
	named := o.MessageName == "" || o.MessageName == known.MessageName || SameMessage(o.MessageName, iso20022.MessageName(known.MessageName))
	if !named {
		return &MismatchError{Element: "OrgnlMsgNmId", Said: o.MessageName, Known: known.MessageName}
	}
	for _, a := range agreements {
		said, is := a.said(o), a.known(known)
		if said == "" || said == is || is == "" && a.optional {
			continue
		}
		return &MismatchError{Element: a.element, Said: said, Known: is}
	}
	return nil
}

func amountOf(o Original) string { return amountText(o.Amount) }

// controlSumOf returns the control sum of a message with this payment alone.
func controlSumOf(o Original) string {
	if o.Amount.Currency() == "" {
		return ""
	}
	sum := o.Amount.Decimal()
	return sumText(&sum)
}

func dayOf(o Original) string { return dayText(o.Day) }

func debtorAccountOf(o Original) string { return o.Copy.DebtorAccount }

func creditorAccountOf(o Original) string { return o.Copy.CreditorAccount }

// amountText is an amount to compare and to show, "" for none.
func amountText(amount money.Amount) string {
	if amount.Currency() == "" {
		return ""
	}
	return amount.Format()
}

// sumText is a sum without a currency to compare and to show, "" for none.
func sumText(sum *decimal.Decimal) string {
	if sum == nil {
		return ""
	}
	return sum.Trim(0).String()
}

// dayText is a day to compare and to show, "" for none.
func dayText(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

// Owes compares a return that answers a recall with the owed amount: all of the payment, less a charge that the document names, of at most
// largest. The header's count and total must be those of the one return. It fails with a MismatchError, a ContradictionError for a larger
// charge, or a money.Error when the amounts cannot be compared.
//
// Source: EPC115-06 pacs.004 (ChrgsInf with a positive answer to a recall, FOCR); SIC takes the same.
func (r Returned) Owes(owed, largest money.Amount) error {
	back := r.Amount
	if !r.Charge.IsZero() {
		var err error
		back, err = back.Add(r.Charge)
		if err != nil {
			return fmt.Errorf("add the charge to the returned amount: %w", err)
		}
	}
	if !r.Charge.IsZero() && r.Charge.Minor() > largest.Minor() {
		return &ContradictionError{
			Element: "ChrgsInf", Said: amountText(r.Charge), Against: "the largest charge another bank may keep, " + amountText(largest),
		}
	}
	switch {
	case back != owed:
		return &MismatchError{Element: "RtrdIntrBkSttlmAmt", Said: amountText(r.Amount), Known: amountText(owed)}
	case r.Count != "1":
		return &MismatchError{Element: "NbOfTxs", Said: r.Count, Known: "1"}
	case r.Total.Currency() != "" && r.Total != r.Amount:
		return &MismatchError{Element: "TtlRtrdIntrBkSttlmAmt", Said: amountText(r.Total), Known: amountText(r.Amount)}
	}
	return nil
}

// ErrNoRefusal reports a document that is no refusal of another one, or has further content.
var ErrNoRefusal = errors.New("it is no refusal of the document that it answers, or says more than that document")

// OnlyRefuses checks that an answer refuses a document and repeats nothing but that document: a camt.029 with RJCR a camt.056, back to the
// bank that sent it, a pacs.002 with RJCT a pacs.028. Beside the ids of the answer only its reason, its time and our bank are new. It fails
// with ErrNoRefusal, a MismatchError, or when one of them cannot be read.
func OnlyRefuses(asked, answer iso20022.Document) error {
	switch asked := asked.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		if refusal, is := answer.(*iso20022.ResolutionOfInvestigation); is {
			return refusesRecall(asked, refusal)
		}
	case *iso20022.FIToFIPaymentStatusRequest:
		if refusal, is := answer.(*iso20022.FIToFIPaymentStatusReport); is {
			return refusesQuestion(asked, refusal)
		}
	}
	return fmt.Errorf("%s to %s: %w", answer.MessageName(), asked.MessageName(), ErrNoRefusal)
}

func refusesRecall(asked *iso20022.FIToFIPaymentCancellationRequest, refusal *iso20022.ResolutionOfInvestigation) error {
	recall, err := ReadCancellation(asked)
	if err != nil {
		return err
	}
	said, err := ReadResolution(refusal)
	if err != nil {
		return err
	}
	from, to := asked.Assignment.Assigner, refusal.Assignment.Assignee
	repeated := refusal.CancellationDetails[0].TransactionInformationAndStatus[0]
	copied := asked.Underlying[0].TransactionInformation[0].OriginalTransactionReference
	refuses := said.Refused && refusal.Status.Confirmation == rejected
	if !refuses || said.Original.TransactionID != recall.Original.TransactionID || !reflect.DeepEqual(from, to) ||
		!reflect.DeepEqual(repeated.OriginalTransactionReference, copied) {
		return ErrNoRefusal
	}
	return said.Original.Agree(recall.Original)
}

func refusesQuestion(asked *iso20022.FIToFIPaymentStatusRequest, refusal *iso20022.FIToFIPaymentStatusReport) error {
	question, err := ReadStatusRequest(asked)
	if err != nil {
		return err
	}
	said, err := ReadStatus(refusal)
	if err != nil {
		return err
	}
	if said.Status != statusRejected || said.Original.TransactionID != question.Original.TransactionID ||
		refusal.TransactionInformationAndStatus[0].OriginalTransactionReference != nil {
		return ErrNoRefusal
	}
	return said.Original.Agree(question.Original)
}

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
