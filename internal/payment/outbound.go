package payment

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/rulebook"
)

// Outbound is an outgoing document. Only a Verified message, or the end of a message, makes one.
type Outbound struct {
	message   Message
	reference string
	document  iso20022.Document
}

// Message returns the message the document belongs to.
func (o Outbound) Message() Message { return o.message }

// Reference is the document's message id, the same on every attempt.
func (o Outbound) Reference() string { return o.reference }

// Document returns the document to encode.
func (o Outbound) Document() iso20022.Document { return o.document }

// referencePrefix opens the message ids of the documents that kinds of messages send; the Global ID follows.
var referencePrefix = map[Kind]string{KindInstruction: "P8", KindRecall: "C56", KindReturn: "P4", KindResolution: "C29"}

// Reference is the message id of the document this message sends.
func (m Message) Reference() string {
	return referencePrefix[m.Kind] + string(m.GlobalID)
}

// ParseReference finds the message whose document has this message id.
func ParseReference(reference string) (ID, bool) {
	for _, prefix := range referencePrefix {
		if len(reference) == len(prefix)+Length && reference[:len(prefix)] == prefix {
			id, err := Parse(reference[len(prefix):])
			return id, err == nil
		}
	}
	return "", false
}

// uetr returns the UETR of a payment whose client gave none, made from the Global ID and so the same on every attempt (version 4 in form).
func (m Message) uetr() string {
	digest := sha256.Sum256([]byte("uetr " + string(m.GlobalID)))
	id := uuid.UUID(digest[:16])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// dateTime formats a time of a status report: UTC with an offset and always milliseconds.
func dateTime(at time.Time) iso20022.ISODateTime {
	return iso20022.ISODateTime(at.UTC().Format("2006-01-02T15:04:05.000-07:00"))
}

// ToClearing makes the document to clearing of a message made here, loaded with its content and account, as an approval would send it. Ids
// and times of the approval are missing: it is for display (interbank.ContentOf), never to be sent.
func (m Message) ToClearing() (iso20022.Document, error) {
	if m.Kind != KindInstruction {
		document, findings := m.Document()
		if document == nil || len(findings) > 0 {
			return nil, fmt.Errorf("the stored content of %s cannot be read", m.InternalID)
		}
		return document, nil
	}
	order, err := DocumentOf(m)
	if err != nil {
		return nil, err
	}
	from := DebtorAccount{IBAN: m.Summary.DebtorAccount, Holder: interbank.Holder{Name: m.Summary.DebtorName}, AgentBIC: m.Summary.DebtorAgent}
	if m.Account != nil {
		from = *m.Account
	}
	return orderToClearing(transferInput(m.Scheme, order, from, m.routedTo()))
}

// transferInput is the input of a pacs.008 before its release.
func transferInput(
	scheme rulebook.Scheme, order *iso20022.CustomerCreditTransferInitiation, from DebtorAccount, routed string,
) interbank.CreditTransferInput {
	return interbank.CreditTransferInput{
		Scheme: scheme, Order: order, CreditorAgent: routed,
		From: interbank.Account{IBAN: from.IBAN, Holder: from.Holder, AgentBIC: from.AgentBIC, AgentIID: from.AgentIID},
	}
}

// unreleased replaces the UETR that the gateway makes of a Global ID for an order without one.
const unreleased = "00000000-0000-4000-8000-000000000000"

func orderToClearing(in interbank.CreditTransferInput) (iso20022.Document, error) {
	in.UETR = unreleased
	made, err := interbank.CreditTransfer(in)
	if err != nil {
		return nil, err
	}
	if id := &made.CreditTransferTransactionInformation[0].PaymentID; id.UETR == unreleased {
		id.UETR = ""
	}
	return made, nil
}

// Release hands the approved content to clearing. There is at most one for a message.
type Release struct {
	Realm       string
	InternalID  uuid.UUID
	Version     int
	Makers      []uuid.UUID
	Approvers   []uuid.UUID // people, in the order of their approvals; empty when none was needed
	ContentHash Digest
	// Account is the digest of the debtor account as it was at the release; zero for an R-transaction, which debits none.
	Account    Digest
	AcceptedAt time.Time // microseconds count; the database keeps no more
	Seal       keyring.Seal
}

// fields returns the fields of a release's seal: the release, and the identity of its message.
func (r Release) fields(m Message) keyring.Fields {
	f := make(keyring.Fields, 0, 512)
	f.Text("countersign release 2", r.Realm)
	f.ID(r.InternalID)
	f.Text(string(m.GlobalID), string(m.Kind), string(m.Scheme))
	f.Number(int64(r.Version))
	f.List(r.Makers)
	f.List(r.Approvers)
	f.Bytes(r.ContentHash[:])
	f.Bytes(r.Account[:])
	f.Moment(m.CreatedAt)
	f.Moment(r.AcceptedAt)
	return f
}

// release makes the release of the current version from the approvals it has.
func (m Message) release(approvals []Decision, at time.Time, seal Sealer) Release {
	approvers := make([]uuid.UUID, len(approvals))
	for i, d := range approvals {
		approvers[i] = d.PersonID
	}
	r := Release{
		Realm: m.Realm, InternalID: m.InternalID, Version: m.Version, Makers: m.Makers, Approvers: approvers,
		ContentHash: m.ContentHash, Account: m.accountDigest(), AcceptedAt: at,
	}
	r.Seal = seal.releases.Seal(r.fields(m))
	return r
}

// accountDigest returns the digest of the debited account of an instruction, over everything that its pacs.008 says of it; zero for other
// kinds.
func (m Message) accountDigest() Digest {
	if m.Kind != KindInstruction || m.Account == nil {
		return Digest{}
	}
	a := m.Account
	return sha256.Sum256(
		joined("countersign account 1", a.IBAN, string(a.Scheme), a.Currency, a.Holder.Name, a.Holder.Street, a.Holder.Building,
			a.Holder.Postcode, a.Holder.Town, a.Holder.Country, a.AgentBIC, a.AgentIID),
	)
}
