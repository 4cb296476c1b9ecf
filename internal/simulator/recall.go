package simulator

import (
	"time"

	"countersign/internal/iso20022"
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

// judgeResolution judges the answer of the gateway to a recall of this simulator; SIC acknowledges it.
func (s *Simulator) judgeResolution(d *delivery, document *iso20022.ResolutionOfInvestigation) judgement {
	if !s.once(d) {
		return duplicateTransaction()
	}
	judged := judgement{outcome: outcomeTaken, effective: true}
	if d.scheme.receipts {
		acknowledged := receipt(d.subject.original, document.Assignment.ID, iso20022.Camt029V09)
		judged.answer = &exchange{scheme: d.scheme, cause: d.messageID, drafts: []*draft{acknowledged}}
	}
	return judged
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
