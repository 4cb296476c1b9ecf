package interbank

import (
	"cmp"
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// CancellationRequestInput is what a camt.056 is made of.
type CancellationRequestInput struct {
	Scheme rulebook.Scheme
	// Original is the pacs.008 we sent.
	Original *iso20022.FIToFICustomerCreditTransfer
	// Reason is a code of rulebook.RecallReasons.
	Reason string
	// Information are the lines a person entered; rulebook.CheckRecall says which are allowed.
	Information []string
	// Bank is our BIC; "" takes the debtor agent's, from the document or the bank list.
	Bank string
	// AssignmentID is the id of the message, CancellationID that of the recall: it travels to the other bank.
	AssignmentID, CancellationID string
	At                           time.Time
}

// CancellationRequest makes the camt.056 that recalls a payment.
//
// It fails with ErrScheme, ErrTransactions, ErrReason, or ErrIncomplete when the originator cannot be named.
func CancellationRequest(in CancellationRequestInput) (*iso20022.FIToFIPaymentCancellationRequest, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make camt.056: %w", err)
	}
	about, err := originalOf(in.Original)
	if err != nil {
		return nil, fmt.Errorf("make camt.056: %w", err)
	}
	reason, err := c.cancellationReason(in, about)
	if err != nil {
		return nil, fmt.Errorf("make camt.056: %w", err)
	}
	request := &iso20022.FIToFIPaymentCancellationRequest{
		Assignment: iso20022.CaseAssignment5{
			ID: in.AssignmentID, CreationDateTime: dateTime(in.At),
			Assigner: iso20022.Party40Choice{Agent: about.reference.DebtorAgent},
			Assignee: iso20022.Party40Choice{Agent: about.reference.CreditorAgent},
		},
		Underlying: []iso20022.UnderlyingTransaction23{{TransactionInformation: []iso20022.PaymentTransaction106{{
			CancellationID:                    in.CancellationID,
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

func (c convention) cancellationReason(in CancellationRequestInput, about original) (iso20022.PaymentCancellationReason5, error) {
	reason, err := reasonFrom(rulebook.RecallReasons(in.Scheme), in.Reason)
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
