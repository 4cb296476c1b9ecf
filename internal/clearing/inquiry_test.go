package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// answeredRecall brings a payment and its recall in, refuses the recall, and returns the inquiry of the other bank about it.
func answeredRecall(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme) (answer payment.Message, ask func(reference string)) {
	t.Helper()
	original, document := booked(t, h, scheme, "TX9")
	recall := recalling(t, h, document, byCustomer(scheme))
	receive(t, h, inbound(t, scheme, "RE1", recall, nil))
	id, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	answer = request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindResolution, Scheme: scheme,
		OriginalID: original.InternalID, RecallID: id,
	})
	send(t, h, answer)
	return answer, func(reference string) {
		t.Helper()
		question, err := interbank.StatusRequest(
			interbank.StatusRequestInput{Scheme: scheme, About: recall, Reference: reference, RequestID: reference, At: h.Clock.Now()},
		)
		receive(t, h, inbound(t, scheme, reference, question, err))
	}
}

// sentTimes counts how often clearing got a document, and fails when its bytes were not the same every time.
func sentTimes(t *testing.T, h *servicetest.Env, reference string) int {
	t.Helper()
	times, content := 0, ""
	for _, d := range h.Network.Delivered() {
		if d.Reference != reference {
			continue
		}
		times++
		if content != "" && content != d.Content {
			t.Errorf("%s had other bytes the second time", reference)
		}
		content = d.Content
	}
	return times
}

func TestTheAnswerToAnInquiryOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		answer, ask := answeredRecall(t, h, scheme)
		h.Network.Refuse = func(servicetest.Delivery) error { return errors.New("down") }
		ask("Q1")
		look(h)
		if n := sentTimes(t, h, answer.Reference()); n != 1 {
			t.Fatalf("%s: sent %d times before the outage ended", scheme, n)
		}
		h.Network.Refuse = nil
		tried(t, h)
		look(h)
		if n := sentTimes(t, h, answer.Reference()); n != 2 {
			t.Errorf("%s: sent %d times, want once more for the inquiry", scheme, n)
		}
		ask("Q2")
		h.Clock.Add(3 * time.Second)
		look(h)
		if n := sentTimes(t, h, answer.Reference()); n != 3 {
			t.Errorf("%s: sent %d times after a second inquiry", scheme, n)
		}
		h.CheckInvariants(t)
	}
}

func TestAnAnswerThatWasChangedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for when, change := range map[string]string{
		"before": "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'CUST', 'NOAS'), 'UTF8') WHERE name LIKE " +
			"'camt.029%'",
		"after": "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'CUST', 'NOAS'), 'UTF8') WHERE name LIKE " +
			"'camt.029%'",
	} {
		h := servicetest.New(t)
		log := listen(h)
		answer, ask := answeredRecall(t, h, rulebook.SchemeSCT)
		owner := superuser(t, h)
		if when == "before" {
			execute(t, owner, change)
		}
		ask("Q1")
		if when == "after" {
			execute(t, owner, change)
		}
		look(h)
		if n := sentTimes(t, h, answer.Reference()); n != 1 || alarms(log) != 1 {
			t.Errorf("changed %s the inquiry: sent %d times, %d alarms", when, n, alarms(log))
		}
	}
}

func TestAQuestionAboutAPaymentThatSomebodyBrokeGoesToQuarantineOnce(t *testing.T) {
	t.Parallel()
	for what, tamper := range map[string]string{
		"unreadable": `UPDATE document SET content = 'x' WHERE message_id = $1`,
		"another amount": `UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), '100.00', '900.00'), 'UTF8') WHERE ` +
			`message_id = $1`,
	} {
		h := servicetest.New(t)
		original, document := booked(t, h, rulebook.SchemeSIC, "TX9")
		execute(t, superuser(t, h), tamper, original.InternalID)
		question, err := interbank.StatusRequest(
			interbank.StatusRequestInput{Scheme: rulebook.SchemeSIC, About: document, Reference: "Q1", RequestID: "Q1", At: h.Clock.Now()},
		)
		asked := inbound(t, rulebook.SchemeSIC, "Q1", question, err)
		before := outbox(t, h)
		receive(t, h, asked)
		if outcome, reason := inboxOf(t, h, "Q1"); outcome != "quarantined" || !strings.Contains(reason, "withheld") {
			t.Errorf("%s: %s %s", what, outcome, reason)
		}
		if err := h.Clearing.Receive(ctx, asked); !errors.Is(err, clearing.ErrDuplicate) {
			t.Errorf("%s: asked again: %v", what, err)
		}
		if after := outbox(t, h); after != before {
			t.Errorf("%s: answered all the same", what)
		}
	}
}
