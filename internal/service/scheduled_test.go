package service_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// prepared is a payment of a maker for a day of March 2026; the clock stands on the second.
func prepared(t *testing.T, h *servicetest.Env, by identity.Principal, day int, amount string) payment.Message {
	t.Helper()
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, amount)
	order.Document.PaymentInformation[0].RequestedExecutionDate.Date = iso20022.DateOf(time.Date(2026, time.March, day, 0, 0, 0, 0, time.UTC))
	created, err := h.Submission.Create(ctx, by, order)
	if err != nil {
		t.Fatal(err)
	}
	return created.Message
}

// scheduled is a prepared payment of maker1 that checker1 approved.
func scheduled(t *testing.T, h *servicetest.Env, day int, amount string) payment.Message {
	t.Helper()
	m := prepared(t, h, h.Person(t, "maker1"), day, amount)
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil || m.State != payment.StateScheduled {
		t.Fatalf("approved before its day: %s: %v", m.State, err)
	}
	return m
}

func stateOf(t *testing.T, h *servicetest.Env, id uuid.UUID) payment.Message {
	t.Helper()
	m, err := h.Reader.Message(ctx, "demo", id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// midnight puts the clock to the first moment of a day of March 2026 in Zurich, which is the day before in UTC.
func midnight(h *servicetest.Env, day int) {
	h.Clock.Set(time.Date(2026, time.March, day, 0, 0, 0, 0, h.Clock.Now().Location()))
}

// TestAPreparedPaymentIsSentOnItsDay: not a second earlier, once, by whichever of two processes, also after a restart.
func TestAPreparedPaymentIsSentOnItsDay(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := scheduled(t, h, 4, "100.00")
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker2", Client: "demo-straight", Channel: identity.ChannelAPI})
	unapproved := prepared(t, h, straight, 4, "100.00")
	if unapproved.State != payment.StateScheduled {
		t.Fatalf("without need of approval it is %s", unapproved.State)
	}
	var state *payment.StateError
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker2"), service.Input{InternalID: m.InternalID})
	if !errors.As(err, &state) {
		t.Errorf("a further approval: %v", err)
	}
	midnight(h, 4)
	h.Clock.Add(-time.Second)
	h.Clearing.RunOnce(ctx)
	if err = h.Approval.Release(ctx, "demo", m.InternalID); err == nil {
		t.Error("released a second before its day")
	}
	if got := stateOf(t, h, m.InternalID); got.State != payment.StateScheduled || !got.AcceptedAt.IsZero() || len(h.Network.Delivered()) > 0 {
		t.Fatalf("before its day it is %s, and clearing got %d documents", got.State, len(h.Network.Delivered()))
	}
	midnight(h, 4)
	other := h.Again(t, servicetest.Options{})
	var both sync.WaitGroup
	for _, process := range []*servicetest.Env{h, other} {
		both.Go(func() {
			process.Clearing.RunOnce(ctx)
			process.Clearing.RunOnce(ctx)
		})
	}
	both.Wait()
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	for _, id := range []uuid.UUID{m.InternalID, unapproved.InternalID} {
		if got := stateOf(t, h, id); got.State != payment.StateProcessing {
			t.Errorf("on its day it is %s", got.State)
		}
	}
	sent := map[string]bool{}
	for _, d := range h.Network.Delivered() {
		sent[d.Reference] = true
		if !strings.Contains(d.Content, "<IntrBkSttlmDt>2026-03-04</IntrBkSttlmDt>") {
			t.Errorf("it does not settle on its day: %s", d.Content)
		}
	}
	if len(sent) != 2 {
		t.Errorf("clearing got %d payments", len(sent))
	}
	if got := trail(t, h, m.InternalID); got != "submit: approve: release: deliver:" {
		t.Errorf("the trail is %q", got)
	}
}

// TestAPreparedPaymentIsCheckedAgainOnItsDay: the terms in force then count, and a refusal ends it unsent, with its reason.
func TestAPreparedPaymentIsCheckedAgainOnItsDay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		code   string
	}{
		"more approvals": {
			"INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at) " +
				"VALUES ('demo', gen_random_uuid(), 50, 5000, 3, 3600, now())", "AM02",
		},
		"a second factor": {
			"INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at, step_up) " +
				"VALUES ('demo', gen_random_uuid(), 50, 5000, 1, 3600, now(), true)", "AM02",
		},
		"a closed account": {"UPDATE debtor_account SET open = false WHERE iban = '" + swissAccount + "'", "AC04"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := servicetest.New(t)
			defer h.CheckInvariants(t)
			m := scheduled(t, h, 3, "100.00")
			_, err := h.DB.Owner(t).Exec(ctx, c.change)
			if err != nil {
				t.Fatal(err)
			}
			h.DB.SealMasterData(t)
			midnight(h, 3)
			h.Clearing.RunOnce(ctx)
			got := stateOf(t, h, m.InternalID)
			if got.State != payment.StateFailed || got.StatusCode != c.code || got.StatusText == "" || len(h.Network.Delivered()) > 0 {
				t.Errorf("it is %s with %s %q, and clearing got %d documents", got.State, got.StatusCode, got.StatusText, len(h.Network.Delivered()))
			}
		})
	}
}

// TestASecondFactorOfAnApprovalHoldsOnTheDay: the policy asks for it, and the approval before the day had it.
func TestASecondFactorOfAnApprovalHoldsOnTheDay(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	askStepUp(t, h)
	m := prepared(t, h, h.Person(t, "maker1"), 3, "100.00")
	p, _ := takeUp(t, h)
	m, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), showing(m, p.code()))
	if err != nil || m.State != payment.StateScheduled {
		t.Fatalf("approved with a factor: %s %v", m.State, err)
	}
	midnight(h, 3)
	must(t, h.Approval.Release(ctx, "demo", m.InternalID))
	if got := stateOf(t, h, m.InternalID); got.State != payment.StateApproved || got.AcceptedAt.IsZero() {
		t.Errorf("on its day it is %s %s", got.State, got.StatusText)
	}
}

// TestAPaymentWithoutAPolicyOnItsDayWaits: it stays scheduled, and is released once a policy is in force.
func TestAPaymentWithoutAPolicyOnItsDayWaits(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := scheduled(t, h, 3, "100.00")
	retire := func(at string) {
		_, err := h.DB.Owner(t).Exec(ctx, "UPDATE policy SET retired_at = "+at+" WHERE realm = 'demo'")
		must(t, err)
		h.DB.SealMasterData(t)
	}
	retire("now()")
	midnight(h, 3)
	err := h.Approval.Release(ctx, "demo", m.InternalID)
	if got := stateOf(t, h, m.InternalID); !errors.Is(err, store.ErrNoPolicy) || got.State != payment.StateScheduled {
		t.Errorf("without a policy it is %s: %v", got.State, err)
	}
	retire("NULL")
	must(t, h.Approval.Release(ctx, "demo", m.InternalID))
	if got := stateOf(t, h, m.InternalID); got.State != payment.StateApproved {
		t.Errorf("with a policy it is %s", got.State)
	}
}

// TestAPreparedPaymentTakesOfTheLimitOfItsDay: two that only together pass the limit are both approved, and one of them is sent.
func TestAPreparedPaymentTakesOfTheLimitOfItsDay(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	limit(t, h, administration.Values{"limitOf": "account", "holder": swissAccount, "perPayment": "800.00", "perDay": "1000.00"})
	h.Clock.Add(time.Second)
	today := paid(t, h, "700.00")
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: today.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	one, two := scheduled(t, h, 3, "600.00"), scheduled(t, h, 3, "600.00")
	h.Clearing.RunOnce(ctx)
	midnight(h, 3)
	h.Clearing.RunOnce(ctx)
	h.Clearing.RunOnce(ctx)
	states := map[payment.State]string{}
	for _, id := range []uuid.UUID{one.InternalID, two.InternalID} {
		m := stateOf(t, h, id)
		states[m.State] = m.StatusCode
	}
	if code, failed := states[payment.StateFailed]; !failed || code != "AM14" || len(states) != 2 {
		t.Errorf("of two that pass the limit together: %v", states)
	}
	h.Clearing.RunOnce(ctx)
}

// TestAScheduledPaymentIsWithdrawn by its maker or a checker, and never both withdrawn and sent.
func TestAScheduledPaymentIsWithdrawn(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	var forbidden *payment.ForbiddenError
	for _, name := range []string{"maker1", "checker1", "checker2"} {
		m := scheduled(t, h, 3, "100.00")
		_, err := h.Submission.Withdraw(ctx, h.Person(t, "maker2"), m.InternalID, "")
		if !errors.As(err, &forbidden) {
			t.Errorf("another maker withdraws it: %v", err)
		}
		m, err = h.Submission.Withdraw(ctx, h.Person(t, name), m.InternalID, "Not needed.")
		if err != nil || m.State != payment.StateWithdrawn {
			t.Errorf("%s withdraws it: %s %v", name, m.State, err)
		}
	}
	pending := prepared(t, h, h.Person(t, "maker1"), 3, "100.00")
	_, err := h.Submission.Withdraw(ctx, h.Person(t, "checker1"), pending.InternalID, "")
	if !errors.As(err, &forbidden) {
		t.Errorf("a checker withdraws what waits for approval: %v", err)
	}
	var raced []payment.Message
	for range 12 {
		raced = append(raced, scheduled(t, h, 3, "100.00"))
	}
	midnight(h, 3)
	for _, m := range raced {
		var both sync.WaitGroup
		both.Go(func() {
			if err := h.Approval.Release(ctx, "demo", m.InternalID); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			var late *payment.StateError
			_, err := h.Submission.Withdraw(ctx, h.Person(t, "checker2"), m.InternalID, "Not needed.")
			if err != nil && !errors.As(err, &late) {
				t.Error(err)
			}
		})
		both.Wait()
	}
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	sent := len(h.Network.Delivered())
	for _, m := range raced {
		if stateOf(t, h, m.InternalID).State != payment.StateWithdrawn {
			sent--
		}
	}
	if sent != 0 {
		t.Errorf("%d payments more were sent than not withdrawn", sent)
	}
}

// TestRowsOfAScheduledPaymentAreNotTrusted: an earlier day, the state without its approval, or the rows of before a withdrawal release
// nothing.
func TestRowsOfAScheduledPaymentAreNotTrusted(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	early, back, waits := scheduled(t, h, 5, "100.00"), scheduled(t, h, 3, "100.00"), prepared(t, h, h.Person(t, "maker1"), 3, "100.00")
	conn := h.DB.Connect(t)
	was := rowsOf(t, conn, back)
	_, err := h.Submission.Withdraw(ctx, h.Person(t, "maker1"), back.InternalID, "")
	must(t, err)
	h.Notary.Sweep(ctx)
	putRowsBack(t, conn, back, was)
	_, err = conn.Exec(ctx, "UPDATE message SET execution_day = '2026-03-02T00:00:00Z' WHERE message_id = $1", early.InternalID)
	must(t, err)
	_, err = conn.Exec(ctx, "UPDATE message SET state = 'Scheduled' WHERE message_id = $1", waits.InternalID)
	must(t, err)
	midnight(h, 3)
	for _, process := range []*servicetest.Env{h, restarted(t, h)} {
		process.Clock.Set(h.Clock.Now())
		for name, m := range map[string]payment.Message{"an earlier day": early, "withdrawn": back, "not approved": waits} {
			var withheld *payment.WithheldError
			err := process.Approval.Release(ctx, "demo", m.InternalID)
			if !errors.As(err, &withheld) {
				t.Errorf("%s: %v, want it withheld", name, err)
			}
		}
		process.Clearing.RunOnce(ctx)
		sentNothing(t, process)
	}
}
