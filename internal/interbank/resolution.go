package interbank

import (
	"cmp"
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// rejected is the only answer of a camt.029: a positive one is a return.
const rejected = "RJCR"

// Resolution makes the camt.029 that refuses a recall. It repeats the recall's data about the original payment.
//
// It fails with ErrScheme, ErrTransactions, ErrReason, or ErrIncomplete without a name of the originator.
func Resolution(in RTransactionInput) (*iso20022.ResolutionOfInvestigation, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make camt.029: %w", err)
	}
	recall, err := recallOf(in.Recall)
	if err != nil {
		return nil, fmt.Errorf("make camt.029: %w", err)
	}
	reason, err := c.resolutionReason(in, recall)
	if err != nil {
		return nil, fmt.Errorf("make camt.029: %w", err)
	}
	assignment := in.Recall.Assignment
	return &iso20022.ResolutionOfInvestigation{
		Assignment: iso20022.CaseAssignment5{
			ID: in.MessageID, Assigner: assignment.Assignee, Assignee: assignment.Assigner, CreationDateTime: dateTime(in.At),
		},
		ResolvedCase: in.Recall.Case,
		Status:       iso20022.InvestigationStatus5Choice{Confirmation: rejected},
		CancellationDetails: []iso20022.UnderlyingTransaction22{{TransactionInformationAndStatus: []iso20022.PaymentTransaction102{{
			CancellationStatusID:                in.ID,
			ResolvedCase:                        recall.Case,
			OriginalGroupInformation:            c.recalledGroup(recall),
			OriginalInstructionID:               recall.OriginalInstructionID,
			OriginalEndToEndID:                  recall.OriginalEndToEndID,
			OriginalTransactionID:               recall.OriginalTransactionID,
			OriginalUETR:                        c.uetr(recall.OriginalUETR),
			TransactionCancellationStatus:       rejected,
			CancellationStatusReasonInformation: []iso20022.CancellationStatusReason4{reason},
			OriginalInterbankSettlementAmount:   recall.OriginalInterbankSettlementAmount,
			OriginalInterbankSettlementDate:     recall.OriginalInterbankSettlementDate,
			OriginalTransactionReference:        recall.OriginalTransactionReference,
		}}}},
	}, nil
}

// recallOf is the one transaction of a camt.056.
func recallOf(document *iso20022.FIToFIPaymentCancellationRequest) (*iso20022.PaymentTransaction106, error) {
	if document == nil || len(document.Underlying) != 1 || len(document.Underlying[0].TransactionInformation) != 1 {
		return nil, fmt.Errorf("camt.056: %w", ErrTransactions)
	}
	return &document.Underlying[0].TransactionInformation[0], nil
}

// recalledGroup names the document of the recalled payment as this scheme writes it.
func (c convention) recalledGroup(recall *iso20022.PaymentTransaction106) *iso20022.OriginalGroupInformation29 {
	group := recall.OriginalGroupInformation
	if group == nil || !SameMessage(group.OriginalMessageNameID, iso20022.Pacs008V08) {
		return group
	}
	named := *group
	named.OriginalMessageNameID = c.nameOf(iso20022.Pacs008V08)
	return &named
}

// recallReason is the code of a recall, "" when it has none.
func recallReason(recall *iso20022.PaymentTransaction106) string {
	for _, information := range recall.CancellationReasonInformation {
		if information.Reason != nil {
			return cmp.Or(information.Reason.Code, information.Reason.Proprietary)
		}
	}
	return ""
}

func (c convention) resolutionReason(
	in RTransactionInput, recall *iso20022.PaymentTransaction106,
) (iso20022.CancellationStatusReason4, error) {
	reason, err := reasonFrom(rulebook.ResolutionReasons(in.Scheme), code.CancellationRejections, in.Reason)
	if err != nil {
		return iso20022.CancellationStatusReason4{}, err
	}
	bank := in.Bank
	if assignee := in.Recall.Assignment.Assignee.Agent; bank == "" && assignee != nil {
		bank = bicOf(*assignee)
	}
	originator, err := c.originator(reason, bank, creditorOf(recall))
	if err != nil && !in.Automatic {
		return iso20022.CancellationStatusReason4{}, err
	}
	asked := recallReason(recall)
	lines := c.information(rulebook.ResolutionInformation(in.Scheme, in.Reason, asked), in.Information)
	if c.answersCite {
		lines = append([]string{c.citation(recall)}, lines...)
	}
	return iso20022.CancellationStatusReason4{
		Originator: originator, Reason: &iso20022.CancellationStatusReason3Choice{Code: in.Reason}, AdditionalInformation: lines,
	}, nil
}

// citation returns the first line of an answer: the id of the answered recall (CxlId). In SCT Inst the attribute
// precedes it: ATR053/ for the recall of a bank (AT-R053), ATR072/ for the request of a customer (AT-R072).
func (c convention) citation(recall *iso20022.PaymentTransaction106) string {
	id := c.text(cmp.Or(recall.CancellationID, iso20022.NotProvided), rulebook.InformationLength)
	if !c.answersCite {
		return id
	}
	reason, known := rulebook.FindReason(rulebook.RecallReasons(c.scheme), recallReason(recall))
	if known && reason.Originator == rulebook.OriginatorCustomer {
		return "ATR072/" + id
	}
	return "ATR053/" + id
}

// creditorOf is the creditor of the recalled payment, or nil when the recall does not say.
func creditorOf(recall *iso20022.PaymentTransaction106) *party {
	reference := recall.OriginalTransactionReference
	if reference == nil || reference.Creditor == nil {
		return nil
	}
	return reference.Creditor.Party
}
