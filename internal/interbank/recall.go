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
