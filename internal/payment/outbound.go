package payment

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
)

// Outbound is an interbank document on its way out.
type Outbound struct {
	Reference string // message id; the same on every attempt
	Document  iso20022.Document
}

// referencePrefix opens the message ids of the documents that kinds of messages send; the Global ID follows.
var referencePrefix = map[Kind]string{KindInstruction: "P8", KindRecall: "C56", KindReturn: "P4", KindResolution: "C29"}

// Reference is the message id of the document this message sends.
func (m Message) Reference() string {
	return referencePrefix[m.Kind] + string(m.GlobalID)
}

// ParseReference finds the message whose document has this message id.
func ParseReference(reference string) (GlobalID, bool) {
	for _, prefix := range referencePrefix {
		if len(reference) == len(prefix)+globalIDLength && reference[:len(prefix)] == prefix {
			id, err := ParseGlobalID(reference[len(prefix):])
			return id, err == nil
		}
	}
	return "", false
}

// Outbound makes the interbank document of a released message from its stored content. It is the same whenever it is made: its ids
// come from the Global ID, its times from the last approval; day is that day in the scheme's time zone. from is the account debited,
// which only an instruction needs.
func (m Message) Outbound(from DebtorAccount, day time.Time) (Outbound, error) {
	out := Outbound{Reference: m.Reference()}
	content, findings := iso20022.DecodeXML(m.Content)
	if len(findings) > 0 {
		return Outbound{}, fmt.Errorf("the stored content of %s is not valid: %s", m.InternalID, findings[0].Text)
	}
	var err error
	if order, ok := content.(*iso20022.CustomerCreditTransferInitiation); ok {
		out.Document, err = interbank.CreditTransfer(interbank.CreditTransferInput{
			Scheme: m.Scheme, Order: order, From: from.interbank(), TransactionID: string(m.GlobalID), Reference: out.Reference,
			UETR: m.uetr(), AcceptedAt: m.AcceptedAt, Day: day,
		})
	} else {
		out.Document, err = interbank.Stamp(content, m.AcceptedAt, day)
	}
	return out, err
}

// StatusRequest makes the pacs.028 that asks what became of a message; each has its own number, from 1. sent is the document that was
// sent for the message.
func (m Message) StatusRequest(sent iso20022.Document, number int, at time.Time) (Outbound, error) {
	out := Outbound{Reference: "P28" + string(m.GlobalID) + "-" + strconv.Itoa(number)}
	request := "Q" + strconv.Itoa(number) + "-" + string(m.GlobalID)
	var err error
	switch original := sent.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		out.Document, err = interbank.StatusRequest(interbank.StatusRequestInput{
			Scheme: m.Scheme, Original: original, Reference: out.Reference, RequestID: request, At: at,
		})
	case *iso20022.PaymentReturn:
		out.Document, err = interbank.ReturnStatusRequest(interbank.ReturnStatusRequestInput{
			Scheme: m.Scheme, Return: original, Reference: out.Reference, RequestID: request, At: at,
		})
	case *iso20022.FIToFIPaymentCancellationRequest:
		out.Document, err = interbank.RecallStatusRequest(interbank.RecallStatusRequestInput{
			Scheme: m.Scheme, Recall: original, Reference: out.Reference, RequestID: request, At: at,
		})
	default:
		err = fmt.Errorf("no status can be asked for %s", sent.MessageName())
	}
	return out, err
}

// uetr is one for a payment whose client gave none, made from the Global ID and so the same on every attempt (version 4 in form).
func (m Message) uetr() string {
	digest := sha256.Sum256([]byte("uetr " + string(m.GlobalID)))
	id := uuid.UUID(digest[:16])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// dateTime writes a moment of a status report: UTC with an offset and milliseconds (INTERFACE: a fraction always stands).
func dateTime(at time.Time) iso20022.ISODateTime {
	return iso20022.ISODateTime(at.UTC().Format("2006-01-02T15:04:05.000-07:00"))
}
