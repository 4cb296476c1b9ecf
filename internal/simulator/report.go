package simulator

import (
	"encoding/json"
	"net/http"
	"time"

	"countersign/internal/iso20022"
)

// statusRejected is the TxSts of a refusal.
const statusRejected = "RJCT"

// statusSettled is the TxSts of a payment that has settled.
const statusSettled = "ACSC"

// statusReport is the pacs.002 about a payment: the positive status of the scheme, or RJCT with the reason.
func statusReport(scheme scheme, paid *payment) *draft {
	about, status, reason := paid.original, scheme.positive, paid.behaviour.reason
	if reason != "" {
		status = statusRejected
	}
	return report(about, status, reason)
}

// report is a pacs.002 with a status.
func report(about original, status, reason string) *draft {
	return &draft{
		name: iso20022.Pacs002V10, about: about, status: status, reason: reason, copies: 1,
		build: func(messageID string, at time.Time) iso20022.Document {
			document := reportDocument(about, status, reason)
			document.GroupHeader = iso20022.GroupHeader91{MessageID: messageID, CreationDateTime: iso20022.DateTimeOf(at)}
			document.TransactionInformationAndStatus[0].StatusID = messageID
			return document
		},
	}
}

func reportDocument(about original, status, reason string) *iso20022.FIToFIPaymentStatusReport {
	transaction := iso20022.PaymentTransaction110{
		OriginalInstructionID: about.instructionID,
		OriginalEndToEndID:    about.endToEndID,
		OriginalTransactionID: about.transactionID,
		OriginalUETR:          about.uetr,
		TransactionStatus:     status,
		AcceptanceDateTime:    about.acceptedAt,
	}
	if reason != "" {
		transaction.StatusReasonInformation = []iso20022.StatusReasonInformation12{
			{Reason: &iso20022.StatusReason6Choice{Code: reason}},
		}
	}
	document := &iso20022.FIToFIPaymentStatusReport{
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{transaction},
	}
	if about.messageID != "" && about.messageName != "" {
		document.OriginalGroupInformationAndStatus = []iso20022.OriginalGroupHeader17{
			{OriginalMessageID: about.messageID, OriginalMessageNameID: about.messageName},
		}
	}
	return document
}

// refusal is an error answer: the HTTP status, a code, and a sentence with the remedy.
type refusal struct {
	status int
	code   string
	text   string
}

func writeRefusal(w http.ResponseWriter, r *refusal) {
	if r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, r.status, map[string]string{"errorCode": r.code, "message": r.text})
}

// writeJSON ignores a failed write: the caller is gone then.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
