package clearing_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/rtransactionrule"
	"countersign/internal/stationtest"
)

// answeredRecall brings a payment and its recall in, refuses the recall, and returns the inquiry of the other bank about it.
func answeredRecall(t *testing.T, h *stationtest.House, scheme rulebook.Scheme) (answer payment.Message, ask func(reference string)) {
	t.Helper()
	original, document := booked(t, h, scheme, "TX9")
	recall, err := interbank.CancellationRequest(interbank.RTransactionInput{Request: rtransactionrule.Request{Reason: "CUST"}, Scheme: scheme, Original: document, MessageID: "RE1", ID: "RE1", At: h.Clock.Now()})
	receive(t, h, inbound(t, scheme, "RE1", recall, err))
	id, err := h.Store.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	answer = request(t, h, payment.RTransaction{Request: rtransactionrule.Request{Reason: "CUST"}, Kind: payment.KindResolution, Scheme: scheme, OriginalID: original.InternalID, RecallID: id})
	send(t, h, answer)
	return answer, func(reference string) {
		t.Helper()
		question, err := interbank.RecallStatusRequest(interbank.RecallStatusRequestInput{Scheme: scheme, Recall: recall, Reference: reference, RequestID: reference, At: h.Clock.Now()})
		receive(t, h, inbound(t, scheme, reference, question, err))
	}
}

// sentTimes counts how often clearing got a document, and fails when its bytes were not the same every time.
func sentTimes(t *testing.T, h *stationtest.House, reference string) int {
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
		h := stationtest.New(t)
		answer, ask := answeredRecall(t, h, scheme)
		h.Network.Refuse = func(stationtest.Delivery) error { return errors.New("down") }
		ask("Q1")
		look(h)
		if n := sentTimes(t, h, answer.Reference()); n != 1 {
			t.Fatalf("%s: sent %d times before the outage ended", scheme, n)
		}
		h.Network.Refuse = nil
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
		"before": "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'CUST', 'NOAS'), 'UTF8') WHERE name LIKE 'camt.029%'",
		"after":  "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), 'CUST', 'NOAS'), 'UTF8') WHERE name LIKE 'camt.029%'",
	} {
		h := stationtest.New(t)
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
