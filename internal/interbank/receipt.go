package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// ReceiptInput is the input of a camt.025.
type ReceiptInput struct {
	Scheme rulebook.Scheme
	// About is the received document: a camt.056 or camt.029.
	About iso20022.Document
	// Refused makes it a negative receipt (RJCT).
	Refused bool
	// Description explains a negative one, at most 140 characters.
	Description string
	// Reference is the MsgId.
	Reference string
	At        time.Time
}

const descriptionLength = 140

// Receipt makes the camt.025 that confirms a recall or its refusal. It names the message by its full definition in either scheme.
//
// It fails with ErrScheme, or ErrKind for any other document.
func Receipt(in ReceiptInput) (*iso20022.Receipt, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make camt.025: %w", err)
	}
	switch in.About.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest, *iso20022.ResolutionOfInvestigation:
	default:
		return nil, fmt.Errorf("make camt.025: it confirms a camt.056 or camt.029: %w", ErrKind)
	}
	messageID, _ := iso20022.Identification(in.About)
	handling := iso20022.RequestHandling1{StatusCode: statusAccepted, Description: c.text(in.Description, descriptionLength)}
	if in.Refused {
		handling.StatusCode = statusRejected
	}
	return &iso20022.Receipt{
		MessageHeader: iso20022.MessageHeader9{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		ReceiptDetails: []iso20022.Receipt3{{
			OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: *messageID, MessageNameID: string(in.About.MessageName())},
			RequestHandling:   []iso20022.RequestHandling1{handling},
		}},
	}, nil
}

// Confirmation holds the content of a camt.025 about one of our messages.
type Confirmation struct {
	MessageID    string
	OriginalID   string // MsgId or Assgnmt/Id of our message
	OriginalName string // "" when the sender leaves it out; compare with SameMessage
	Status       string
	Outcome      Outcome
	Description  string
}

// ReadReceipt reads an incoming camt.025. It fails with ErrTransactions when it is about several messages, or ErrIncomplete without a
// status.
func ReadReceipt(document *iso20022.Receipt) (Confirmation, error) {
	if document == nil || len(document.ReceiptDetails) != 1 || len(document.ReceiptDetails[0].RequestHandling) > 1 {
		return Confirmation{}, fmt.Errorf("read camt.025: %w", ErrTransactions)
	}
	details := &document.ReceiptDetails[0]
	if len(details.RequestHandling) == 0 {
		return Confirmation{}, fmt.Errorf("read camt.025 without status: %w", ErrIncomplete)
	}
	handling := details.RequestHandling[0]
	return Confirmation{
		MessageID: document.MessageHeader.MessageID, OriginalID: details.OriginalMessageID.MessageID,
		OriginalName: details.OriginalMessageID.MessageNameID, Status: handling.StatusCode,
		Outcome: OutcomeOf(handling.StatusCode), Description: handling.Description,
	}, nil
}

// Inquiry is the question of another bank or of clearing what became of something.
type Inquiry struct {
	MessageID string
	RequestID string
	// Original has the message asked about. When that is a camt.056, InstructionID is the CxlId of the recall (EPC).
	Original Original
}

// AboutRecall reports whether the question is about a recall.
func (i Inquiry) AboutRecall() bool { return SameMessage(i.Original.MessageName, iso20022.Camt056V08) }

// AboutPayment reports whether the question is about a payment.
func (i Inquiry) AboutPayment() bool { return SameMessage(i.Original.MessageName, iso20022.Pacs008V08) }

// ReadStatusRequest reads an incoming pacs.028. It fails with ErrTransactions, ErrIncomplete when it names neither message nor
// transaction, a MismatchError when it names the original's message twice and differently, or on an amount (money.Error), date or time that
// cannot be read.
func ReadStatusRequest(document *iso20022.FIToFIPaymentStatusRequest) (Inquiry, error) {
	if document == nil || len(document.TransactionInformation) > 1 || len(document.OriginalGroupInformation) > 1 {
		return Inquiry{}, fmt.Errorf("read pacs.028: %w", ErrTransactions)
	}
	read := Inquiry{MessageID: document.GroupHeader.MessageID}
	if len(document.OriginalGroupInformation) == 1 {
		group := &document.OriginalGroupInformation[0]
		read.Original.MessageID, read.Original.MessageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	if len(document.TransactionInformation) == 1 {
		asked := &document.TransactionInformation[0]
		read.RequestID = asked.StatusRequestID
		about := read.Original
		about.InstructionID, about.EndToEndID = asked.OriginalInstructionID, asked.OriginalEndToEndID
		about.TransactionID, about.UETR = asked.OriginalTransactionID, asked.OriginalUETR
		var err error
		read.Original, err = about.read(said{group: asked.OriginalGroupInformation, copy: asked.OriginalTransactionReference})
		if err != nil {
			return Inquiry{}, fmt.Errorf("read pacs.028: %w", err)
		}
		read.Original.AcceptedAt, err = readMoment(asked.AcceptanceDateTime)
		if err != nil {
			return Inquiry{}, fmt.Errorf("read pacs.028: %w", err)
		}
	}
	if read.Original.MessageID == "" && read.Original.TransactionID == "" {
		return Inquiry{}, fmt.Errorf("read pacs.028 without original: %w", ErrIncomplete)
	}
	return read, nil
}
