package interbank

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
)

// Original names the payment of a document, as far as the document does.
type Original struct {
	// MessageID and MessageName are those of the document of the payment (or, in a status, of the message it answers). The name may be
	// short: compare with SameMessage.
	MessageID   string
	MessageName string

	InstructionID string
	EndToEndID    string
	TransactionID string
	UETR          string
	Amount        money.Amount // the zero value when the document does not say
	Day           time.Time    // the day it settled, midnight UTC; zero when the document does not say
	AcceptedAt    time.Time    // of a question: when the debtor's bank accepted the payment; zero when the document does not say
	// ControlSum is the sum of the message without a currency (OrgnlCtrlSum), no zeros behind; "" when the document does not say.
	ControlSum string

	Copy OriginalCopy
}

// OriginalCopy holds the fields of the payment's copy (OrgnlTxRef) that other elements repeat or that distinguish two
// payments. Missing fields are zero.
type OriginalCopy struct {
	Amount          money.Amount
	Day             time.Time
	DebtorAccount   string // IBAN
	CreditorAccount string // IBAN
}

// Reason is the reason of a status, recall, return or refusal.
type Reason struct {
	// Code is the ISO code, or the proprietary one of an old sender; NARR for a reason in words only, MS03 for none.
	Code string
	// Text is the meaning of the code with the sender's additional text, for display.
	Text string
	// Information are the sender's lines alone.
	Information []string
	// Originator is the BIC or name of the requesting party, "" if missing.
	Originator string
	// ByBank says that the originator is a bank, named by its BIC.
	ByBank bool
}

// narrative is the code of a reason given in words only.
const narrative = "NARR"

// unspecified is the code of a refusal without a reason (ISO ExternalStatusReason1Code: reason not specified by the agent).
const unspecified = "MS03"

// noReason is the text of a refusal without a reason.
const noReason i18n.Text = "Clearing gave no reason."

// noReasonOfRecall is the text of a recall without a reason.
const noReasonOfRecall i18n.Text = "No reason was given."

// choice is a code of ISO or one of the sender's own; each message has its own type.
type choice struct{ Code, Proprietary string }

// reasonOf builds a Reason from the sender's code, originator and texts.
func reasonOf(set code.Set, given *choice, originator *party, lines []string) Reason {
	if given == nil {
		given = &choice{}
	}
	if *given == (choice{}) && len(lines) == 0 {
		by, bank := originatorName(originator)
		return Reason{Code: unspecified, Text: string(noReason), Originator: by, ByBank: bank}
	}
	id := cmp.Or(given.Code, given.Proprietary, narrative)
	definition, _ := set.Find(id)
	by, bank := originatorName(originator)
	return Reason{
		Code: id, Text: strings.TrimSpace(definition.Text + " " + strings.Join(lines, " ")), Information: lines,
		Originator: by, ByBank: bank,
	}
}

func originatorName(named *party) (name string, bank bool) {
	switch {
	case named == nil:
		return "", false
	case named.ID != nil && named.ID.OrganisationID != nil && named.ID.OrganisationID.AnyBIC != "":
		return named.ID.OrganisationID.AnyBIC, true
	default:
		return named.Name, false
	}
}

// readAmount reads the amount of an element that may be left out.
func readAmount(element string, given *iso20022.Amount) (money.Amount, error) {
	if given == nil {
		return money.Amount{}, nil
	}
	amount, err := money.FromDecimal(money.Currency(given.Currency), given.Value)
	if err != nil {
		return money.Amount{}, fmt.Errorf("read %s %s: %w", element, given, err)
	}
	return amount, nil
}

// readDay reads a date that may be left out. An offset after it does not move it to another day.
func readDay(given iso20022.ISODate) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	day, err := given[:min(len(given), len(time.DateOnly))].Date()
	return day, neverZero(day, err)
}

// neverZero refuses the first moment of the calendar, which the schema allows: here it means no time.
func neverZero(moment time.Time, err error) error {
	if err == nil && moment.IsZero() {
		return errors.New("read a date: nothing happened on 1 January of the year 1")
	}
	return err
}

// readMoment reads a time that may be left out.
func readMoment(given iso20022.ISODateTime) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	moment, err := given.Time()
	return moment, neverZero(moment, err)
}

// said holds the fields, beside the ids, that a document states about its payment; nil or "" if missing.
type said struct {
	group  *iso20022.OriginalGroupInformation29
	amount *iso20022.Amount
	day    iso20022.ISODate
	copy   *iso20022.OriginalTransactionReference28
}

// read adds the fields that a document states about its payment. If a document names the payment's document twice,
// both must match: else a MismatchError.
func (o Original) read(s said) (Original, error) {
	if s.group != nil {
		if o.MessageID != "" && o.MessageID != s.group.OriginalMessageID {
			return Original{}, &MismatchError{Element: "OrgnlGrpInf/OrgnlMsgId", Said: s.group.OriginalMessageID, Known: o.MessageID}
		}
		o.MessageID, o.MessageName = s.group.OriginalMessageID, s.group.OriginalMessageNameID
	}
	var err error
	o.Amount, err = readAmount("OrgnlIntrBkSttlmAmt", s.amount)
	if err != nil {
		return Original{}, err
	}
	o.Day, err = readDay(s.day)
	if err != nil {
		return Original{}, err
	}
	if s.copy == nil {
		return o, nil
	}
	o.Copy.Amount, err = readAmount("OrgnlTxRef/IntrBkSttlmAmt", s.copy.InterbankSettlementAmount)
	if err != nil {
		return Original{}, err
	}
	o.Copy.Day, err = readDay(s.copy.InterbankSettlementDate)
	if err != nil {
		return Original{}, err
	}
	o.Copy.DebtorAccount, o.Copy.CreditorAccount = ibanOf(s.copy.DebtorAccount), ibanOf(s.copy.CreditorAccount)
	return o, nil
}

func ibanOf(held *iso20022.CashAccount38) string {
	if held == nil {
		return ""
	}
	return held.ID.IBAN
}

// dateTime writes a moment in UTC with milliseconds at most. The last digit of the fraction is never zero, and a whole second has no
// fraction (SEPA clearing systems refuse .050).
func dateTime(at time.Time) iso20022.ISODateTime {
	return iso20022.ISODateTime(at.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00"))
}

// Stamp returns a copy of a draft with the creation time, and for a return the settlement day, of its release; the draft stays as it is. A
// draft is made when a maker requests an R-transaction; its stamped copy is sent. The day counts in its own location.
//
// It fails with ErrKind for a document that is no recall, return, resolution, status, status request or receipt.
func Stamp(draft iso20022.Document, at, day time.Time) (iso20022.Document, error) {
	switch draft.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest, *iso20022.ResolutionOfInvestigation, *iso20022.PaymentReturn,
		*iso20022.FIToFIPaymentStatusReport, *iso20022.FIToFIPaymentStatusRequest, *iso20022.Receipt:
	default:
		return nil, fmt.Errorf("stamp document: %w", ErrKind)
	}
	stamped := codec.Clone(draft)
	_, created := iso20022.Identification(stamped)
	*created = dateTime(at)
	if back, is := stamped.(*iso20022.PaymentReturn); is {
		back.GroupHeader.InterbankSettlementDate = iso20022.DateOf(day)
	}
	return stamped, nil
}
