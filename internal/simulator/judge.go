package simulator

import (
	"crypto/sha256"
	"net/http"

	"countersign/internal/iso20022"
)

// judgement is the decision of the clearing about a delivery.
type judgement struct {
	outcome   string
	detail    string
	effective bool
	refused   *refusal  // the HTTP answer when it is not 202
	passing   bool      // the refusal is about this moment, not about the document
	answer    *exchange // what to send back, now or again
}

// message is the stored result of a message id.
type message struct {
	digest [sha256.Size]byte
	answer *exchange // nil when nothing is sent back
}

// noteRefused logs a delivery that could not be read.
func (s *Simulator) noteRefused(d *delivery, refused *refusal) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.note(d, judgement{outcome: outcomeRefused, detail: refused.text})
}

// take judges a delivery, logs it and starts the answer, all under the lock: the log shows a document before its answer.
func (s *Simulator) take(d *delivery) judgement {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	judgement := s.judge(d)
	s.note(d, judgement)
	if judgement.answer != nil {
		s.start(judgement.answer)
	}
	return judgement
}

func (s *Simulator) note(d *delivery, judgement judgement) {
	entry := d.entry()
	entry.At = s.config.Now().UTC()
	entry.Outcome, entry.Detail, entry.Effective = judgement.outcome, judgement.detail, judgement.effective
	s.journal.add(entry)
	if !judgement.passing {
		s.keep(entry, false)
	}
}

func (s *Simulator) judge(d *delivery) judgement {
	busy := s.busy()
	if busy != nil {
		judged := refuse(busy)
		judged.passing = true
		return judged
	}
	known, found := s.messages.get(d.key())
	switch {
	case found && known.digest != d.digest:
		return refuse(&refusal{http.StatusConflict, "409_CONFLICT", "Use a new message id: this one came with another document."})
	case found:
		return judgement{outcome: outcomeDuplicate, detail: "The message id came before.", answer: known.answer}
	}
	judged := s.judgeNew(d)
	if judged.outcome == outcomeTaken || judged.outcome == outcomeDuplicate {
		s.messages.put(d.key(), message{digest: d.digest, answer: judged.answer})
	}
	return judged
}

// busy returns the reason why the clearing accepts nothing now, or nil. The caller holds the lock.
func (s *Simulator) busy() *refusal {
	switch {
	case s.closed:
		return unavailable("The clearing is closing: try again later.")
	case s.pending >= answersPending:
		return unavailable("The clearing has too many answers under way: try again later.")
	default:
		return nil
	}
}

// judgeNew judges a document whose message id is new.
func (s *Simulator) judgeNew(d *delivery) judgement {
	switch document := d.document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer, *iso20022.PaymentReturn:
		return s.judgePayment(d)
	case *iso20022.FIToFIPaymentStatusRequest:
		return s.judgeInquiry(d)
	case *iso20022.FIToFIPaymentCancellationRequest:
		return s.judgeRecall(d, document)
	case *iso20022.FIToFIPaymentStatusReport:
		return s.judgeReport(d)
	case *iso20022.ResolutionOfInvestigation:
		return s.judgeResolution(d, document)
	default:
		return s.judgeReceipt(d)
	}
}

// once records the effect of the document and reports whether it is new.
func (s *Simulator) once(d *delivery) bool {
	if d.subject.effect == "" {
		return true
	}
	key := d.scheme.name + "/" + string(d.document.MessageName()) + "/" + d.subject.effect
	_, known := s.effects.get(key)
	s.effects.put(key, struct{}{})
	return !known
}

func duplicateTransaction() judgement {
	return judgement{outcome: outcomeDuplicate, detail: "The transaction came before under another message id."}
}

func refuse(refused *refusal) judgement {
	return judgement{outcome: outcomeRefused, detail: refused.text, refused: refused}
}

func unavailable(text string) *refusal {
	return &refusal{http.StatusServiceUnavailable, "503_UNAVAILABLE", text}
}
