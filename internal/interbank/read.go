package interbank

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/money"
)

// Original names the payment that a document is about, as far as the document says.
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
}

// Why is the reason of a status, recall, return or refusal.
type Why struct {
	// Code is the ISO code, or the proprietary one of an old sender; NARR where a reason is due and none stands.
	Code string
	// Text is the meaning of the code and what the sender adds, for people.
	Text string
	// Information are the sender's lines alone.
	Information []string
	// Originator is the BIC or name of who wants it, "" when the document does not say.
	Originator string
}

// narrative is the code of a reason given in words only.
const narrative = "NARR"

// why puts together what a sender says about its reason.
func why(set code.Set, choice [2]string, originator *party, lines []string) Why {
	id := cmp.Or(choice[0], choice[1], narrative)
	definition, _ := set.Find(id)
	return Why{
		Code: id, Text: strings.TrimSpace(definition.Text + " " + strings.Join(lines, " ")), Information: lines,
		Originator: originatorName(originator),
	}
}

func originatorName(named *party) string {
	switch {
	case named == nil:
		return ""
	case named.ID != nil && named.ID.OrganisationID != nil && named.ID.OrganisationID.AnyBIC != "":
		return named.ID.OrganisationID.AnyBIC
	default:
		return named.Name
	}
}

// readAmount reads an amount that may be left out.
func readAmount(given *iso20022.Amount) (money.Amount, error) {
	if given == nil {
		return money.Amount{}, nil
	}
	amount, err := money.FromDecimal(money.Currency(given.Currency), given.Value)
	if err != nil {
		return money.Amount{}, fmt.Errorf("read amount %s: %w", given, err)
	}
	return amount, nil
}

// readDay reads a date that may be left out. An offset after it does not move it to another day.
func readDay(given iso20022.ISODate) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	return iso20022.ISODate(given[:min(len(given), len(time.DateOnly))]).Date()
}

// readMoment reads a time that may be left out.
func readMoment(given iso20022.ISODateTime) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	return given.Time()
}

// readOriginal reads amount and day of an original payment into what is known of it.
func (o Original) with(amount *iso20022.Amount, day iso20022.ISODate) (Original, error) {
	var err error
	o.Amount, err = readAmount(amount)
	if err != nil {
		return Original{}, err
	}
	o.Day, err = readDay(day)
	return o, err
}

// inGroup adds the document of the payment.
func (o Original) inGroup(group *iso20022.OriginalGroupInformation29) Original {
	if group != nil {
		o.MessageID, o.MessageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	return o
}
