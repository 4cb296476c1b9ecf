package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

const (
	atPayment  = "/identifiers/internalId"
	atIncoming = "/identifiers/creditId"
)

func refusalScripts() []script {
	return slices.Concat(
		eachLane("recalls refused by the state of the payment", playWrongState),
		eachLane("requests refused by the rules of the scheme", playWrongRule),
		eachLane("requests of another realm", playOtherRealm),
		eachLane("requests after their time", playTooLate),
	)
}

// playWrongState: only what has settled can be recalled, and only what was booked can be sent back.
func playWrongState(t *testing.T, s *stage, l lane) {
	pending := s.instruct(t, l, s.order(l, "00"))
	failed := s.pay(t, l, "91")
	closed := s.instruct(t, l, s.order(l, "00"))
	s.reject(t, closed)
	settled, in := s.settled(t, l, "00"), s.booked(t, l, "30.00")
	s.until(t, failed.id, "state", "Failed")
	for _, m := range []message{pending, failed, closed, in.message} {
		s.refuses(t, l, request{kind: "recall", payment: m, reason: "DUPL"}, atPayment+" NARR")
	}
	recall := s.recalled(t, l, in, "CUST")
	for _, m := range []message{settled, pending, recall} {
		s.refuses(t, l, request{kind: "return", payment: m, reason: "AC04"}, atIncoming+" NARR")
	}
	second := s.booked(t, l, "31.00")
	s.refuses(t, l, request{kind: "resolution", payment: settled, recall: recall, reason: "CUST"}, atIncoming+" NARR")
	s.refuses(t, l, request{kind: "resolution", payment: second.message, recall: recall, reason: "CUST"}, "/identifiers/recallId NARR")
	s.refuses(t, l, request{kind: "resolution", payment: in.message, recall: second.message, reason: "CUST"}, "/identifiers/recallId NARR")
	s.refuses(t, l, request{kind: "recall", payment: recall, reason: "DUPL"}, atPayment+" NARR")
	s.wire(t, failed.global, "in pacs.008", "out pacs.002 RJCT AC04")
	s.wire(t, settled.global, "in pacs.008", "out pacs.002 "+l.positive)
	s.wire(t, second.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC")
	s.reject(t, pending)
}

// playWrongRule: reasons and lines are those of the scheme, and a payment goes back whole unless a recall is granted.
func playWrongRule(t *testing.T, s *stage, l lane) {
	settled, in, asked := s.settled(t, l, "00"), s.booked(t, l, "40.00"), s.booked(t, l, "41.00")
	recall := s.recalled(t, l, asked, "CUST")
	s.refuses(t, l, request{kind: "recall", payment: settled, reason: l.foreignTag}, "/RecallDetails/reason CH16")
	s.refuses(t, l, request{kind: "recall", payment: settled, reason: "FOCR"}, "/RecallDetails/reason CH16")
	s.refuses(t, l, request{kind: "return", payment: in.message, reason: "ABCD"}, "/ReturnDetails/reason CH16")
	s.refuses(t, l, request{kind: "return", payment: in.message, reason: "FOCR"}, "/ReturnDetails/reason CH16")
	s.refuses(t, l, request{kind: "return", payment: in.message, reason: "AC04", more: `,"chargeAmount":"5.00"`},
		"/ReturnDetails/chargeAmount CH17")
	s.refuses(t, l, request{kind: "resolution", payment: asked.message, recall: recall, reason: "FOCR"}, "/ResolutionDetails/reason CH16")
	if l.receipts {
		s.refuses(t, l, request{kind: "resolution", payment: asked.message, recall: recall, reason: "NARR"},
			"/ResolutionDetails/additionalInformation CH21")
	} else {
		s.refuses(t, l, request{kind: "recall", payment: settled, reason: "DUPL", information: "x"}, "/RecallDetails/additionalInformation CH17")
		s.refuses(t, l, request{kind: "return", payment: in.message, reason: "AC07"}, "/ReturnDetails/reason CH16") // ISO has it, SEPA has not
	}
	elsewhere := lanes()[0]
	if elsewhere.scheme == l.scheme {
		elsewhere = lanes()[1]
	}
	s.refuses(t, elsewhere, request{kind: "recall", payment: settled, reason: "CUST"}, atPayment+" NARR")
	s.refuses(t, elsewhere, request{kind: "return", payment: in.message, reason: "AC04"}, atIncoming+" NARR")
	s.is(t, settled.id, "recallStatus", "")
	s.is(t, in.id, "returnStatus", "")
	s.is(t, recall.id, "state", "Awaiting Decision")
	s.wire(t, settled.global, "in pacs.008", "out pacs.002 "+l.positive)
	s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC")
}

// playOtherRealm: to people of another realm our payments do not exist, whatever they try.
func playOtherRealm(t *testing.T, s *stage, l lane) {
	settled, in := s.settled(t, l, "00"), s.booked(t, l, "50.00")
	recall := s.recalled(t, l, in, "CUST")
	ours := s.submit(t, l, request{kind: "recall", payment: settled, reason: "CUST"})
	unknown := message{id: uuid.Must(uuid.NewV7()).String()}
	for _, m := range []message{settled, in.message, unknown} {
		s.refusesOf(t, other+"maker1", l, request{kind: "recall", payment: m, reason: "CUST"}, atPayment+" NARR")
		s.refusesOf(t, other+"maker1", l, request{kind: "return", payment: m, reason: "AC04"}, atIncoming+" NARR")
		s.refusesOf(t, other+"maker1", l, request{kind: "resolution", payment: m, recall: recall, reason: "CUST"}, atIncoming+" NARR")
	}
	for _, action := range []string{"approve", "reject"} {
		theirs := s.call(t, other+"checker1", approvalPath, verdict(ours, action))
		nobodys := s.call(t, other+"checker1", approvalPath, verdict(unknown, action))
		if theirs.status != http.StatusBadRequest || nobodys.status != theirs.status || theirs.groupStatus() != "RJCT" ||
			theirs.reasons() != nobodys.reasons() {
			t.Errorf("%s from another realm: %d %s, and of nobody's: %d %s", action, theirs.status, theirs.text, nobodys.status, nobodys.text)
		}
	}
	for _, m := range []message{settled, in.message, recall, ours} {
		if r := s.call(t, other+"checker1", "/api/common/v1/transaction/"+m.id, ""); r.status != http.StatusNotFound {
			t.Errorf("read from another realm: %d %s", r.status, r.text)
		}
	}
	s.is(t, ours.id, "state", "Approval Pending")
	s.is(t, recall.id, "state", "Awaiting Decision")
	s.reject(t, ours)
	s.wire(t, settled.global, "in pacs.008", "out pacs.002 "+l.positive)
}

// reasons are the StsRsnInf of a status report, as text.
func (r response) reasons() string {
	return fmt.Sprint(r.at("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "StsRsnInf"))
}

// playTooLate: SEPA has time limits; Swiss payments have none unless a setting says so. A deadline is sealed: moving it has the
// message withheld.
func playTooLate(t *testing.T, s *stage, l lane) {
	swiss := l.scheme == "sic-inst"
	settled, in := s.settled(t, l, "85"), s.booked(t, l, "70.00")
	s.back(t, settled, "accepted_at = accepted_at - interval '30 days'")
	s.back(t, in.message, "created_at = created_at - interval '30 days'")
	recall := request{kind: "recall", payment: settled, reason: "DUPL"}
	sendBack := request{kind: "return", payment: in.message, reason: "AC04"}
	if swiss {
		s.until(t, s.carryOut(t, l, sendBack).id, "state", "Settled")
		s.until(t, s.carryOut(t, l, recall).id, "state", l.acknowledged)
		s.wire(t, in.transaction, "out pacs.008", "in pacs.002 ACCP", "out pacs.002 ACSC", "in pacs.004 AC04", "out pacs.002 "+l.positive)
		s.wire(t, settled.global, "in pacs.008", "out pacs.002 "+l.positive, "in camt.056 DUPL", "out camt.025 ACCP")
		return
	}
	s.refuses(t, l, recall, atPayment+" TM01")
	s.refuses(t, l, sendBack, atIncoming+" TM01")
	recall.reason = "CUST" // has thirteen months
	m := s.submit(t, l, recall)
	s.back(t, m, "deadline = now() - interval '2 days'")
	r := s.call(t, "checker1", approvalPath, verdict(m, "approve"))
	if r.status != http.StatusBadRequest || !strings.Contains(r.text, "This payment or request is withheld.") {
		t.Errorf("approved with a deadline that somebody moved: %d %s", r.status, r.text)
	}
	s.forth(t)
	s.reject(t, m)
	s.back(t, settled, "accepted_at = accepted_at - interval '14 months'")
	s.refuses(t, l, recall, atPayment+" TM01")
	s.is(t, settled.id, "recallStatus", "")
	granted := s.recalled(t, l, in, "CUST")
	s.grant(t, l, in, granted, "") // the answer to a recall has no such limit
	s.wire(t, settled.global, "in pacs.008", "out pacs.002 "+l.positive)
}
