package clearing_test

import (
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// TestAClockThatIsSetBackHoldsNothingUp: what was accepted, or is to be asked about, an hour ahead is not left for that hour.
func TestAClockThatIsSetBackHoldsNothingUp(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	sent, unsent, asked := approved(t, h, rulebook.SchemeSIC), approved(t, h, rulebook.SchemeSIC), approved(t, h, rulebook.SchemeSCT)
	send(t, h, sent)
	send(t, h, asked)
	h.Clock.Add(11 * time.Second)
	_, err := h.Messages.Transact(ctx, asked.Realm, asked.InternalID, func(m payment.Message) (payment.Transition, error) {
		return m.TimeOut(10*time.Second, h.Clock.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Clock.Add(-11*time.Second - time.Second) // a step that clocks make all the time changes nothing
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateProcessing}.check(t, h, sent)
	want{state: payment.StateApproved}.check(t, h, unsent)
	h.Clock.Add(-time.Hour)
	h.Clearing.RunOnce(ctx)
	h.Clearing.RunOnce(ctx)
	for _, m := range []payment.Message{sent, unsent} {
		want{state: payment.StateUnconfirmed}.check(t, h, m)
	}
	references := map[string]int{}
	for _, d := range h.Network.Delivered() {
		references[d.Reference]++
	}
	for _, m := range []payment.Message{sent, unsent, asked} {
		if references["P8"+string(m.GlobalID)] != 1 || references["P28"+string(m.GlobalID)+"-1"] != 1 {
			t.Errorf("clearing got %v: want the payment %s once and one question about it", references, m.GlobalID)
		}
	}
	receive(t, h, answer(t, sent, "A1", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, sent)
}

// TestAClockThatIsSetBackALittleIsLateByThat: three seconds are taken back between two looks. Nothing is unconfirmed before its ten seconds
// are over by the clock that it was accepted by, nothing later, and nothing is sent twice.
func TestAClockThatIsSetBackALittleIsLateByThat(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	h.Clock.Add(9 * time.Second)
	h.Clearing.RunOnce(ctx)
	for _, step := range []time.Duration{-3 * time.Second, time.Second, 2900 * time.Millisecond} {
		h.Clock.Add(step)
		h.Clearing.RunOnce(ctx)
		want{state: payment.StateProcessing}.check(t, h, m)
	}
	h.Clock.Add(200 * time.Millisecond)
	h.Clearing.RunOnce(ctx)
	want{state: payment.StateUnconfirmed}.check(t, h, m)
	for _, step := range []time.Duration{-3 * time.Second, 5 * time.Second, 0} { // and once more, before it is asked about
		h.Clock.Add(step)
		h.Clearing.RunOnce(ctx)
	}
	references := map[string]int{}
	for _, d := range h.Network.Delivered() {
		references[d.Reference]++
	}
	again := references["P28"+string(m.GlobalID)+"-2"] // due where the first was asked as soon as the payment was unconfirmed
	if references["P8"+string(m.GlobalID)] != 1 || references["P28"+string(m.GlobalID)+"-1"] != 1 || again > 1 || len(references) != 2+again {
		t.Errorf("clearing got %v: want the payment once, and each question about it once", references)
	}
	receive(t, h, answer(t, m, "A1", "ACSC", ""))
	want{state: payment.StateSettled}.check(t, h, m)
}

// TestAPaymentThatSomebodyHoldsIsInNobodysWay: of payments that are overdue one is locked in the database, as by a process that is gone
// without a word. The others are unconfirmed at once, and it is as soon as it is let go.
func TestAPaymentThatSomebodyHoldsIsInNobodysWay(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	held := approved(t, h, rulebook.SchemeSIC) // the oldest: it is looked at first
	send(t, h, held)
	for range 5 {
		h.Clock.Add(time.Millisecond)
		send(t, h, approved(t, h, rulebook.SchemeSIC))
	}
	holder := h.DB.Connect(t)
	_, err := holder.Exec(ctx, "BEGIN; SELECT FROM message WHERE message_id = '"+held.InternalID.String()+"' FOR UPDATE")
	must(t, err)
	h.Clock.Add(11 * time.Second)
	unconfirmed := func() (count int) {
		must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM message WHERE state = 'Unconfirmed'").Scan(&count))
		return count
	}
	for looks := 0; looks < 20 && unconfirmed() < 5; looks++ { // a busy machine needs more than one
		h.Clearing.RunOnce(ctx)
	}
	if n := unconfirmed(); n != 5 {
		t.Errorf("%d payments are unconfirmed beside the one that is held, want 5", n)
	}
	_, err = holder.Exec(ctx, "ROLLBACK")
	must(t, err)
	h.Clock.Add(time.Second)
	h.Clearing.RunOnce(ctx)
	if n := unconfirmed(); n != 6 {
		t.Errorf("%d payments are unconfirmed, want all 6", n)
	}
}
