package payment

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/payee"
	"countersign/internal/rulebook"
)

// Draft is validated content of a version: canonical bytes, their digest, and the search fields. The Origin is stored
// beside them.
type Draft struct {
	DocumentID uuid.UUID
	Content    []byte // canonical XML
	Hash       Digest
	Summary    Summary
	// ExecutionDay is as Message has it.
	ExecutionDay time.Time
	// Payee is the result of the payee verification; zero if none was requested.
	Payee  payee.Verification
	Origin Origin
	// ApprovalsRequired is the number of approvals that the policy in force requires for this content.
	ApprovalsRequired int
	// Replaces is the version an amendment was made from; 0 when its editor did not say.
	Replaces int

	fingerprint Digest // of the order
}

// Origin is stored with the content of a version and is not part of the message: the document's identity, its source,
// and the maker's note.
type Origin struct {
	Direction  DocumentDirection
	Name       iso20022.MessageName
	Reference  string // MsgId
	Source     []byte // the bytes the client sent, when they are not the content; else nil
	SourceType string // media type of Source
	// Note is the maker's optional note to the checkers; for an amendment, its reason.
	Note string
}

// DocumentDirection is the source of a stored document.
type DocumentDirection string

// The directions of documents.
const (
	DocumentIn    DocumentDirection = "in"    // from a client or from clearing
	DocumentOut   DocumentDirection = "out"   // to clearing or to a client
	DocumentDraft DocumentDirection = "draft" // what a checker approves, before it is stamped and sent
)

// NewDraft checks an order and makes a draft of its canonical form: the content of a new instruction, or the new content of a pending one.
// Error: RefusalError with every rule the document breaks.
func NewDraft(in InstructionInput) (Draft, error) {
	findings := CheckInstruction(in)
	if len(findings) > 0 {
		return Draft{}, &RefusalError{Findings: findings}
	}
	written, err := write(in.Document)
	if err != nil {
		return Draft{}, err
	}
	summary, err := SummaryOf(in.Document)
	if err != nil {
		return Draft{}, err
	}
	return Draft{
		DocumentID: in.DocumentID, Content: written.content, Hash: sha256.Sum256(written.content), Summary: summary.asSent(in),
		ExecutionDay: rulebook.ExecutionDay(&in.Document.PaymentInformation[0]),
		Payee:        in.Payee, ApprovalsRequired: in.Policy.ApprovalsRequired, Replaces: in.Replaces,
		fingerprint: written.fingerprint(in.Scheme),
		Origin: Origin{
			Direction: DocumentIn, Name: in.Document.MessageName(), Reference: in.Document.GroupHeader.MessageID,
			Source: in.Source, SourceType: in.SourceType, Note: in.Note,
		},
	}, nil
}

var errNotSingle = errors.New("the document does not hold exactly one payment")

// SummaryOf reads the searched fields of a payment order. It fails unless the order has exactly one payment with an amount, a creditor and
// the creditor's account; it checks no rules.
func SummaryOf(doc *iso20022.CustomerCreditTransferInitiation) (Summary, error) {
	info, tx, ok := doc.SinglePayment()
	if !ok {
		return Summary{}, errNotSingle
	}
	if tx.Amount.InstructedAmount == nil || tx.Creditor == nil || tx.CreditorAccount == nil {
		return Summary{}, fmt.Errorf("the document lacks an amount, a creditor or a creditor account")
	}
	amount, err := money.FromDecimal(money.Currency(tx.Amount.InstructedAmount.Currency), tx.Amount.InstructedAmount.Value)
	if err != nil {
		return Summary{}, fmt.Errorf("read the amount: %w", err)
	}
	return Summary{
		Amount: amount, InstructionID: tx.PaymentID.InstructionID, EndToEndID: tx.PaymentID.EndToEndID, UETR: tx.PaymentID.UETR,
		DebtorName: info.Debtor.Name, DebtorAccount: info.DebtorAccount.ID.IBAN, DebtorAgent: info.DebtorAgent.Code(),
		CreditorName: tx.Creditor.Name, CreditorAccount: tx.CreditorAccount.ID.IBAN, CreditorAgent: tx.CreditorAgent.Code(),
		Remittance: tx.RemittanceInformation.Subject(),
	}, nil
}
