package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// GroupRejectionInput is the input of a pacs.002 about a whole message.
type GroupRejectionInput struct {
	Scheme rulebook.Scheme
	// About is the pacs.008 that came in, with any number of transactions.
	About *iso20022.FIToFICustomerCreditTransfer
	// Code is the reason (ExternalStatusReason1Code), Information explains it, lines of at most 105 characters.
	Code        string
	Information []string
	// Reference is the MsgId of the answer.
	Reference string
	At        time.Time
}

// GroupRejection makes the pacs.002 that refuses a whole message (GrpSts RJCT) whose transactions cannot be answered
// one by one. It fails with ErrScheme.
func GroupRejection(in GroupRejectionInput) (*iso20022.FIToFIPaymentStatusReport, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	return &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{{
			OriginalMessageID: in.About.GroupHeader.MessageID, OriginalMessageNameID: c.nameOf(in.About.MessageName()),
			OriginalNumberOfTransactions: in.About.GroupHeader.NumberOfTransactions, GroupStatus: statusRejected,
			StatusReasonInformation: []iso20022.StatusReasonInformation12{{
				Reason:                &iso20022.StatusReason6Choice{Code: in.Code},
				AdditionalInformation: c.lines(in.Information, rulebook.InformationLength),
			}},
		}},
	}, nil
}
