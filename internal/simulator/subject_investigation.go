package simulator

import "countersign/internal/iso20022"

func subjectOfReturn(scheme scheme, document *iso20022.PaymentReturn) (subject, *refusal) {
	if len(document.TransactionInformation) != 1 || document.TransactionInformation[0].OriginalTransactionID == "" {
		return subject{}, invalid("Return exactly one transaction in a pacs.004, with its OrgnlTxId.")
	}
	returned := document.TransactionInformation[0]
	amount, refused := amountOf(scheme, returned.ReturnedInterbankSettlementAmount)
	if refused != nil {
		return subject{}, refused
	}
	result := subject{
		original: original{
			messageID:     document.GroupHeader.MessageID,
			messageName:   string(iso20022.Pacs004V09),
			instructionID: returned.OriginalInstructionID,
			endToEndID:    returned.OriginalEndToEndID,
			transactionID: returned.OriginalTransactionID,
			uetr:          returned.OriginalUETR,
		},
		amount: amount,
		effect: returned.OriginalTransactionID,
	}
	if len(returned.ReturnReasonInformation) > 0 && returned.ReturnReasonInformation[0].Reason != nil {
		result.reason = returned.ReturnReasonInformation[0].Reason.Code
	}
	return result, nil
}

func subjectOfRecall(scheme scheme, document *iso20022.FIToFIPaymentCancellationRequest) (subject, *refusal) {
	if len(document.Underlying) != 1 || len(document.Underlying[0].TransactionInformation) != 1 {
		return subject{}, invalid("Recall exactly one transaction in a camt.056.")
	}
	recalled := document.Underlying[0].TransactionInformation[0]
	if recalled.OriginalTransactionID == "" || recalled.CancellationID == "" {
		return subject{}, invalid("Enter CxlId and OrgnlTxId in the camt.056.")
	}
	result := subject{
		original: original{
			instructionID: recalled.OriginalInstructionID,
			endToEndID:    recalled.OriginalEndToEndID,
			transactionID: recalled.OriginalTransactionID,
			uetr:          recalled.OriginalUETR,
		},
		effect: recalled.OriginalTransactionID,
	}
	if group := recalled.OriginalGroupInformation; group != nil {
		result.original.messageID, result.original.messageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	if len(recalled.CancellationReasonInformation) > 0 && recalled.CancellationReasonInformation[0].Reason != nil {
		result.reason = recalled.CancellationReasonInformation[0].Reason.Code
	}
	if recalled.OriginalInterbankSettlementAmount == nil {
		return result, nil
	}
	amount, refused := amountOf(scheme, *recalled.OriginalInterbankSettlementAmount)
	if refused != nil {
		return subject{}, refused
	}
	result.amount = amount
	return result, nil
}

func subjectOfResolution(document *iso20022.ResolutionOfInvestigation) (subject, *refusal) {
	if len(document.CancellationDetails) != 1 || len(document.CancellationDetails[0].TransactionInformationAndStatus) != 1 {
		return subject{}, invalid("Answer the recall of exactly one transaction in a camt.029.")
	}
	answered := document.CancellationDetails[0].TransactionInformationAndStatus[0]
	if answered.OriginalTransactionID == "" || answered.TransactionCancellationStatus == "" {
		return subject{}, invalid("Enter OrgnlTxId and TxCxlSts in the camt.029.")
	}
	result := subject{
		original: original{
			instructionID: answered.OriginalInstructionID,
			endToEndID:    answered.OriginalEndToEndID,
			transactionID: answered.OriginalTransactionID,
			uetr:          answered.OriginalUETR,
		},
		status: answered.TransactionCancellationStatus,
		effect: answered.OriginalTransactionID,
	}
	if len(answered.CancellationStatusReasonInformation) > 0 && answered.CancellationStatusReasonInformation[0].Reason != nil {
		result.reason = answered.CancellationStatusReasonInformation[0].Reason.Code
	}
	return result, nil
}

func subjectOfReceipt(document *iso20022.Receipt) (subject, *refusal) {
	if len(document.ReceiptDetails) != 1 || len(document.ReceiptDetails[0].RequestHandling) != 1 {
		return subject{}, invalid("Acknowledge exactly one message in a camt.025.")
	}
	details := document.ReceiptDetails[0]
	return subject{
		original: original{messageID: details.OriginalMessageID.MessageID, messageName: details.OriginalMessageID.MessageNameID},
		status:   details.RequestHandling[0].StatusCode,
		effect:   details.OriginalMessageID.MessageID,
	}, nil
}
