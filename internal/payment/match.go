package payment

import (
	"fmt"
	"slices"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
)

// AgreesWith compares the original named in a document of clearing with this message: every id, the amount, the currency and the settlement
// day, which follows from its last approval in the zone of the banking day. For a recall of ours the original is the recalled payment. A
// status may name a return of ours by its own id (RtrId) in the place of the payment's id. A document that disagrees moves nothing.
//
// It fails with an interbank.MismatchError that names the element, or when the stored content cannot be read.
func (m Message) AgreesWith(said interbank.Original, zone *time.Location) error {
	known, err := m.original(zone)
	if err != nil {
		return err
	}
	if m.Kind == KindReturn && said.TransactionID == string(m.GlobalID) {
		said.TransactionID = ""
	}
	return said.Agree(known)
}

// StrangerError reports a document about a message from a bank that is not a party of it.
type StrangerError struct {
	Sender string // the interbank.BankID; "" when the document names no bank
	About  ID
}

func (e *StrangerError) Error() string {
	if e.Sender == "" {
		return fmt.Sprintf("This document about %s names no bank that sends it.", e.About)
	}
	return fmt.Sprintf("The bank %s sends this document about %s, and is no party of it.", e.Sender, e.About)
}

// ComesFrom compares the sender (interbank.BankID) of a document about this message with the banks of the other side: for an incoming
// payment the sending bank, for our recall the asked bank. It fails with a StrangerError, or when the stored content cannot be read.
func (m Message) ComesFrom(sender string) error {
	document, findings := m.Document()
	if len(findings) > 0 {
		return fmt.Errorf("the stored content of %s cannot be read", m.GlobalID)
	}
	banks := interbank.Counterparts(document)
	if m.Kind == KindInstruction {
		banks = []string{interbank.CounterpartOf(m.Summary.CreditorAgent)}
	}
	if !slices.ContainsFunc(banks, func(bank string) bool { return interbank.SameSender(bank, sender) }) {
		return &StrangerError{Sender: sender, About: m.GlobalID}
	}
	return nil
}

// KnownTo reports whether a document about this incoming payment, which agrees with it, repeats secrets of the payment: the time of its
// acceptance, its UETR, or its amount with both accounts.
func (m Message) KnownTo(said interbank.Original) bool {
	content, err := contentOf[*iso20022.FIToFICustomerCreditTransfer](m)
	if err != nil {
		return false
	}
	known, err := interbank.ReadTransfer(content)
	money := said.Amount.Currency() != "" && said.Copy.DebtorAccount != "" && said.Copy.CreditorAccount != ""
	return err == nil && (money || said.UETR != "" || !said.AcceptedAt.IsZero() && said.AcceptedAt.Equal(known.AcceptedAt))
}

// original returns the message in the form in which an answer names it.
func (m Message) original(zone *time.Location) (interbank.Original, error) {
	if m.Kind == KindInstruction {
		return m.sentPayment(zone), nil
	}
	document, findings := m.Document()
	if len(findings) > 0 {
		return interbank.Original{}, fmt.Errorf("the stored content of %s cannot be read", m.GlobalID)
	}
	return interbank.OriginalOf(document)
}

// sentPayment is an instruction as its pacs.008 names it, which may not be made yet when the answer is here.
func (m Message) sentPayment(zone *time.Location) interbank.Original {
	profile, _ := m.Scheme.Profile()
	known := interbank.Original{
		MessageID: m.Reference(), MessageName: string(iso20022.Pacs008V08), InstructionID: string(m.GlobalID),
		EndToEndID: m.Summary.EndToEndID, TransactionID: string(m.GlobalID), Amount: m.Summary.Amount, Day: m.SettledOn(zone),
		Copy: interbank.OriginalCopy{DebtorAccount: m.Summary.DebtorAccount, CreditorAccount: m.Summary.CreditorAccount},
	}
	if profile.ForwardUETR {
		known.UETR = m.Summary.UETR
		if known.UETR == "" {
			known.UETR = m.uetr()
		}
	}
	return known
}

// AgreesWithReceipt compares a receipt (camt.025) of clearing with this message of ours, by its message id and its kind. It fails with an
// interbank.MismatchError.
func (m Message) AgreesWithReceipt(receipt interbank.Confirmation) error {
	names := map[Kind]iso20022.MessageName{KindRecall: iso20022.Camt056V08, KindResolution: iso20022.Camt029V09}
	said := interbank.Original{MessageID: receipt.OriginalID, MessageName: receipt.OriginalName}
	return said.Agree(interbank.Original{MessageID: m.Reference(), MessageName: string(names[m.Kind])})
}

// AskedAbout compares a question (pacs.028) about this received recall with the recall and the id it came with: OrgnlMsgId is that of the
// camt.056, OrgnlInstrId its CxlId (EPC) or that of the payment. It returns the payment's fields in the question, for AgreesWith. It fails
// with an interbank.MismatchError, or when the stored content cannot be read.
func (m Message) AskedAbout(said interbank.Original) (interbank.Original, error) {
	content, err := contentOf[*iso20022.FIToFIPaymentCancellationRequest](m)
	if err != nil {
		return interbank.Original{}, err
	}
	recall, err := interbank.ReadCancellation(content)
	if err != nil {
		return interbank.Original{}, err
	}
	named := interbank.Original{MessageID: said.MessageID, MessageName: said.MessageName}
	err = named.Agree(interbank.Original{MessageID: recall.MessageID, MessageName: string(iso20022.Camt056V08)})
	if err != nil {
		return interbank.Original{}, err
	}
	said.MessageID, said.MessageName = "", ""
	if said.InstructionID == recall.CancellationID {
		said.InstructionID = ""
	}
	return said, nil
}
