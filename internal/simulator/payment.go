package simulator

import (
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// payment is a payment or return the gateway sent, or one it asked for that never came.
type payment struct {
	original  original
	behaviour behaviour
	refusals  int  // deliveries refused so far
	taken     bool // delivered and acted upon
	decided   bool // its status is known to the clearing
	amount    money.Amount
	answer    *exchange // the first answer; nil when there is none
}

// settled reports whether the money moved.
func (p *payment) settled() bool {
	return p.taken && p.behaviour.reason == "" && !p.behaviour.mute
}

func paymentKey(scheme scheme, about original) string {
	kind := definitionOf(string(iso20022.Pacs008V08))
	if definitionOf(about.messageName) == definitionOf(string(iso20022.Pacs004V09)) {
		kind = definitionOf(string(iso20022.Pacs004V09))
	}
	return scheme.name + "/" + kind + "/" + about.transactionID
}

// judgePayment judges a pacs.008, or a pacs.004 whose money moves the same way.
func (s *Simulator) judgePayment(d *delivery) judgement {
	key := paymentKey(d.scheme, d.subject.original)
	known, found := s.payments.get(key)
	if found && known.taken {
		judged := duplicateTransaction()
		judged.answer = known.answer
		return judged
	}
	if !found {
		known = &payment{behaviour: behaviourOf(d.subject.amount.Cents())}
		s.payments.put(key, known)
	}
	known.original, known.amount = d.subject.original, d.subject.amount
	if known.refusals < known.behaviour.refusals {
		known.refusals++
		return refuseOnPurpose(known.refusals)
	}
	known.taken, known.decided = true, known.behaviour.wait == 0
	known.answer = firstAnswer(d, known)
	return judgement{outcome: outcomeTaken, effective: true, answer: known.answer}
}

// refuseOnPurpose answers 503 the first time and drops the connection after that.
func refuseOnPurpose(count int) judgement {
	if count == 1 {
		return refuse(unavailable("The cents of the amount ask for a refused delivery: deliver the document again."))
	}
	return judgement{outcome: outcomeDropped, detail: "The cents of the amount ask for a dropped connection."}
}

// firstAnswer makes the answer of the payment's behaviour.
func firstAnswer(d *delivery, paid *payment) *exchange {
	if paid.behaviour.silent {
		return nil
	}
	answer := &exchange{scheme: d.scheme, cause: d.messageID, wait: paid.behaviour.wait, payment: paid}
	if paid.behaviour.brokenFirst {
		broken := statusReport(d.scheme, paid)
		broken.broken = true
		answer.drafts = append(answer.drafts, broken)
	}
	sent := statusReport(d.scheme, paid)
	sent.copies = paid.behaviour.copies
	answer.drafts = append(answer.drafts, sent)
	return answer
}

// judgeInquiry answers a pacs.028 with the status of the payment, and repeats the answer to a recall.
func (s *Simulator) judgeInquiry(d *delivery) judgement {
	about := d.subject.original
	if definitionOf(about.messageName) == definitionOf(string(iso20022.Camt056V08)) {
		return s.judgeRecallInquiry(d)
	}
	key := paymentKey(d.scheme, about)
	known, found := s.payments.get(key)
	if !found || !known.taken {
		// From here on the payment is refused should it come yet, so that what the gateway was told stays true.
		known = &payment{original: about, behaviour: behaviour{reason: reasonNeverReceived, copies: 1}, decided: true}
		s.payments.put(key, known)
	}
	judged := judgement{outcome: outcomeTaken, effective: true}
	switch {
	case known.behaviour.mute:
		judged.detail = "The cents of the amount ask for no answer to this question."
	case !known.decided:
		judged.detail = "The payment has no status yet; its answer comes by itself."
	default:
		judged.answer = &exchange{scheme: d.scheme, cause: d.messageID, drafts: []*draft{statusReport(d.scheme, known)}}
	}
	return judged
}

// takeReport takes the answer of the gateway to an incoming payment, or to money sent back after a recall. It returns the report that an
// accepted incoming payment has settled, or nil.
func (s *Simulator) takeReport(d *delivery) *exchange {
	about := d.subject.original
	arrived, found := s.incoming.get(d.scheme.name + "/" + about.transactionID)
	if !found || definitionOf(about.messageName) == definitionOf(string(iso20022.Pacs004V09)) {
		return nil
	}
	arrived.answer(d.subject.status, d.subject.reason)
	if d.subject.status == statusRejected {
		return nil
	}
	return &exchange{scheme: d.scheme, cause: d.messageID, drafts: []*draft{report(about, statusSettled, "")}}
}
