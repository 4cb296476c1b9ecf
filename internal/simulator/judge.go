package simulator

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"countersign/internal/iso20022"
	"countersign/internal/profile"
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
	}
	if !s.once(d) {
		return duplicateTransaction()
	}
	judged := judgement{outcome: outcomeTaken, effective: true}
	switch document := d.document.(type) {
	case *iso20022.FIToFIPaymentStatusReport:
		judged.answer = s.takeReport(d)
	case *iso20022.ResolutionOfInvestigation:
		judged.answer = acknowledge(d, document)
	}
	return judged // a camt.025 has no answer
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

// The limits of a delivery.
const (
	documentLimit  = 256 << 10 // bytes; the limit of the decoder too
	messageIDLimit = 140       // printable ASCII characters
)

// delivery is one document from the gateway.
type delivery struct {
	scheme    scheme
	messageID string // X-Message-Id
	xml       []byte
	digest    [sha256.Size]byte
	document  iso20022.Document
	subject   subject
}

// key names the delivery across retries.
func (d *delivery) key() string {
	return d.scheme.name + "/" + d.messageID
}

// entry is the line of the log; what could not be read stays empty.
func (d *delivery) entry() *Entry {
	entry := &Entry{
		Direction:     directionIn,
		Scheme:        d.scheme.name,
		MessageID:     d.messageID,
		TransactionID: d.subject.original.transactionID,
		EndToEndID:    d.subject.original.endToEndID,
		Status:        d.subject.status,
		Reason:        d.subject.reason,
		XML:           strings.ToValidUTF8(string(d.xml), "\uFFFD"),
	}
	if d.document != nil {
		entry.Name = string(d.document.MessageName())
	}
	return entry
}

// serveDelivery receives one document: 202 for an accepted or known one, 400 with a reason when it is not valid, 404 for another scheme,
// 409 when its message id named another document before, 413 and 415 when it is too large or no XML, 503 when the clearing is busy,
// closing, or refuses on purpose.
func (s *Simulator) serveDelivery(w http.ResponseWriter, r *http.Request) {
	scheme, found := schemeNamed(r.PathValue("scheme"))
	if !found {
		writeRefusal(w, &refusal{http.StatusNotFound, "404_NOT_FOUND", "Deliver to /clearing/sic-inst or /clearing/sct-inst."})
		return
	}
	delivery := &delivery{scheme: scheme, messageID: r.Header.Get("X-Message-Id")}
	refused := delivery.read(w, r, s.spoken(scheme))
	if refused != nil {
		s.noteRefused(delivery, refused)
		writeRefusal(w, refused)
		return
	}
	judgement := s.take(delivery)
	switch {
	case judgement.outcome == outcomeDropped:
		panic(http.ErrAbortHandler) // the documented way to close a connection without an answer
	case judgement.refused != nil:
		writeRefusal(w, judgement.refused)
	default:
		writeJSON(w, http.StatusAccepted, map[string]string{"outcome": judgement.outcome})
	}
}

// read reads the headers and the document, in the form of a profile.
func (d *delivery) read(w http.ResponseWriter, r *http.Request, spoken *profile.Profile) *refusal {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/xml" {
		return &refusal{http.StatusUnsupportedMediaType, "415_UNSUPPORTED_MEDIA_TYPE", "Send one document as application/xml."}
	}
	if !isMessageID(d.messageID) {
		d.messageID = "" // nothing that a log would rather not hold
		return invalid("Enter the message id in X-Message-Id, 1 to 140 printable ASCII characters.")
	}
	d.xml, err = io.ReadAll(http.MaxBytesReader(w, r.Body, documentLimit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &refusal{http.StatusRequestEntityTooLarge, "413_TOO_LARGE", "Send documents of at most 256 KiB."}
	}
	if err != nil {
		return invalid("Send the document again: reading it ended early.")
	}
	d.digest = sha256.Sum256(d.xml)
	return d.decode(spoken)
}

func (d *delivery) decode(spoken *profile.Profile) *refusal {
	document, findings := profile.Read(d.xml)
	if len(findings) > 0 {
		return invalid(sentenceOf(findings))
	}
	if err := spoken.Fits(d.xml); err != nil {
		return invalid(err.Error())
	}
	d.document = document
	var refused *refusal
	d.subject, refused = subjectOf(d.scheme, document)
	return refused
}

func invalid(text string) *refusal {
	return &refusal{http.StatusBadRequest, "400_INVALID_DOCUMENT", text}
}

// sentenceOf names the first problems of a document.
func sentenceOf(findings []iso20022.Finding) string {
	const most = 5
	var problems []string
	for _, finding := range findings[:min(most, len(findings))] {
		problems = append(problems, fmt.Sprintf("%s (%s, line %d): %s", finding.Pointer, finding.Code, finding.Line, finding.Text))
	}
	if more := len(findings) - most; more > 0 {
		problems = append(problems, fmt.Sprintf("and %d more", more))
	}
	return "Correct the document. " + strings.Join(problems, "; ")
}

// isMessageID reports whether a text is a valid X-Message-Id.
func isMessageID(text string) bool {
	foreign := func(letter rune) bool { return letter < ' ' || letter > '~' }
	return text != "" && len(text) <= messageIDLimit && !strings.ContainsFunc(text, foreign)
}
