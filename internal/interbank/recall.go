package interbank

import (
	"cmp"
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// CancellationRequest makes the camt.056 that recalls a payment.
//
// It fails with ErrScheme, ErrTransactions, ErrReason, or ErrIncomplete when the payment has no TxId or the originator cannot be named.
func CancellationRequest(in RTransactionInput) (*iso20022.FIToFIPaymentCancellationRequest, error) {
	c, about, err := in.original()
	if err != nil {
		return nil, fmt.Errorf("make camt.056: %w", err)
	}
	reason, err := c.cancellationReason(in, about)
	if err != nil {
		return nil, fmt.Errorf("make camt.056: %w", err)
	}
	request := &iso20022.FIToFIPaymentCancellationRequest{
		Assignment: iso20022.CaseAssignment5{
			ID: in.MessageID, CreationDateTime: dateTime(in.At),
			Assigner: iso20022.Party40Choice{Agent: about.reference.DebtorAgent},
			Assignee: iso20022.Party40Choice{Agent: about.reference.CreditorAgent},
		},
		Underlying: []iso20022.UnderlyingTransaction23{{TransactionInformation: []iso20022.PaymentTransaction106{{
			CancellationID:                    in.ID,
			OriginalGroupInformation:          c.groupOf(about),
			OriginalInstructionID:             about.instructionID,
			OriginalEndToEndID:                about.endToEndID,
			OriginalTransactionID:             about.transactionID,
			OriginalUETR:                      c.uetr(about.uetr),
			OriginalInterbankSettlementAmount: &about.amount,
			OriginalInterbankSettlementDate:   about.day,
			CancellationReasonInformation:     []iso20022.PaymentCancellationReason5{reason},
			OriginalTransactionReference:      about.reference,
		}}}},
	}
	if c.controlData {
		request.ControlData = &iso20022.ControlData1{NumberOfTransactions: "1"}
	}
	return request, nil
}

func (c convention) cancellationReason(in RTransactionInput, about original) (iso20022.PaymentCancellationReason5, error) {
	reason, err := reasonFrom(rulebook.RecallReasons(in.Scheme), code.CancellationReasons, in.Reason)
	if err != nil {
		return iso20022.PaymentCancellationReason5{}, err
	}
	bank := cmp.Or(in.Bank, bicOf(*about.reference.DebtorAgent))
	originator, err := c.originator(reason, bank, about.reference.Debtor.Party)
	return iso20022.PaymentCancellationReason5{
		Originator: originator, Reason: &iso20022.CancellationReason33Choice{Code: in.Reason},
		AdditionalInformation: c.information(reason.Information, in.Information),
	}, err
}

// Cancellation is a received recall.
type Cancellation struct {
	MessageID      string // of the camt.056 (Assgnmt/Id)
	CancellationID string
	Original       Original
	Reason         Reason
}

// ReadCancellation reads an incoming camt.056. It fails with ErrTransactions, ErrIncomplete without OrgnlTxId, or on an amount
// (money.Error) or date that cannot be read.
func ReadCancellation(document *iso20022.FIToFIPaymentCancellationRequest) (Cancellation, error) {
	recall, err := recallOf(document)
	if err != nil {
		return Cancellation{}, fmt.Errorf("read recall: %w", err)
	}
	if recall.OriginalTransactionID == "" {
		return Cancellation{}, fmt.Errorf("read camt.056 without OrgnlTxId: %w", ErrIncomplete)
	}
	about, err := Original{
		InstructionID: recall.OriginalInstructionID, EndToEndID: recall.OriginalEndToEndID,
		TransactionID: recall.OriginalTransactionID, UETR: recall.OriginalUETR,
	}.read(said{
		group: recall.OriginalGroupInformation, amount: recall.OriginalInterbankSettlementAmount,
		day: recall.OriginalInterbankSettlementDate, copy: recall.OriginalTransactionReference,
	})
	if err != nil {
		return Cancellation{}, fmt.Errorf("read camt.056: %w", err)
	}
	return Cancellation{
		MessageID: document.Assignment.ID, CancellationID: recall.CancellationID, Original: about,
		Reason: cancellationReason(recall.CancellationReasonInformation),
	}, nil
}

func cancellationReason(reasons []iso20022.PaymentCancellationReason5) Reason {
	var first iso20022.PaymentCancellationReason5
	if len(reasons) > 0 {
		first = reasons[0]
	}
	reason := reasonOf(code.CancellationReasons, (*choice)(first.Reason), first.Originator, first.AdditionalInformation)
	if reason.Code == unspecified && first.Reason == nil {
		reason.Code, reason.Text = narrative, string(noReasonOfRecall)
	}
	return reason
}

// NegativeResolution is the answer to a recall by camt.029.
type NegativeResolution struct {
	MessageID string // of the camt.029 (Assgnmt/Id)
	StatusID  string
	Original  Original
	// Status is TxCxlSts, or the confirmation of the whole message where a sender leaves it out. Refused is true for RJCR; another
	// status, such as pending, moves nothing.
	Status  string
	Refused bool
	Reason  Reason
}

// ReadResolution reads an incoming camt.029. It fails with ErrTransactions, ErrIncomplete without OrgnlTxId, or on an amount
// (money.Error) or date that cannot be read.
func ReadResolution(document *iso20022.ResolutionOfInvestigation) (NegativeResolution, error) {
	if document == nil || len(document.CancellationDetails) != 1 || len(document.CancellationDetails[0].TransactionInformationAndStatus) != 1 {
		return NegativeResolution{}, fmt.Errorf("read camt.029: %w", ErrTransactions)
	}
	answer := &document.CancellationDetails[0].TransactionInformationAndStatus[0]
	if answer.OriginalTransactionID == "" {
		return NegativeResolution{}, fmt.Errorf("read camt.029 without OrgnlTxId: %w", ErrIncomplete)
	}
	about, err := Original{
		InstructionID: answer.OriginalInstructionID, EndToEndID: answer.OriginalEndToEndID,
		TransactionID: answer.OriginalTransactionID, UETR: answer.OriginalUETR,
	}.read(said{
		group: answer.OriginalGroupInformation, amount: answer.OriginalInterbankSettlementAmount,
		day: answer.OriginalInterbankSettlementDate, copy: answer.OriginalTransactionReference,
	})
	if err != nil {
		return NegativeResolution{}, fmt.Errorf("read camt.029: %w", err)
	}
	status := answer.TransactionCancellationStatus
	if status == "" {
		status = document.Status.Confirmation
	}
	return NegativeResolution{
		MessageID: document.Assignment.ID, StatusID: answer.CancellationStatusID, Original: about,
		Status: status, Refused: status == rejected, Reason: rejectionReason(answer.CancellationStatusReasonInformation),
	}, nil
}

func rejectionReason(reasons []iso20022.CancellationStatusReason4) Reason {
	var first iso20022.CancellationStatusReason4
	if len(reasons) > 0 {
		first = reasons[0]
	}
	return reasonOf(code.CancellationRejections, (*choice)(first.Reason), first.Originator, first.AdditionalInformation)
}
