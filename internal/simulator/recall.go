package simulator

import (
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// The codes of answers to a recall.
const (
	returnFollowsRecall = "FOCR" // ISO ExternalReturnReason1Code: the money comes back
	recallRejected      = "RJCR" // the recall is refused
	reasonCustomer      = "CUST" // by the creditor
	reasonNoOriginal    = "NOOR" // because the payment never settled here
	receiptAccepted     = "ACCP" // camt.025 of SIC: the document was accepted for forwarding
)

// The highest cents of the original that get each answer to a recall; all above get none.
const (
	lastCentsReturned = 49
	lastCentsRefused  = 79
)

// judgeRecall answers a camt.056 by the cents of the payment it recalls. A payment that did not settle gets NOOR. Of a payment this
// simulator does not know (it may have been restarted since) the amount in the recall decides, and NOOR is the answer without one.
func (s *Simulator) judgeRecall(d *delivery, document *iso20022.FIToFIPaymentCancellationRequest) judgement {
	key := d.scheme.name + "/" + d.subject.original.transactionID
	if !s.once(d) {
		judged := duplicateTransaction()
		judged.answer, _ = s.recalls.get(key)
		return judged
	}
	answer := &exchange{scheme: d.scheme, cause: d.messageID}
	if d.scheme.receipts {
		answer.drafts = append(answer.drafts, receipt(d.subject.original, document.Assignment.ID, iso20022.Camt056V08))
	}
	recalled := recallOf(d, document)
	known, found := s.payments.get(paymentKey(d.scheme, d.subject.original))
	if found && known.taken {
		recalled.amount = known.amount
	}
	switch {
	case found && !known.settled(), recalled.amount.Currency() == "":
		answer.drafts = append(answer.drafts, recallRefusal(recalled, reasonNoOriginal))
	case recalled.amount.Cents() <= lastCentsReturned:
		answer.drafts = append(answer.drafts, recallReturn(recalled))
	case recalled.amount.Cents() <= lastCentsRefused:
		answer.drafts = append(answer.drafts, recallRefusal(recalled, reasonCustomer))
	}
	s.recalls.put(key, answer)
	return judgement{outcome: outcomeTaken, effective: true, answer: answer}
}

// judgeRecallInquiry repeats the answer to a recall, under its message id; where there is none it stays silent.
func (s *Simulator) judgeRecallInquiry(d *delivery) judgement {
	judged := judgement{outcome: outcomeTaken, effective: true}
	answer, found := s.recalls.get(d.scheme.name + "/" + d.subject.original.transactionID)
	if !found || len(answer.drafts) == 0 || answer.drafts[len(answer.drafts)-1].name == iso20022.Camt025V05 {
		judged.detail = "The recall has no answer."
		return judged
	}
	if answer.running || answer.next < len(answer.drafts) {
		judged.answer = answer
		return judged
	}
	again := *answer.drafts[len(answer.drafts)-1]
	again.delivered = 0
	judged.answer = &exchange{scheme: d.scheme, cause: d.messageID, drafts: []*draft{&again}}
	return judged
}

// acknowledge makes SIC's receipt of the answer of the gateway to a recall of this simulator; nil in SCT Inst.
func acknowledge(d *delivery, document *iso20022.ResolutionOfInvestigation) *exchange {
	if !d.scheme.receipts {
		return nil
	}
	acknowledged := receipt(d.subject.original, document.Assignment.ID, iso20022.Camt029V09)
	return &exchange{scheme: d.scheme, cause: d.messageID, drafts: []*draft{acknowledged}}
}

// receipt is the camt.025 of SIC about one message.
func receipt(about original, messageID string, name iso20022.MessageName) *draft {
	return &draft{
		name: iso20022.Camt025V05, about: about, status: receiptAccepted, copies: 1,
		build: func(ownID string, at time.Time) iso20022.Document {
			return &iso20022.Receipt{
				MessageHeader: iso20022.MessageHeader9{MessageID: ownID, CreationDateTime: iso20022.DateTimeOf(at)},
				ReceiptDetails: []iso20022.Receipt3{{
					OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: messageID, MessageNameID: string(name)},
					RequestHandling:   []iso20022.RequestHandling1{{StatusCode: receiptAccepted}},
				}},
			}
		},
	}
}

// recalled is a payment of the gateway and the recall that wants it back.
type recalled struct {
	scheme     scheme
	about      original
	amount     money.Amount // the zero value when nobody says it
	request    iso20022.PaymentTransaction106
	assignment iso20022.CaseAssignment5
}

func recallOf(d *delivery, document *iso20022.FIToFIPaymentCancellationRequest) recalled {
	return recalled{
		scheme:     d.scheme,
		about:      d.subject.original,
		amount:     d.subject.amount,
		request:    document.Underlying[0].TransactionInformation[0],
		assignment: document.Assignment,
	}
}

// creditor returns the creditor of the payment, as far as the recall names it.
func (r recalled) creditor() *iso20022.PartyIdentification135 {
	reference := r.request.OriginalTransactionReference
	if reference == nil || reference.Creditor == nil || reference.Creditor.Party == nil || reference.Creditor.Party.Name == "" {
		return nil
	}
	return &iso20022.PartyIdentification135{Name: reference.Creditor.Party.Name}
}

// recallReturn is the positive answer: a pacs.004 with the whole amount and the reason FOCR.
func recallReturn(r recalled) *draft {
	return &draft{
		name: iso20022.Pacs004V09, about: r.about, reason: returnFollowsRecall, copies: 1,
		build: func(messageID string, at time.Time) iso20022.Document { return returnDocument(r, messageID, at) },
	}
}

func returnDocument(r recalled, messageID string, at time.Time) *iso20022.PaymentReturn {
	amount := iso20022.Amount{Currency: string(r.amount.Currency()), Value: r.amount.Decimal()}
	originalAmount := amount
	settlement := r.scheme.settlement()
	if reference := r.request.OriginalTransactionReference; reference != nil && reference.SettlementInformation != nil {
		settlement = *reference.SettlementInformation
	}
	return &iso20022.PaymentReturn{
		GroupHeader: iso20022.GroupHeader90{
			MessageID:                              messageID,
			CreationDateTime:                       iso20022.DateTimeOf(at),
			NumberOfTransactions:                   "1",
			TotalReturnedInterbankSettlementAmount: &amount,
			InterbankSettlementDate:                iso20022.DateOf(at),
			SettlementInformation:                  settlement,
		},
		TransactionInformation: []iso20022.PaymentTransaction112{{
			ReturnID:                          messageID,
			OriginalGroupInformation:          r.request.OriginalGroupInformation,
			OriginalInstructionID:             r.about.instructionID,
			OriginalEndToEndID:                r.about.endToEndID,
			OriginalTransactionID:             r.about.transactionID,
			OriginalUETR:                      r.about.uetr,
			OriginalInterbankSettlementAmount: &originalAmount,
			OriginalInterbankSettlementDate:   r.request.OriginalInterbankSettlementDate,
			ReturnedInterbankSettlementAmount: amount,
			ChargeBearer:                      chargesShared,
			ReturnReasonInformation: []iso20022.PaymentReturnReason6{{
				Originator:            r.creditor(),
				Reason:                &iso20022.ReturnReason5Choice{Code: returnFollowsRecall},
				AdditionalInformation: answerLines(r),
			}},
			OriginalTransactionReference: r.request.OriginalTransactionReference,
		}},
	}
}

// recallRefusal is the negative answer: a camt.029 with RJCR in both places and the reason.
func recallRefusal(r recalled, reason string) *draft {
	return &draft{
		name: iso20022.Camt029V09, about: r.about, status: recallRejected, reason: reason, copies: 1,
		build: func(messageID string, at time.Time) iso20022.Document {
			return &iso20022.ResolutionOfInvestigation{
				Assignment: iso20022.CaseAssignment5{
					ID:               messageID,
					Assigner:         r.assignment.Assignee,
					Assignee:         r.assignment.Assigner,
					CreationDateTime: iso20022.DateTimeOf(at),
				},
				ResolvedCase: r.request.Case,
				Status:       iso20022.InvestigationStatus5Choice{Confirmation: recallRejected},
				CancellationDetails: []iso20022.UnderlyingTransaction22{
					{TransactionInformationAndStatus: []iso20022.PaymentTransaction102{refusedRecall(r, messageID, reason)}},
				},
			}
		},
	}
}

func refusedRecall(r recalled, messageID, reason string) iso20022.PaymentTransaction102 {
	return iso20022.PaymentTransaction102{
		CancellationStatusID:          messageID,
		OriginalGroupInformation:      r.request.OriginalGroupInformation,
		OriginalInstructionID:         r.about.instructionID,
		OriginalEndToEndID:            r.about.endToEndID,
		OriginalTransactionID:         r.about.transactionID,
		OriginalUETR:                  r.about.uetr,
		TransactionCancellationStatus: recallRejected,
		CancellationStatusReasonInformation: []iso20022.CancellationStatusReason4{{
			Originator:            r.creditor(),
			Reason:                &iso20022.CancellationStatusReason3Choice{Code: reason},
			AdditionalInformation: refusalLines(r),
		}},
		OriginalInterbankSettlementAmount: r.request.OriginalInterbankSettlementAmount,
		OriginalInterbankSettlementDate:   r.request.OriginalInterbankSettlementDate,
		OriginalTransactionReference:      r.request.OriginalTransactionReference,
	}
}

// answerLines returns the line that names the recall by its id: in SCT Inst after ATR053/ for the recall of a bank and ATR072/ for that of
// a customer.
func answerLines(r recalled) []string {
	if r.scheme.receipts {
		return []string{r.request.CancellationID}
	}
	attribute := "ATR053/"
	for _, information := range r.request.CancellationReasonInformation {
		if information.Reason != nil && askedByCustomer(information.Reason.Code) {
			attribute = "ATR072/"
		}
	}
	return []string{attribute + r.request.CancellationID}
}

// refusalLines returns the lines of a negative answer; SIC has none.
func refusalLines(r recalled) []string {
	if r.scheme.receipts {
		return nil
	}
	return answerLines(r)
}

// askedByCustomer reports whether a recall with this reason comes from the originator rather than the bank.
func askedByCustomer(reason string) bool {
	return reason == "CUST" || reason == "AM09" || reason == "AC03"
}
