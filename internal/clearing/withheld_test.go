package clearing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// TestNothingIsMadeOfAPaymentThatSomebodyBroke: a person who writes into the database an incoming payment, or the amount of one, gets no return
// of it by an honest checker: nothing that is made of it gets a seal. The same holds for an answer to a recall and for a recall of ours.
func TestNothingIsMadeOfAPaymentThatSomebodyBroke(t *testing.T) {
	t.Parallel()
	const amount, reason = "UPDATE message_version SET amount = 900000 WHERE message_id = $1",
		"UPDATE message SET reason = 'DUPL' WHERE message_id = $1"
	const content = "UPDATE document SET content = convert_to(replace(convert_from(content, 'UTF8'), '>100.00<', '>900.00<'), 'UTF8') WHERE " +
		"message_id = $1 AND direction = 'in'"
	for name, c := range map[string]struct {
		kind    payment.Kind
		reason  string
		recall  bool // the recall is changed, not the payment
		changed string
		event   string // of the refusal
	}{
		"a return of another amount":            {payment.KindReturn, "AC04", false, amount, "payment.return-refused"},
		"a return of another document":          {payment.KindReturn, "AC04", false, content, "payment.return-refused"},
		"a refusal for a payment that is not":   {payment.KindResolution, "CUST", false, amount, "payment.resolution-refused"},
		"a refusal of a recall that is not":     {payment.KindResolution, "CUST", true, reason, "received recall.resolution-refused"},
		"a recall of another amount than went":  {payment.KindRecall, "DUPL", false, amount, "instruction.recall-refused"},
		"a recall of another document than was": {payment.KindRecall, "DUPL", false, content, "instruction.recall-refused"},
	} {
		h := servicetest.New(t)
		asked := payment.RTransaction{Request: rulebook.Request{Reason: c.reason}, Kind: c.kind, Scheme: rulebook.SchemeSIC}
		switch c.kind {
		case payment.KindRecall:
			asked.OriginalID = settled(t, h, rulebook.SchemeSIC).InternalID
		default:
			original, document := booked(t, h, rulebook.SchemeSIC, "TX9")
			asked.OriginalID = original.InternalID
			if c.kind == payment.KindResolution {
				asked.RecallID = receivedRecall(t, h, original, document).InternalID
			}
		}
		broken := asked.OriginalID
		if c.recall {
			broken = asked.RecallID
		}
		execute(t, superuser(t, h), c.changed, broken)
		preview, err := h.Submission.PreviewRTransaction(ctx, h.Person(t, "maker1"), asked)
		var withheld *payment.WithheldError
		if err != nil || !errors.As(preview.Ineligible, &withheld) {
			t.Errorf("%s is offered: %v %v", name, preview.Ineligible, err)
		}
		made, err := h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), asked)
		if !errors.As(err, &withheld) || withheld.Message.InternalID != broken {
			t.Errorf("%s is made: %v %v", name, made.Message.State, err)
		}
		events, err := h.Reader.Audit(ctx, "demo", broken)
		if err != nil || !slices.ContainsFunc(events, func(e store.HistoryEvent) bool { return e.Event == c.event && e.Refused }) {
			t.Errorf("%s: no %s in the trail: %+v %v", name, c.event, events, err)
		}
	}
}

// recalling is what another bank sends to have a payment back, which it is called by.
func recalling(t *testing.T, h *servicetest.Env, original *iso20022.FIToFICustomerCreditTransfer, in interbank.RTransactionInput,
) *iso20022.FIToFIPaymentCancellationRequest {
	t.Helper()
	in.Original, in.MessageID, in.At = original, in.ID, h.Clock.Now()
	recall, err := interbank.CancellationRequest(in)
	if err != nil {
		t.Fatal(err)
	}
	return recall
}

// byCustomer is the recall RE1 that a customer asked for.
func byCustomer(scheme rulebook.Scheme) interbank.RTransactionInput {
	return interbank.RTransactionInput{Request: rulebook.Request{Reason: "CUST"}, Scheme: scheme, ID: "RE1"}
}

// receivedRecall brings the recall of an incoming payment in.
func receivedRecall(
	t *testing.T, h *servicetest.Env, original payment.Message, document *iso20022.FIToFICustomerCreditTransfer,
) payment.Message {
	t.Helper()
	receive(t, h, inbound(t, original.Scheme, "RE1", recalling(t, h, document, byCustomer(original.Scheme)), nil))
	id, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if err != nil {
		t.Fatal(err)
	}
	return current(t, h, payment.Message{Realm: original.Realm, InternalID: id})
}

// TestARecallThatIsDueMakesANotice to makers with an address.
func TestARecallThatIsDueMakesANotice(t *testing.T) {
	t.Parallel()
	h := servicetest.With(t, servicetest.Options{Mail: &service.MailConfig{Address: "127.0.0.1:1", Security: service.MailPlain}})
	original, document := booked(t, h, rulebook.SchemeSIC, "TX1")
	recall := receivedRecall(t, h, original, document)
	execute(t, superuser(t, h), "UPDATE user_account SET email = 'm@bank.example' WHERE realm = 'demo' AND name IN ('maker1', 'checker1')")
	notices := func() (list string) {
		err := h.DB.Owner(t).QueryRow(ctx, "SELECT coalesce(string_agg(u.name || ' ' || n.kind || ' ' || n.message_id, ','), '') FROM notice n "+
			"JOIN user_account u USING (realm, user_id)").Scan(&list)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	h.Clearing.RunOnce(ctx)
	if got := notices(); got != "" {
		t.Errorf("long before it is due: %s", got)
	}
	h.Clock.Set(recall.AnswerBy.Add(-71 * time.Hour))
	h.Clearing.RunOnce(ctx)
	if got := notices(); got != "maker1 recall "+recall.InternalID.String() {
		t.Errorf("when it is due: %q", got)
	}
}

// TestARecallOfAPaymentThatSomebodyBrokeGoesToQuarantine: it would else show the broken payment under a seal of its own.
func TestARecallOfAPaymentThatSomebodyBrokeGoesToQuarantine(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := &testutil.Log{}
	h.Log = log
	original, document := booked(t, h, rulebook.SchemeSIC, "TX9")
	execute(t, superuser(t, h), "UPDATE message_version SET debtor_name = 'Mallory' WHERE message_id = $1", original.InternalID)
	before := outbox(t, h)
	receive(t, h, inbound(t, original.Scheme, "RE1", recalling(t, h, document, byCustomer(original.Scheme)), nil))
	if outcome, reason := inboxOf(t, h, "RE1"); outcome != "quarantined" || !strings.Contains(reason, "withheld") {
		t.Errorf("the recall is %s: %s", outcome, reason)
	}
	_, err := h.Messages.ReceivedRecallOf(ctx, original.Realm, original.InternalID)
	if !errors.Is(err, payment.ErrNotFound) || outbox(t, h) != before || alarms(log) != 1 {
		t.Errorf("the recall was taken: %v, %d alarms", err, alarms(log))
	}
}

// TestAnAnswerToARecallThatSomebodyBrokeGoesToQuarantine: the answer would else be a message with the broken fields of the recall.
func TestAnAnswerToARecallThatSomebodyBrokeGoesToQuarantine(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := &testutil.Log{}
	h.Log = log
	recall, paid, sent := recalledPayment(t, h, rulebook.SchemeSIC)
	recall = current(t, h, recall)
	execute(t, superuser(t, h), "UPDATE message_version SET debtor_name = 'Mallory' WHERE message_id = $1", recall.InternalID)
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{
			Reason: "FOCR",
		},
		Scheme: recall.Scheme, Original: paid, Bank: "BBBBFRPPXXX", MessageID: "RET", ID: "RET",
		At:  h.Clock.Now(),
		Day: h.Clock.Now(),
	})
	receive(t, h, inbound(t, recall.Scheme, "RET", back, err))
	no, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "CUST"}, Scheme: recall.Scheme, Recall: sent, Bank: "BBBBFRPPXXX", MessageID: "NO", ID: "NO",
		At: h.Clock.Now(),
	})
	receive(t, h, inbound(t, recall.Scheme, "NO", no, err))
	for _, reference := range []string{"RET", "NO"} {
		if outcome, reason := inboxOf(t, h, reference); outcome != "quarantined" || !strings.Contains(reason, "withheld") {
			t.Errorf("%s is %s: %s", reference, outcome, reason)
		}
	}
	if now := current(t, h, recall).State; now != recall.State || alarms(log) != 1 {
		t.Errorf("the recall is %s and was %s, %d alarms", now, recall.State, alarms(log))
	}
}
