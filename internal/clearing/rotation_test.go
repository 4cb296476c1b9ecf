package clearing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

const newKey = "release-2027 2727272727272727272727272727272727272727272727272727272727272727"

func TestAfterARotationTheOlderKeyStillVerifies(t *testing.T) {
	t.Parallel()
	before := servicetest.New(t)
	old := approved(t, before, rulebook.SchemeSIC)
	waiting := before.Create(t, before.Person(t, "maker1"), rulebook.SchemeSIC)
	after := before.WithKeys(t, newKey, storetest.Key)
	send(t, after, old)
	_, err := after.Approval.Approve(ctx, after.Person(t, "checker1"), service.Input{InternalID: waiting.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	send(t, after, waiting)
	if n := len(after.Network.Delivered()); n != 2 {
		t.Fatalf("clearing got %d documents, want both", n)
	}
	var keys string
	err = after.DB.Owner(t).QueryRow(ctx, "SELECT string_agg(key_id, ' ' ORDER BY accepted_at, message_id) FROM release").Scan(&keys)
	if err != nil || keys != "test release-2027" {
		t.Errorf("sealed with %q: %v", keys, err)
	}
	after.CheckInvariants(t)
}

func TestWithoutItsKeyAMessageIsHeldAndSentWhenTheKeyIsBack(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	booked(t, h, rulebook.SchemeSIC, "TX1")
	lost := h.WithKeys(t, newKey)
	log := listen(lost)
	if err := lost.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID); !errors.Is(err, payment.ErrUnknownKey) {
		t.Errorf("sending without the key: %v", err)
	}
	for range 10 {
		lost.Clock.Add(time.Second / 2)
		lost.Clearing.RunOnce(ctx)
	}
	if n := len(h.Network.Delivered()); n != 0 || alarms(log) != 2 {
		t.Errorf("clearing got %d documents, and there were %d alarms, want one for the payment and one for the answer:\n%s", n, alarms(log), log)
	}
	want{state: payment.StateApproved}.check(t, lost, m)
	if err := lost.Messages.CheckKeys(ctx); err == nil || !strings.Contains(err.Error(), "the key test ") {
		t.Errorf("a start without the key: %v", err)
	}
	back := h.WithKeys(t, newKey, storetest.Key)
	if err := back.Messages.CheckKeys(ctx); err != nil {
		t.Error(err)
	}
	back.Clearing.RunOnce(ctx)
	if n := len(h.Network.Delivered()); n != 2 {
		t.Errorf("with the key back clearing got %d documents, want the payment and the answer", n)
	}
	want{state: payment.StateProcessing}.check(t, back, m)
}
