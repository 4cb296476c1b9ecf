package main

import (
	"slices"
	"strings"
	"testing"
)

// centsCase is what the simulator does with the cents of a payment or return, and what becomes of it.
type centsCase struct {
	cents  string
	wire   []string // after or before the document itself; POSITIVE stands for the scheme's status
	steps  []string // of the history, after the approval
	state  string
	reason string
}

func centsCases() []centsCase {
	const positive = "out pacs.002 POSITIVE"
	settled, timedOut := []string{"settle: Settled"}, "time out: Unconfirmed"
	return []centsCase{
		{"93", []string{"in"}, []string{timedOut}, "Unconfirmed", ""},
		{"94", []string{"in", positive}, []string{timedOut, "settle: Settled"}, "Settled", ""},
		{"98", []string{"in", "out pacs.002 RJCT AB05"}, []string{timedOut, "refuse: Failed"}, "Failed", "AB05"},
		{"00", []string{"in", positive}, settled, "Settled", ""},
		{"91", []string{"in", "out pacs.002 RJCT AC04"}, []string{"refuse: Failed"}, "Failed", "AC04"},
		{"92", []string{"in", "out pacs.002 RJCT AM04"}, []string{"refuse: Failed"}, "Failed", "AM04"},
		{"95", []string{"in", positive, positive, positive}, settled, "Settled", ""},
		{"96", []string{"in", positive + " refused", positive}, settled, "Settled", ""},
		{"97", []string{"in refused", "in dropped", "in", positive}, settled, "Settled", ""},
	}
}

// centsScripts hold each behaviour for payments we send and for returns, in both schemes.
func centsScripts() (list []script) {
	for _, c := range centsCases() {
		list = append(list, eachLane("payment of ."+c.cents, func(t *testing.T, s *stage, l lane) {
			order := s.order(l, c.cents)
			m := s.instruct(t, l, order)
			s.ok(t, "checker1", approvalPath, verdict(m, "approve"))
			c.follow(t, s, l, m)
			c.hold(t, s, courseOf(l, m, "in pacs.008"))
			again := s.ok(t, "maker1", "/api/"+l.scheme+"/v1/instruction/create", order)
			if again.string("identifiers", "internalId") != m.id || again.groupStatus() != "PNDG" {
				t.Errorf("the same order again: %s", again.text)
			}
		})...)
		list = append(list, eachLane("return of ."+c.cents, c.playReturn)...)
	}
	return list
}

// playReturn sends back an incoming payment, as customers ask for it.
func (c centsCase) playReturn(t *testing.T, s *stage, l lane) {
	in := s.booked(t, l, "100."+c.cents)
	m := s.carryOut(t, l, request{kind: "return", payment: in.message, reason: "AC04"})
	c.follow(t, s, l, m)
	about := courseOf(l, message{m.id, in.transaction}, "in pacs.004 AC04")
	about.before = []string{"out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC"}
	c.hold(t, s, about)
	shown := map[string]string{"Settled": "Returned", "Unconfirmed": "Return in Progress"}[c.state]
	s.is(t, in.id, "state", "Booked", "returnStatus", shown)
}

// follow waits for the end and holds that nothing was shown as rejected on the way.
func (c centsCase) follow(t *testing.T, s *stage, l lane, m message) {
	t.Helper()
	last := s.until(t, m.id, "state", c.state, "statusReason.code", c.reason)
	if settled := last.string("transaction", "settledAt") != ""; settled != (c.state == "Settled") {
		t.Errorf("settled: %s", last.text)
	}
	if c.state == "Unconfirmed" {
		s.openQuestion(t, m)
	}
	want := append([]string{"submit: Approval Pending", "approve: Approved"}, c.steps...)
	if got := s.history(t, m.id); !slices.Equal(got, want) {
		t.Errorf("%s: history %q, want %q", l.scheme, got, want)
	}
}

// openQuestion holds that a message without an answer is named so everywhere, and nowhere called rejected.
func (s *stage) openQuestion(t *testing.T, m message) {
	t.Helper()
	r := s.transaction(t, m.id)
	errors := s.ok(t, "supervisor1", "/api/common/v1/error/list?pageSize=100", "")
	entries, _ := errors.at("errors").([]any)
	mine := slices.IndexFunc(entries, func(entry any) bool { return entry.(map[string]any)["internalId"] == m.id })
	if mine < 0 || !strings.Contains(errors.string("errors", mine, "message"), "may still settle") ||
		errors.string("errors", mine, "reasonCode") != "" {
		t.Errorf("in the list of errors: %s", errors.text)
	}
	if strings.Contains(r.text, "RJCT") || strings.Contains(r.text, "ejected") || r.at("transaction", "statusReason") != nil {
		t.Errorf("an open question is shown as rejected: %s", r.text)
	}
}

// course is one document on its way, and what crossed before it.
type course struct {
	lane     lane
	message  message // its id, and the transaction ID it is found by in the log
	document string
	before   []string
}

func courseOf(l lane, m message, document string) course {
	return course{lane: l, message: m, document: document}
}

// hold compares what crossed the wire.
func (c centsCase) hold(t *testing.T, s *stage, about course) {
	t.Helper()
	want := slices.Clone(about.before)
	for _, text := range c.wire {
		if suffix, ours := strings.CutPrefix(text, "in"); ours {
			text = about.document + suffix
		}
		want = append(want, strings.ReplaceAll(text, "POSITIVE", about.lane.positive))
	}
	list := s.wire(t, about.message.global, want...)
	ids := map[string]bool{}
	for _, l := range list {
		if strings.HasPrefix(l.String(), about.document) {
			ids[l.MessageID] = true
		}
	}
	if len(ids) != 1 {
		t.Errorf("the document travelled under %d message ids", len(ids))
	}
	asked := slices.Contains([]string{"93", "94", "98"}, c.cents)
	if !asked && inquiries(list) > 0 {
		t.Errorf("clearing was asked %d times about what it had answered", inquiries(list))
	}
	if !asked {
		return
	}
	least := 1
	if c.cents == "93" {
		least = 3
		s.atEnd(about.lane.scheme+" "+about.document+" .93", func(t *testing.T, s *stage) { c.staysOpen(t, s, about) })
	}
	if !poll(func() bool { return inquiries(s.lines(t, about.message.global)) >= least }) {
		t.Errorf("clearing was asked %d times, want %d", inquiries(s.lines(t, about.message.global)), least)
	}
}

// staysOpen: a message without any answer stays what it is.
func (c centsCase) staysOpen(t *testing.T, s *stage, about course) {
	t.Helper()
	s.is(t, about.message.id, "state", c.state, "statusReason.code", "", "settledAt", "")
	s.openQuestion(t, about.message)
}
