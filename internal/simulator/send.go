package simulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// How long a document is offered to the gateway: 60 attempts, the first retry after 50 ms, each wait twice the one before up to 5 s;
// between four and five minutes of waiting in all.
const (
	attemptLimit = 60
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 5 * time.Second
	answerLimit  = 4 << 10 // bytes read of what the gateway says about a document
)

// start runs an exchange unless it runs already or is done. The caller holds the lock.
func (s *Simulator) start(x *exchange) {
	if x.running || x.next == len(x.drafts) || s.closed {
		return
	}
	x.running = true
	s.pending++
	s.tasks.Add(1)
	go func() {
		defer s.tasks.Done()
		s.run(x)
		s.mutex.Lock()
		defer s.mutex.Unlock()
		x.running = false
		s.pending--
	}()
}

// run waits and sends the undelivered drafts; it ends early when the simulator closes or the gateway accepts nothing.
func (s *Simulator) run(x *exchange) {
	if x.wait > 0 && !x.due {
		err := s.config.Sleep(s.open, x.wait)
		if err != nil {
			return
		}
	}
	s.mutex.Lock()
	x.due = true
	if x.payment != nil {
		x.payment.decided = true
	}
	s.mutex.Unlock()
	for x.next < len(x.drafts) && s.open.Err() == nil {
		draft := x.drafts[x.next]
		err := draft.write(s.spoken(x.scheme).Other(), s.identifier(x.scheme, x.cause, x.next), s.config.Now())
		if err != nil {
			s.config.Log.Error("document could not be written", "error", err, "transactionId", draft.about.transactionID)
			return
		}
		if !s.send(x, draft) {
			return
		}
		draft.delivered++
		if draft.delivered >= draft.copies {
			s.mutex.Lock()
			x.next++
			s.mutex.Unlock()
		}
	}
	if x.delivered != nil && x.next == len(x.drafts) {
		close(x.delivered)
	}
}

// send offers one document until the gateway accepts it, logged from the first attempt on. It reports success.
func (s *Simulator) send(x *exchange, d *draft) bool {
	entry := d.entry(x.scheme, s.config.Now())
	s.mutex.Lock()
	s.journal.add(entry)
	s.keep(entry, false)
	s.mutex.Unlock()
	backoff := firstBackoff
	for attempt := 1; ; attempt++ {
		outcome, detail := s.offer(x.scheme, d)
		if outcome == outcomeSending && attempt == attemptLimit {
			outcome = outcomeAbandoned
		}
		s.mark(entry, Entry{Attempts: attempt, Outcome: outcome, Detail: detail})
		if outcome != outcomeSending {
			return outcome != outcomeAbandoned
		}
		err := s.config.Sleep(s.open, backoff)
		if err != nil {
			s.mark(entry, Entry{Attempts: attempt, Outcome: outcomeAbandoned, Detail: "The clearing closed. " + detail})
			return false
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// mark updates the line of the log.
func (s *Simulator) mark(entry *Entry, now Entry) {
	s.mutex.Lock()
	entry.Attempts, entry.Outcome, entry.Detail = now.Attempts, now.Outcome, now.Detail
	if now.Outcome != outcomeSending {
		s.keep(entry, true)
	}
	s.mutex.Unlock()
	if now.Outcome == outcomeAbandoned {
		s.config.Log.Warn("document given up", "messageId", entry.MessageID, "attempts", now.Attempts, "detail", now.Detail)
	}
}

// offer posts the document once. The outcome is delivered, refused (a broken document that met its refusal) or sending (try again).
func (s *Simulator) offer(scheme scheme, d *draft) (outcome, detail string) {
	select {
	case s.slots <- struct{}{}:
	case <-s.open.Done():
		return outcomeSending, "No attempt was under way."
	}
	defer func() { <-s.slots }()
	status, answer, err := s.post(scheme, d)
	switch {
	case err != nil:
		return outcomeSending, "The gateway could not be reached: " + err.Error() + "."
	case status/100 == 2:
		return outcomeDelivered, ""
	case d.broken && status == http.StatusBadRequest:
		return outcomeRefused, answer
	default:
		return outcomeSending, fmt.Sprintf("The gateway answered %d: %s", status, answer)
	}
}

func (s *Simulator) post(scheme scheme, d *draft) (status int, answer string, err error) {
	ctx, cancel := context.WithTimeout(s.life, requestLimit)
	defer cancel()
	address := s.config.GatewayURL + "/clearing/v1/" + scheme.name + "/messages"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(d.xml))
	if err != nil {
		return 0, "", fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Content-Type", "application/xml")
	request.Header.Set("Authorization", "Bearer "+s.config.Token)
	request.Header.Set("X-Message-Id", d.messageID)
	response, err := s.config.Client.Do(request)
	if err != nil {
		return 0, "", fmt.Errorf("post document: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(response.Body, answerLimit)) // the status decides; the text is for people
	return response.StatusCode, strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD"), nil
}
