package clearing_test

import (
	"errors"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// TestAPlantedDocumentOfClearingMovesNothing: with the login of the service, a document that clearing never sent is written into the inbox,
// as one that waited for its payment. It moves no payment and brings none in, and it goes into quarantine with an alarm.
func TestAPlantedDocumentOfClearingMovesNothing(t *testing.T) {
	t.Parallel()
	const scheme = rulebook.SchemeSIC
	for name, c := range map[string]struct {
		document func(*testing.T, *servicetest.Env, payment.Message) clearing.Document
		until    time.Duration // of its waiting, from now on
	}{
		"a refusal": {document: func(t *testing.T, _ *servicetest.Env, m payment.Message) clearing.Document {
			return answer(t, m, "P", "RJCT", "AC04")
		}},
		"a payment": {document: func(t *testing.T, h *servicetest.Env, _ payment.Message) clearing.Document {
			return inbound(t, scheme, "P", transfer(t, h, scheme, "PLANTED", receiving[scheme]), nil)
		}},
		"a refusal behind a payment": {
			document: func(t *testing.T, _ *servicetest.Env, m payment.Message) clearing.Document {
				return answer(t, m, "P", "RJCT", "AC04")
			},
			until: time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			log := &testutil.Log{}
			h.Log = log
			m := approved(t, h, scheme)
			must(t, h.Clearing.Send(ctx, scheme, m.Realm, m.InternalID))
			document := c.document(t, h, m)
			_, err := h.DB.ConnectAsApplication(t, "(gateway)").Exec(ctx, `INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason,
					content, waits_for, wait_until, received_at, key_id, seal)
				SELECT $1, $2, $3, sha256($4), 'waiting', '', $4, 'GENUINE', $5, $5, 'test', sha256('')`,
				scheme, document.Reference, "pacs.002.001.10", document.Content, h.Clock.Now().Add(c.until))
			must(t, err)
			receive(t, h, inbound(t, scheme, "IN-GENUINE", transfer(t, h, scheme, "GENUINE", receiving[scheme]), nil))
			h.Clearing.RunOnce(ctx)
			if now := current(t, h, m); now.State != payment.StateProcessing {
				t.Errorf("the payment is %s", now.State)
			}
			if _, _, err = h.Incoming(ctx, scheme, "PLANTED"); err == nil {
				t.Error("a payment came in that clearing did not send")
			}
			var outcome, reason string
			must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT outcome, reason FROM inbox WHERE reference = $1", document.Reference).Scan(&outcome, &reason))
			if outcome != "quarantined" || alarms(log) == 0 {
				t.Errorf("the document is %s: %s, with %d alarms", outcome, reason, alarms(log))
			}
		})
	}
}

// TestCoreBankingIsNotToldOfAnEndThatWasNone: with the login of the service, a payment that clearing has is written as one that failed. Core
// banking keeps its reservation.
func TestCoreBankingIsNotToldOfAnEndThatWasNone(t *testing.T) {
	t.Parallel()
	h := withCore(t, time.Second, servicetest.Options{})
	log := &testutil.Log{}
	h.Log = log
	h.Network.Refuse = nil // clearing takes the payment and does not answer
	m := approved(t, h.Env, rulebook.SchemeSIC)
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	_, err := h.DB.ConnectAsApplication(t, m.Realm).Exec(ctx, `WITH planted AS (
			INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name, channel, at)
			SELECT realm, message_id, state_sequence + 1, kind, state, 'refuse', 'Failed', state_sequence, version, 'Clearing', 'clearing', now() FROM message)
		UPDATE message SET state = 'Failed', state_sequence = state_sequence + 1, state_since = now(), status_code = 'AC04'`)
	must(t, err)
	h.Clearing.RunOnce(ctx)
	if p := h.core.Payments(); len(p) != 1 || !p[0].Reserved || p[0].Result != "" || alarms(log) == 0 {
		t.Errorf("core banking has %+v, with %d alarms", p, alarms(log))
	}
}

// TestNothingIsAskedAboutAStateThatWasNone: with the login of the service, a payment that clearing has is written as settled. Nobody recalls it.
func TestNothingIsAskedAboutAStateThatWasNone(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	must(t, h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	_, err := h.DB.ConnectAsApplication(t, m.Realm).Exec(ctx, `WITH planted AS (
			INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name, channel, at)
			SELECT realm, message_id, state_sequence + 1, kind, state, 'settle', 'Settled', state_sequence, version, 'Clearing', 'clearing', now() FROM message)
		UPDATE message SET state = 'Settled', state_sequence = state_sequence + 1, state_since = now(), settled_at = now()`)
	must(t, err)
	var withheld *payment.WithheldError
	_, err = h.Submission.CreateRTransaction(ctx, h.Person(t, "maker1"), payment.RTransaction{
		Request: rulebook.Request{Reason: "CUST"}, Kind: payment.KindRecall, Scheme: m.Scheme, OriginalID: m.InternalID,
	})
	if !errors.As(err, &withheld) {
		t.Errorf("a recall of it: %v, want it withheld", err)
	}
}

// TestARecallIsNotAnsweredByAStateThatWasNone: with the login of the service, the return that answers a recall is written as settled. The
// recall waits on, with an alarm.
func TestARecallIsNotAnsweredByAStateThatWasNone(t *testing.T) {
	t.Parallel()
	const scheme = rulebook.SchemeSIC
	h := servicetest.New(t)
	log := &testutil.Log{}
	h.Log = log
	original, document := booked(t, h, scheme, "TX9")
	received := receivedRecall(t, h, original, document)
	m := request(t, h, payment.RTransaction{
		Request: rulebook.Request{Reason: "FOCR"}, Kind: payment.KindReturn, Scheme: scheme, OriginalID: original.InternalID,
	})
	send(t, h, m)
	_, err := h.DB.ConnectAsApplication(t, m.Realm).Exec(ctx, `WITH planted AS (
			INSERT INTO message_history (realm, message_id, sequence, kind, from_state, action, to_state, previous_sequence, version, actor_name, channel, at)
			SELECT realm, message_id, state_sequence + 1, kind, state, 'settle', 'Settled', state_sequence, version, 'Clearing', 'clearing', now()
			FROM message WHERE message_id = $1)
		UPDATE message SET state = 'Settled', state_sequence = state_sequence + 1, state_since = now(), settled_at = now() WHERE message_id = $1`,
		m.InternalID)
	must(t, err)
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateAwaitingDecision}.check(t, h, received)
	if alarms(log) == 0 {
		t.Error("no alarm is raised")
	}
}
