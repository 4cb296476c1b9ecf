package simulator

import (
	"cmp"
	"net/http"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
)

// defaultRecallReason is the recall of a bank that sent a payment twice (ISO ExternalCancellationReason1Code).
const defaultRecallReason = "DUPL"

// recallRequest is a request for a recall of an incoming payment.
type recallRequest struct {
	Scheme        string `json:"scheme"`
	TransactionID string `json:"transactionId"`
	Reason        string `json:"reason"`
}

// recallAnswer names the recall.
type recallAnswer struct {
	TransactionID string `json:"transactionId"`
	RecallID      string `json:"recallId"` // CxlId of the camt.056, and its message id
}

// serveRecall recalls a payment of an incoming-payment scenario and answers 200 when the gateway has accepted the camt.056. Each call makes
// a recall of its own. 404 when the payment is unknown or was not accepted, 504 when the gateway accepts nothing in ten seconds.
func (s *Simulator) serveRecall(w http.ResponseWriter, r *http.Request) {
	var request recallRequest
	refused := readScenario(w, r, &request)
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	scheme, found := schemeNamed(request.Scheme)
	if !found {
		writeRefusal(w, badScenario("Enter sic-inst or sct-inst as scheme."))
		return
	}
	request.Reason = cmp.Or(request.Reason, defaultRecallReason)
	exchange, refused := s.sendRecall(scheme, request)
	if refused != nil {
		writeRefusal(w, refused)
		return
	}
	if !s.await(r.Context(), exchange.delivered) {
		writeRefusal(w, &refusal{
			http.StatusGatewayTimeout, "504_NO_ANSWER", "The gateway did not take the camt.056 within 10 seconds; see the log.",
		})
		return
	}
	writeJSON(w, http.StatusOK, recallAnswer{request.TransactionID, s.identifier(scheme, exchange.cause, 0)})
}

// sendRecall checks the camt.056 and starts sending it.
func (s *Simulator) sendRecall(scheme scheme, request recallRequest) (*exchange, *refusal) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	payment, found := s.incoming.get(scheme.name + "/" + request.TransactionID)
	if !found || payment.status == "" || payment.status == statusRejected {
		return nil, &refusal{http.StatusNotFound, "404_NOT_FOUND", "Enter the transactionId of an incoming payment the gateway accepted."}
	}
	refused := s.busy()
	if refused != nil {
		return nil, refused
	}
	payment.recalls++
	transaction := payment.transaction()
	about := original{endToEndID: transaction.PaymentID.EndToEndID, transactionID: request.TransactionID}
	send := &draft{
		name: iso20022.Camt056V08, about: about, reason: request.Reason, copies: 1,
		build: func(messageID string, at time.Time) iso20022.Document {
			return recallDocument(payment.document, scheme, request.Reason, messageID, at)
		},
	}
	exchange := &exchange{
		scheme: scheme, cause: s.identifier(scheme, "recall", request.TransactionID, payment.recalls),
		drafts: []*draft{send}, delivered: make(chan struct{}),
	}
	findings := codec.Validate(send.build(s.identifier(scheme, exchange.cause, 0), s.config.Now()))
	if len(findings) > 0 {
		return nil, badScenario(sentenceOf(findings))
	}
	s.start(exchange)
	return exchange, nil
}

// recallDocument is the camt.056 about a payment, with its references and parties as they were.
func recallDocument(
	paid *iso20022.FIToFICustomerCreditTransfer, of scheme, reason, messageID string, at time.Time,
) *iso20022.FIToFIPaymentCancellationRequest {
	transaction := paid.CreditTransferTransactionInformation[0]
	amount := transaction.InterbankSettlementAmount
	var control *iso20022.ControlData1 // SIC has none
	if of.currency == "EUR" {
		control = &iso20022.ControlData1{NumberOfTransactions: "1"}
	}
	return &iso20022.FIToFIPaymentCancellationRequest{
		Assignment: iso20022.CaseAssignment5{
			ID:               messageID,
			Assigner:         iso20022.Party40Choice{Agent: &transaction.DebtorAgent},
			Assignee:         iso20022.Party40Choice{Agent: &transaction.CreditorAgent},
			CreationDateTime: iso20022.DateTimeOf(at),
		},
		ControlData: control,
		Underlying: []iso20022.UnderlyingTransaction23{{TransactionInformation: []iso20022.PaymentTransaction106{{
			CancellationID: messageID,
			OriginalGroupInformation: &iso20022.OriginalGroupInformation29{
				OriginalMessageID: paid.GroupHeader.MessageID, OriginalMessageNameID: string(iso20022.Pacs008V08),
			},
			OriginalInstructionID:             transaction.PaymentID.InstructionID,
			OriginalEndToEndID:                transaction.PaymentID.EndToEndID,
			OriginalTransactionID:             transaction.PaymentID.TransactionID,
			OriginalUETR:                      transaction.PaymentID.UETR,
			OriginalInterbankSettlementAmount: &amount,
			OriginalInterbankSettlementDate:   paid.GroupHeader.InterbankSettlementDate,
			CancellationReasonInformation: []iso20022.PaymentCancellationReason5{{
				Originator: recallOriginator(transaction, reason),
				Reason:     &iso20022.CancellationReason33Choice{Code: reason},
			}},
			OriginalTransactionReference: referenceOf(paid),
		}}}},
	}
}

// recallOriginator names who wants the money back: the customer by name, a bank by BIC where it has one (EPC guidelines for camt.056,
// element Orgtr).
func recallOriginator(paid iso20022.CreditTransferTransaction39, reason string) *iso20022.PartyIdentification135 {
	bic := paid.DebtorAgent.FinancialInstitutionID.BICFI
	switch {
	case askedByCustomer(reason):
		return &iso20022.PartyIdentification135{Name: paid.Debtor.Name}
	case bic == "":
		return nil
	default:
		organisation := &iso20022.OrganisationIdentification29{AnyBIC: bic}
		return &iso20022.PartyIdentification135{ID: &iso20022.Party38Choice{OrganisationID: organisation}}
	}
}

// referenceOf repeats the parties and terms of a payment.
func referenceOf(paid *iso20022.FIToFICustomerCreditTransfer) *iso20022.OriginalTransactionReference28 {
	transaction := paid.CreditTransferTransactionInformation[0]
	settlement, debtor, creditor := paid.GroupHeader.SettlementInformation, transaction.Debtor, transaction.Creditor
	terms := paid.GroupHeader.PaymentTypeInformation
	return &iso20022.OriginalTransactionReference28{
		SettlementInformation: &settlement,
		PaymentTypeInformation: &iso20022.PaymentTypeInformation27{
			ServiceLevel: terms.ServiceLevel, LocalInstrument: terms.LocalInstrument,
		},
		RemittanceInformation: transaction.RemittanceInformation,
		Debtor:                &iso20022.Party40Choice{Party: &debtor},
		DebtorAccount:         transaction.DebtorAccount,
		DebtorAgent:           &transaction.DebtorAgent,
		CreditorAgent:         &transaction.CreditorAgent,
		Creditor:              &iso20022.Party40Choice{Party: &creditor},
		CreditorAccount:       transaction.CreditorAccount,
	}
}
