package interbank

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// StatusReportInput is the input of a pacs.002.
type StatusReportInput struct {
	Scheme rulebook.Scheme
	// About is the received document: a pacs.008 or pacs.004.
	About iso20022.Document
	// Code is the reason of a refusal (ExternalStatusReason1Code, or a bank's own); "" accepts.
	Code string
	// Information explains the refusal, lines of at most 105 characters.
	Information []string
	// Bank is our BIC: the bank that answers. "" takes the bank that the document names as the one it is sent to.
	Bank string
	// Reference is the MsgId, StatusID the id of the answer.
	Reference, StatusID string
	At                  time.Time
}

// The statuses of our answers.
const (
	statusAccepted = "ACCP"
	statusRejected = "RJCT"
)

// statusCancelled is a status of clearing (ISO: PaymentCancelled).
const statusCancelled = "CANC"

// StatusReport makes the pacs.002 that accepts (ACCP) or refuses (RJCT) an incoming payment or return. It names the transaction by the
// ids of the payment, in both cases; the message it answers is OrgnlMsgId.
//
// It fails with ErrScheme, ErrTransactions, ErrIncomplete, or ErrKind for any other document.
func StatusReport(in StatusReportInput) (*iso20022.FIToFIPaymentStatusReport, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	about, err := answered(in.About)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	if in.Bank != "" {
		named := agentByBIC(in.Bank)
		about.answerer = &named
	}
	status := iso20022.PaymentTransaction110{
		StatusID: in.StatusID, OriginalInstructionID: about.instructionID, OriginalEndToEndID: about.endToEndID,
		OriginalTransactionID: about.transactionID, OriginalUETR: c.uetr(about.uetr), TransactionStatus: statusAccepted,
		AcceptanceDateTime: about.acceptedAt,
	}
	if in.Code != "" {
		status.TransactionStatus = statusRejected
		status.StatusReasonInformation = c.refusal(in)
	}
	header := iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)}
	if c.refusalsName {
		header.InstructingAgent = about.answerer
		if in.Code != "" {
			status.StatusReasonInformation[0].Originator, status.OriginalTransactionReference = about.refuser(), about.copied()
		}
	}
	return &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: header,
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{{
			OriginalMessageID: about.messageID, OriginalMessageNameID: c.nameOf(about.messageName),
		}},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{status},
	}, nil
}

// refusal is the reason of a refusal.
func (c convention) refusal(in StatusReportInput) []iso20022.StatusReasonInformation12 {
	return []iso20022.StatusReasonInformation12{{
		Reason: StatusReasonOf(in.Code), AdditionalInformation: c.lines(in.Information, rulebook.InformationLength),
	}}
}

// reasonLength is the length of an ISO reason code, in characters.
const reasonLength = 4

// StatusReasonOf returns the reason of a refusal in a status. A code longer than the ISO codes is proprietary.
func StatusReasonOf(id string) *iso20022.StatusReason6Choice {
	if utf8.RuneCountInString(id) > reasonLength {
		return &iso20022.StatusReason6Choice{Proprietary: id}
	}
	return &iso20022.StatusReason6Choice{Code: id}
}

// answered returns the fields that a pacs.002 repeats of its document.
func answered(about iso20022.Document) (original, error) {
	switch document := about.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		return originalOf(document)
	case *iso20022.PaymentReturn:
		transaction, err := returnOf(document)
		if err != nil {
			return original{}, err
		}
		return original{
			messageID: document.GroupHeader.MessageID, messageName: document.MessageName(),
			instructionID: transaction.OriginalInstructionID, endToEndID: transaction.OriginalEndToEndID,
			transactionID: transaction.OriginalTransactionID, uetr: transaction.OriginalUETR,
			answerer: returnedTo(document, transaction), amount: transaction.ReturnedInterbankSettlementAmount,
			day: returnDay(document, transaction), reference: transaction.OriginalTransactionReference,
		}, nil
	default:
		return original{}, fmt.Errorf("a pacs.002 answers a pacs.008 or pacs.004: %w", ErrKind)
	}
}

// returnOf is the one transaction of a pacs.004.
func returnOf(document *iso20022.PaymentReturn) (*iso20022.PaymentTransaction112, error) {
	if document == nil || len(document.TransactionInformation) != 1 {
		return nil, fmt.Errorf("pacs.004: %w", ErrTransactions)
	}
	return &document.TransactionInformation[0], nil
}

// returnedTo returns the receiving bank of a return: the instructed one, else the debtor's bank of the returned
// payment; nil when neither is named.
func returnedTo(document *iso20022.PaymentReturn, transaction *iso20022.PaymentTransaction112) *agent {
	switch {
	case transaction.InstructedAgent != nil:
		return transaction.InstructedAgent
	case document.GroupHeader.InstructedAgent != nil:
		return document.GroupHeader.InstructedAgent
	case transaction.OriginalTransactionReference != nil:
		return transaction.OriginalTransactionReference.DebtorAgent
	}
	return nil
}

// returnDay returns the day a return settles, from the header or the transaction.
func returnDay(document *iso20022.PaymentReturn, transaction *iso20022.PaymentTransaction112) iso20022.ISODate {
	if transaction.InterbankSettlementDate != "" {
		return transaction.InterbankSettlementDate
	}
	return document.GroupHeader.InterbankSettlementDate
}

// refuser names the bank that refuses, by its BIC alone (EPC AT-R002); nil when the BIC is not known.
func (o original) refuser() *party {
	if o.answerer == nil {
		return nil
	}
	bic := bicOf(*o.answerer)
	if bic == "" {
		return nil
	}
	return &party{ID: &iso20022.Party38Choice{OrganisationID: &iso20022.OrganisationIdentification29{AnyBIC: bic}}}
}

// copied returns the fields that a refusal repeats of the payment: its reference with amount and day.
func (o original) copied() *iso20022.OriginalTransactionReference28 {
	var repeated iso20022.OriginalTransactionReference28
	if o.reference != nil {
		repeated = *o.reference
	}
	repeated.InterbankSettlementAmount, repeated.InterbankSettlementDate = &o.amount, o.day
	return &repeated
}

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
		about := read.Original
		about.InstructionID, about.EndToEndID = transaction.OriginalInstructionID, transaction.OriginalEndToEndID
		about.TransactionID, about.UETR = transaction.OriginalTransactionID, transaction.OriginalUETR
		var err error
		read.Original, err = about.read(said{group: transaction.OriginalGroupInformation, copy: transaction.OriginalTransactionReference})
		if err != nil {
			return Status{}, fmt.Errorf("read pacs.002: %w", err)
		}
		read.Status = cmp.Or(transaction.TransactionStatus, read.Status)
		reasons = slices.Concat(transaction.StatusReasonInformation, reasons)
		read.AcceptedAt, err = readMoment(transaction.AcceptanceDateTime)
		if err != nil {
			return Status{}, fmt.Errorf("read pacs.002: %w", err)
		}
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

// UnknownStatus makes the pacs.002 that answers a question (pacs.028) about a message that is not known here: RJCT with the code of the
// input, by the ids of the question. It fails with ErrScheme, ErrKind for another document than a pacs.028, or ErrTransactions.
func UnknownStatus(in StatusReportInput) (*iso20022.FIToFIPaymentStatusReport, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	question, is := in.About.(*iso20022.FIToFIPaymentStatusRequest)
	if !is {
		return nil, fmt.Errorf("make pacs.002: %w", ErrKind)
	}
	asked, err := ReadStatusRequest(question)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	reasons := c.refusal(in)
	header := iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)}
	if c.refusalsName && in.Bank != "" {
		named := agentByBIC(in.Bank)
		header.InstructingAgent, reasons[0].Originator = &named, original{answerer: &named}.refuser()
	}
	report := &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: header,
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{
			StatusID: in.StatusID, OriginalInstructionID: asked.Original.InstructionID, OriginalEndToEndID: asked.Original.EndToEndID,
			OriginalTransactionID: asked.Original.TransactionID, OriginalUETR: c.uetr(asked.Original.UETR), TransactionStatus: statusRejected,
			StatusReasonInformation: reasons,
		}},
	}
	if asked.Original.MessageID != "" && asked.Original.MessageName != "" {
		report.OriginalGroupInformationAndStatus = []iso20022.OriginalGroupHeader17{
			{OriginalMessageID: asked.Original.MessageID, OriginalMessageNameID: asked.Original.MessageName},
		}
	}
	return report, nil
}

// GroupRejection makes the pacs.002 that refuses a whole pacs.008 (GrpSts RJCT) whose transactions cannot be answered one by one. It fails
// with ErrScheme, or ErrKind for another document.
func GroupRejection(in StatusReportInput) (*iso20022.FIToFIPaymentStatusReport, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	about, is := in.About.(*iso20022.FIToFICustomerCreditTransfer)
	if !is {
		return nil, fmt.Errorf("make pacs.002: %w", ErrKind)
	}
	return &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{{
			OriginalMessageID: about.GroupHeader.MessageID, OriginalMessageNameID: c.nameOf(about.MessageName()),
			OriginalNumberOfTransactions: about.GroupHeader.NumberOfTransactions, GroupStatus: statusRejected,
			StatusReasonInformation: c.refusal(in),
		}},
	}, nil
}
