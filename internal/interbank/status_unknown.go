package interbank

import (
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

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
	reason := iso20022.StatusReasonInformation12{
		Reason: StatusReasonOf(in.Code), AdditionalInformation: c.lines(in.Information, rulebook.InformationLength),
	}
	header := iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)}
	if c.refusalsName && in.Bank != "" {
		named := agentByBIC(in.Bank)
		header.InstructingAgent, reason.Originator = &named, original{answerer: &named}.refuser()
	}
	report := &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: header,
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{
			StatusID: in.StatusID, OriginalInstructionID: asked.Original.InstructionID, OriginalEndToEndID: asked.Original.EndToEndID,
			OriginalTransactionID: asked.Original.TransactionID, OriginalUETR: c.uetr(asked.Original.UETR), TransactionStatus: statusRejected,
			StatusReasonInformation: []iso20022.StatusReasonInformation12{reason},
		}},
	}
	if asked.Original.MessageID != "" && asked.Original.MessageName != "" {
		report.OriginalGroupInformationAndStatus = []iso20022.OriginalGroupHeader17{
			{OriginalMessageID: asked.Original.MessageID, OriginalMessageNameID: asked.Original.MessageName},
		}
	}
	return report, nil
}
