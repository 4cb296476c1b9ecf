package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/rulebook"
)

// incoming is a payment that came in.
type incoming struct {
	message
	transaction, endToEnd string
}

// scenario asks the simulator for something.
func (s *stage) scenario(t *testing.T, name string, members map[string]string) (int, map[string]string) {
	t.Helper()
	body, err := json.Marshal(members)
	must(t, err)
	answer, err := http.Post("http://"+s.simulator+"/scenario/"+name, "application/json", bytes.NewReader(body))
	must(t, err)
	content, err := io.ReadAll(answer.Body)
	must(t, errors.Join(err, answer.Body.Close()))
	var told map[string]string
	must(t, json.Unmarshal(content, &told))
	return answer.StatusCode, told
}

// booked brings a payment in, which the gateway accepts.
func (s *stage) booked(t *testing.T, l lane, amount string) incoming {
	t.Helper()
	status, told := s.scenario(t, "incoming-payment", map[string]string{"scheme": l.scheme, "amount": amount, "remittance": "Invoice 7"})
	if status != http.StatusOK || told["status"] != "ACCP" {
		t.Fatalf("incoming payment: %d %v", status, told)
	}
	in := incoming{transaction: told["transactionId"], endToEnd: told["endToEndId"]}
	r := s.ok(t, "supervisor1", "/api/common/v1/transaction/list?kind=payment&direction=in&endToEndId="+in.endToEnd, "")
	if list, _ := r.at("transactions").([]any); len(list) != 1 {
		t.Fatalf("one payment came in: %s", r.text)
	}
	in.message = message{r.string("transactions", 0, "internalId"), r.string("transactions", 0, "globalId")}
	s.until(
		t, in.id, "state", "Booked", "scheme", l.scheme, "amount.value", amount, "amount.Ccy", l.currency, "creditor.account", l.debtor,
		"returnStatus", "",
	)
	s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC")
	return in
}

// recalled has the other bank recall a payment that came in.
func (s *stage) recalled(t *testing.T, l lane, in incoming, reason string) message {
	t.Helper()
	earliest := s.answerBy(l)
	status, told := s.scenario(t, "recall", map[string]string{"scheme": l.scheme, "transactionId": in.transaction, "reason": reason})
	if status != http.StatusOK {
		t.Fatalf("recall: %d %v", status, told)
	}
	r := s.ok(t, "supervisor1", "/api/common/v1/transaction/"+in.id+"/related", "")
	m := message{r.string("transactions", 0, "internalId"), r.string("transactions", 0, "globalId")}
	s.is(t, m.id, "kind", "recall", "direction", "in", "state", "Awaiting Decision", "reason", reason, "originalInternalId", in.id)
	day, _, _ := strings.Cut(s.transaction(t, m.id).string("transaction", "answerBy"), "T")
	if day != earliest && day != s.answerBy(l) { // midnight may have passed
		t.Errorf("to be answered by %q, want %q", day, earliest)
	}
	sent := s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "out camt.056 "+reason)
	if last := sent[len(sent)-1]; last.MessageID != told["recallId"] {
		t.Errorf("recalled as %s, told %v", last.MessageID, told)
	} else if l.receipts {
		s.receipt(t, last)
	}
	return m
}

// answerBy is the last day to answer a recall that comes in now.
func (s *stage) answerBy(l lane) string {
	scheme := rulebook.Scheme(l.scheme)
	return rulebook.AnswerBy(scheme, time.Now().In(s.office.zone), rulebook.Settings{}).Format(time.DateOnly)
}

func incomingScripts() []script {
	return slices.Concat(
		eachLane("incoming to nobody", playStranger),
		eachLane("recall granted", playGranted),
		eachLane("recall granted with a charge", playCharge),
		eachLane("recall refused", playRefused),
		eachLane("grant and refusal exclude each other", playExclusion),
		eachLane("failed return", playFailedReturn),
	)
}

// playStranger: a payment to an account nobody has here is refused, and leaves nothing to be recalled.
func playStranger(t *testing.T, s *stage, l lane) {
	status, told := s.scenario(t, "incoming-payment", map[string]string{"scheme": l.scheme, "creditorAccount": l.creditor})
	if status != http.StatusOK || told["status"] != "RJCT" || told["reason"] != "AC01" {
		t.Fatalf("to nobody: %d %v", status, told)
	}
	s.wire(t, told["transactionId"], "out pacs.008", "in pacs.002 RJCT AC01")
	r := s.ok(t, "supervisor1", "/api/common/v1/transaction/list?endToEndId="+told["endToEndId"], "")
	if list, _ := r.at("transactions").([]any); len(list) != 0 {
		t.Errorf("somebody got it: %s", r.text)
	}
	status, _ = s.scenario(t, "recall", map[string]string{"scheme": l.scheme, "transactionId": told["transactionId"]})
	if status != http.StatusNotFound {
		t.Errorf("a refused payment is recalled: %d", status)
	}
}

// grant is the return that answers a recall; charge is what the bank keeps.
func (s *stage) grant(t *testing.T, l lane, in incoming, recall message, charge string) message {
	t.Helper()
	more := ""
	if charge != "" {
		more = `,"chargeAmount":"` + charge + `"`
	}
	m := s.submit(t, l, request{kind: "return", payment: in.message, reason: "FOCR", more: more})
	s.is(t, m.id, "recallId", recall.id, "creditId", in.id)
	s.is(t, in.id, "state", "Booked", "returnStatus", "Return in Progress")
	s.is(t, recall.id, "state", "Awaiting Decision")
	s.approve(t, l, "return", m)
	s.until(t, m.id, "state", "Settled")
	s.until(t, recall.id, "state", "Answered")
	s.is(t, in.id, "state", "Booked", "returnStatus", "Returned")
	s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "out camt.056 CUST", "in pacs.004 FOCR", "out pacs.002 "+l.positive)
	return m
}

func playGranted(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "250.10")
	recall := s.recalled(t, l, in, "CUST")
	s.refuses(
		t, l, request{kind: "return", payment: in.message, reason: "AC04"}, "/ReturnDetails/reason CH16",
	) // a recall is granted with FOCR only
	m := s.grant(t, l, in, recall, "")
	s.is(t, m.id, "amount.value", "250.10")
	s.refuses(t, l, request{kind: "resolution", payment: in.message, recall: recall, reason: "CUST"}, "/identifiers/recallId NARR")
	s.refuses(t, l, request{kind: "return", payment: in.message, reason: "AC04"}, "/identifiers/creditId AM05")
}

// playCharge: the bank may keep a charge when it grants a recall; never all of it.
func playCharge(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "100.10")
	recall := s.recalled(t, l, in, "CUST")
	s.refuses(
		t, l,
		request{kind: "return", payment: in.message, reason: "FOCR", more: `,"chargeAmount":"100.10"`},
		"/ReturnDetails/chargeAmount AM02",
	)
	m := s.grant(t, l, in, recall, "5.00")
	s.is(t, m.id, "amount.value", "95.10")
	sent := s.lines(t, in.transaction)
	for _, part := range []string{`Ccy="` + l.currency + `">95.10</RtrdIntrBkSttlmAmt>`, "<ChrgsInf>", `Ccy="` + l.currency + `">5.00</Amt>`} {
		if text := sent[4].XML; !strings.Contains(text, part) {
			t.Errorf("the return does not say %q:\n%s", part, text)
		}
	}
}

// playRefused: a resolution tells the other bank that the money stays.
func playRefused(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "80.00")
	recall := s.recalled(t, l, in, "FRAD")
	m := s.carryOut(t, l, request{kind: "resolution", payment: in.message, recall: recall, reason: "CUST"})
	s.until(t, m.id, "state", "Communicated", "recallId", recall.id, "creditId", in.id)
	s.until(t, recall.id, "state", "Answered")
	s.is(t, in.id, "state", "Booked", "returnStatus", "")
	want := []string{"out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "out camt.056 FRAD", "in camt.029 RJCR CUST"}
	if l.receipts {
		want = append(want, "out camt.025 ACCP")
	}
	sent := s.wire(t, in.transaction, want...)
	for _, part := range []string{"<Conf>RJCR</Conf>", "<TxCxlSts>RJCR</TxCxlSts>", "<OrgnlTxId>" + in.transaction + "</OrgnlTxId>"} {
		if len(sent) > 4 && !strings.Contains(sent[4].XML, part) {
			t.Errorf("the refusal does not say %q:\n%s", part, sent[4].XML)
		}
	}
	s.refuses(t, l, request{kind: "resolution", payment: in.message, recall: recall, reason: "CUST"}, "/identifiers/recallId NARR")
	s.refuses(t, l, request{kind: "return", payment: in.message, reason: "FOCR"}, "/ReturnDetails/reason CH16")
}

// playExclusion: while a grant waits for its approval there is no refusal, and the other way round; a closed one frees the recall.
func playExclusion(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "60.00")
	recall := s.recalled(t, l, in, "CUST")
	grant := request{kind: "return", payment: in.message, reason: "FOCR"}
	refusal := request{kind: "resolution", payment: in.message, recall: recall, reason: "AM04"}
	const taken = "/identifiers/creditId AM05"
	pending := s.submit(t, l, refusal)
	s.refuses(t, l, grant, taken)
	s.refuses(t, l, refusal, taken)
	s.reject(t, pending)
	s.is(t, recall.id, "state", "Awaiting Decision")
	pending = s.submit(t, l, grant)
	s.refuses(t, l, refusal, taken)
	s.refuses(t, l, grant, taken)
	s.ok(t, "both1", "/api/"+l.scheme+"/v1/return/cancel", `{"identifiers":{"internalId":"`+pending.id+`"}}`)
	s.is(t, in.id, "returnStatus", "")
	m := s.carryOut(t, l, refusal)
	s.until(t, m.id, "state", "Communicated")
	s.until(t, recall.id, "state", "Answered")
	s.refuses(t, l, grant, "/ReturnDetails/reason CH16")
	want := []string{"out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "out camt.056 CUST", "in camt.029 RJCR AM04"}
	if l.receipts {
		want = append(want, "out camt.025 ACCP")
	}
	s.wire(t, in.transaction, want...)
}

// playFailedReturn: what clearing refuses to send back stays booked, and may be sent back again.
func playFailedReturn(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "10.91")
	m := s.carryOut(t, l, request{kind: "return", payment: in.message, reason: "AC04"})
	s.until(t, m.id, "state", "Failed", "statusReason.code", "AC04")
	s.is(t, in.id, "state", "Booked", "returnStatus", "")
	s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "in pacs.004 AC04", "out pacs.002 RJCT AC04")
	again := s.submit(t, l, request{kind: "return", payment: in.message, reason: "AC06"})
	s.is(t, in.id, "returnStatus", "Return in Progress")
	s.reject(t, again)
	s.is(t, in.id, "returnStatus", "")
}
