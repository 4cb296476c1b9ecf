package clearing_test

import (
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// answered is what came in as the answer to a recall: the newest message about the payment that the other bank made.
func answered(t *testing.T, h *servicetest.Env, recall payment.Message) payment.Message {
	t.Helper()
	list, err := h.Reader.Messages(
		ctx, recall.Realm, store.Filter{OriginalID: recall.OriginalID, Direction: string(payment.DirectionIn), PageSize: 10},
	)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d answers came in: %v", len(list), err)
	}
	return current(t, h, list[0])
}

func TestTheAnswerToARecallIsAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		for _, kind := range []payment.Kind{payment.KindReturn, payment.KindResolution} {
			h := servicetest.New(t)
			m, paid, sent := recalledPayment(t, h, scheme)
			var document iso20022.Document
			var err error
			state, recallState, reason := payment.StateSettled, payment.StateAccepted, "FOCR"
			if kind == payment.KindReturn {
				document, err = interbank.Return(interbank.RTransactionInput{
					Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: paid, Bank: "BBBBFRPPXXX", MessageID: "ANSWER",
					ID: "ANSWER", At: h.Clock.Now(), Day: h.Clock.Now(),
				})
			} else {
				document, err = interbank.Resolution(interbank.RTransactionInput{
					Request: rulebook.Request{Reason: "AC04"}, Scheme: scheme, Recall: sent, Bank: "BBBBFRPPXXX", MessageID: "ANSWER",
					ID: "ANSWER", At: h.Clock.Now(),
				})
				state, recallState, reason = payment.StateCommunicated, payment.StateRefused, "AC04"
			}
			receive(t, h, inbound(t, scheme, "ANSWER", document, err))
			got := answered(t, h, m)
			if got.Kind != kind || got.State != state || got.Reason != reason || got.AnswersID != m.InternalID || got.OriginalID != m.OriginalID ||
				got.Summary.Amount != m.Summary.Amount {
				t.Errorf(
					"%s: the answer is a %s %s %s of %s, about %s, to %s", scheme, got.State, got.Kind, got.Reason, got.Summary.Amount.Format(),
					got.OriginalID, got.AnswersID,
				)
			}
			if len(got.Makers) != 0 || got.ApprovalsRequired != 0 || got.Sequence != 1 || !kind.Final(got.State) {
				t.Errorf("%s: the answer has makers %v and needs %d approvals", scheme, got.Makers, got.ApprovalsRequired)
			}
			if now := current(t, h, m); now.State != recallState {
				t.Errorf("%s: the recall is %s", scheme, now.State)
			}
			holdDocuments(t, h, m, got)
			for _, name := range []string{"checker1", "both1"} {
				_, err = h.Approval.Approve(ctx, h.Person(t, name), service.Input{InternalID: got.InternalID})
				if err == nil {
					t.Errorf("%s decided on what came in", name)
				}
			}
			h.CheckInvariants(t)
		}
	}
}

// TestAnotherBankAnswersARecallOnce: a second answer, whether the same or the other one, is for an operator and moves nothing.
func TestAnotherBankAnswersARecallOnce(t *testing.T) {
	t.Parallel()
	for _, scheme := range rulebook.Schemes() {
		h := servicetest.New(t)
		m, paid, sent := recalledPayment(t, h, scheme)
		back := func(id string) clearing.Document {
			document, err := interbank.Return(interbank.RTransactionInput{
				Request: rulebook.Request{Reason: "FOCR"}, Scheme: scheme, Original: paid, Bank: "BBBBFRPPXXX", MessageID: id, ID: id,
				At: h.Clock.Now(), Day: h.Clock.Now(),
			})
			return inbound(t, scheme, id, document, err)
		}
		refused, err := interbank.Resolution(interbank.RTransactionInput{
			Request: rulebook.Request{Reason: "AC04"}, Scheme: scheme, Recall: sent, Bank: "BBBBFRPPXXX", MessageID: "NO", ID: "NO",
			At: h.Clock.Now(),
		})
		receive(t, h, back("ONE"))
		receive(t, h, back("TWO"))
		receive(t, h, inbound(t, scheme, "NO", refused, err))
		for id, why := range map[string]string{"TWO": "was already answered", "NO": "contradicts"} {
			outcome, reason := inboxOf(t, h, id)
			if outcome != "quarantined" || !strings.Contains(reason, why) {
				t.Errorf("%s: the second answer %s is %s: %s", scheme, id, outcome, reason)
			}
		}
		if got := answered(t, h, m); got.Kind != payment.KindReturn {
			t.Errorf("%s: the answer is a %s", scheme, got.Kind)
		}
		want{state: payment.StateAccepted}.check(t, h, m)
		h.CheckInvariants(t)
	}
}

// holdDocuments holds that the answer's document stands with the answer, and in the list of the recall too.
func holdDocuments(t *testing.T, h *servicetest.Env, recall, answer payment.Message) {
	t.Helper()
	for _, m := range []payment.Message{recall, answer} {
		list, err := h.Reader.Documents(ctx, m.Realm, store.DocumentFilter{MessageID: m.InternalID, PageSize: 50})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, d := range list {
			if d.MessageID == answer.InternalID && d.Direction == "in" && d.Reference == "ANSWER" {
				found++
			}
		}
		if found != 1 {
			t.Errorf("the documents of the %s show its answer %d times", m.Kind, found)
		}
	}
}

// TestWhatCameInCannotBeDecidedOrReleased tries to cheat with SQL as the application's role: an incoming return is never pending, never
// decided, never released, and no outgoing one passes for incoming.
func TestWhatCameInCannotBeDecidedOrReleased(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m, paid, _ := recalledPayment(t, h, rulebook.SchemeSCT)
	back, err := interbank.Return(interbank.RTransactionInput{
		Request: rulebook.Request{Reason: "FOCR"}, Scheme: m.Scheme, Original: paid, Bank: "BBBBFRPPXXX", MessageID: "ANSWER",
		ID: "ANSWER", At: h.Clock.Now(), Day: h.Clock.Now(),
	})
	receive(t, h, inbound(t, m.Scheme, "ANSWER", back, err))
	got := answered(t, h, m)
	id := "realm = 'demo' AND message_id = '" + got.InternalID.String() + "'"
	for what, statement := range map[string]string{
		"pending":  "UPDATE message SET state = 'Approval Pending' WHERE " + id,
		"accepted": "UPDATE message SET accepted_at = now() WHERE " + id,
		"released": `INSERT INTO release (realm, message_id, version, makers, content_hash, approvals_required, accepted_at, key_id, mac)
			SELECT realm, message_id, 1, makers, content_hash, 0, now(), 'test', sha256('x') FROM message_version WHERE ` + id,
		"decided": `INSERT INTO decision (realm, message_id, version, ordinal, makers, content_hash, approvals_required, checker_user,
			checker_person, client_id, channel, action, decided_at)
			SELECT v.realm, v.message_id, 1, 1, v.makers, v.content_hash, 1, u.user_id, u.person_id, 'portal', 'portal', 'approve', now()
			FROM message_version v, user_account u WHERE u.realm = 'demo' AND u.name = 'checker1' AND v.realm = 'demo'
			  AND v.message_id = '` + got.InternalID.String() + `'`,
	} {
		_, err := h.DB.ConnectAsApplication(t, "demo").Exec(ctx, statement)
		if err == nil || !strings.Contains(err.Error(), "violates") && !strings.Contains(err.Error(), "permission") {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.CheckInvariants(t)
}
