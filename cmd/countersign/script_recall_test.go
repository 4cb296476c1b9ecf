package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// recallCase is a recall of a payment whose cents choose the answer of the other bank.
type recallCase struct {
	cents, reason, information string
	state                      string // of the recall in the end, "" for the scheme's "on its way"
	shows                      string // what the payment shows then
}

func recallCases() []recallCase {
	return []recallCase{
		{"00", "DUPL", "", "Accepted", "Recalled"},
		{"49", "CUST", "Asked by the customer", "Accepted", "Recalled"},
		{"50", "FRAD", "Reported to the police", "Refused", "Recall Refused"},
		{"79", "TECH", "", "Refused", "Recall Refused"},
		{"80", "CUST", "", "", "Recall in Progress"},
		{"89", "DUPL", "", "", "Recall in Progress"},
	}
}

func recallScripts() (list []script) {
	for _, c := range recallCases() {
		list = append(list, eachLane("recall of ."+c.cents, c.play)...)
	}
	return append(list, eachLane("recall closed before release", playClosedRecall)...)
}

func (c recallCase) play(t *testing.T, s *stage, l lane) {
	paid := s.settled(t, l, c.cents)
	asked := request{kind: "recall", payment: paid, reason: c.reason, information: c.information}
	m := s.submit(t, l, asked)
	s.is(t, paid.id, "state", "Settled", "recallStatus", "Recall in Progress")
	s.wire(t, paid.global, "in pacs.008", "out pacs.002 "+l.positive)
	s.approve(t, l, "recall", m)

	want := []string{"in pacs.008", "out pacs.002 " + l.positive, "in camt.056 " + c.reason}
	if l.receipts {
		want = append(want, "out camt.025 ACCP")
	}
	state, code := c.state, ""
	switch c.state {
	case "Accepted":
		want = append(want, "out pacs.004 FOCR", "in pacs.002 ACCP")
	case "Refused":
		want, code = append(want, "out camt.029 RJCR CUST"), "CUST"
	default:
		state = l.acknowledged
		s.atEnd(l.scheme+" recall of ."+c.cents, func(t *testing.T, s *stage) {
			s.is(t, m.id, "state", state)
			s.is(t, paid.id, "recallStatus", c.shows)
		})
	}
	last := s.until(t, m.id, "state", state, "statusReason.code", code)
	answered := c.state == "Accepted" || c.state == "Refused" // it may overtake the note of the delivery: then there is no day to wait for
	if !answered && last.string("transaction", "answerBy") == "" {
		t.Errorf("no day by which the other bank is to answer: %s", last.text)
	}
	s.is(t, paid.id, "state", "Settled", "recallStatus", c.shows)
	sent := s.wire(t, paid.global, want...)
	if c.state == "Refused" && l.receipts {
		s.receipt(t, sent[len(sent)-1])
	}
	c.holdDocument(t, sent, paid, m)
	s.refuses(t, l, asked, "/identifiers/internalId AM05") // one recall of a payment, whatever its answer
	s.documents(t, m, sent)
	s.report(t, paid)
}

// holdDocument looks into the camt.056: whose payment it names, why, and in whose words.
func (c recallCase) holdDocument(t *testing.T, sent []line, paid, recall message) {
	t.Helper()
	index := slices.IndexFunc(sent, func(l line) bool { return strings.HasPrefix(l.Name, "camt.056") })
	if index < 0 {
		return // said by wire
	}
	for _, part := range []string{
		"<OrgnlTxId>" + paid.global + "</OrgnlTxId>", "<CxlId>" + recall.global + "</CxlId>", "<Cd>" + c.reason + "</Cd>",
		"<OrgnlMsgId>" + sent[0].MessageID + "</OrgnlMsgId>", c.information,
	} {
		if !strings.Contains(sent[index].XML, part) {
			t.Errorf("the recall does not say %q:\n%s", part, sent[index].XML)
		}
	}
}

// documents holds that the transaction lists what went out for it, as the bytes that crossed the wire.
func (s *stage) documents(t *testing.T, m message, sent []line) {
	t.Helper()
	r := s.ok(t, "supervisor1", "/api/common/v1/transaction/"+m.id+"/messages", "")
	names := map[string]bool{}
	list, _ := r.at("messages").([]any)
	for i := range list {
		names[r.string("messages", i, "type")+" "+r.string("messages", i, "direction")] = true
	}
	for _, l := range sent {
		if strings.HasPrefix(l.Name, "camt.056") && !names[l.Name+" out"] ||
			strings.HasPrefix(l.Name, "camt.029") && l.Direction == "out" && !names[l.Name+" in"] {
			t.Errorf("%s is not among the documents: %s", l, r.text)
		}
	}
}

// report holds that the end of an instruction is kept for its client: one pain.002, which clearing never gets.
func (s *stage) report(t *testing.T, paid message) {
	t.Helper()
	r := s.ok(t, "supervisor1", "/api/common/v1/interface/list?type=pain.002.001.10&internalId="+paid.id, "")
	list, _ := r.at("messages").([]any)
	if len(list) != 1 || r.string("messages", 0, "status") != "Prepared" {
		t.Errorf("the report of a settled instruction: %s", r.text)
	}
}

// playClosedRecall: a recall that a checker rejects or its maker withdraws never leaves, and frees the payment for another.
func playClosedRecall(t *testing.T, s *stage, l lane) {
	paid := s.settled(t, l, "20")
	asked := request{kind: "recall", payment: paid, reason: "CUST"}
	rejected := s.submit(t, l, asked)
	s.refuses(t, l, request{kind: "recall", payment: paid, reason: "DUPL"}, "/identifiers/internalId AM05")
	s.reject(t, rejected)
	s.is(t, paid.id, "state", "Settled", "recallStatus", "")
	withdrawn := s.submit(t, l, asked)
	s.ok(t, "both1", "/api/"+l.scheme+"/v1/recall/cancel", `{"identifiers":{"internalId":"`+withdrawn.id+`"}}`)
	s.is(t, withdrawn.id, "state", "Withdrawn")
	s.is(t, paid.id, "recallStatus", "")
	for _, closed := range []message{rejected, withdrawn} {
		r := s.call(t, "checker1", approvalPath, verdict(closed, "approve"))
		if r.status != http.StatusBadRequest || r.groupStatus() != "RJCT" {
			t.Errorf("approved after its end: %d %s", r.status, r.text)
		}
	}
	last := s.carryOut(t, l, asked)
	s.until(t, last.id, "state", "Accepted")
	sent := s.wire(t, paid.global, slices.DeleteFunc([]string{
		"in pacs.008", "out pacs.002 " + l.positive, "in camt.056 CUST", "out camt.025 ACCP", "out pacs.004 FOCR", "in pacs.002 ACCP",
	}, func(text string) bool { return !l.receipts && strings.Contains(text, "camt.025") })...)
	recallCase{reason: "CUST"}.holdDocument(t, sent, paid, last)
}
