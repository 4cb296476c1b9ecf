package service_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestASmallPaymentCannotGrowPastItsCheckers: an amendment into a band that asks for more approvals is refused, by the maker and by an
// editor, through the portal and the API; one within the band is taken.
func TestASmallPaymentCannotGrowPastItsCheckers(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	straight := h.Principal(t, servicetest.Door{Realm: "demo", Name: "maker2", Client: "demo-straight", Channel: identity.ChannelAPI})
	m := h.Create(t, maker, rulebook.SchemeSIC)
	for name, editor := range map[string]identity.Principal{
		"maker": maker, "editor": h.Person(t, "maker2"), "client without four-eyes": straight,
	} {
		order := h.Order(rulebook.SchemeSIC)
		servicetest.SetAmount(order.Document, "10000.00")
		_, err := h.Submission.Amend(ctx, editor, m.InternalID, order)
		wantPolicyRefusal(t, name, err)
	}
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "9999.99")
	amended, err := h.Submission.Amend(ctx, maker, m.InternalID, order)
	if err != nil || amended.Version != 2 || amended.ApprovalsRequired != 1 {
		t.Errorf("within the band: version %d, %d approvals: %v", amended.Version, amended.ApprovalsRequired, err)
	}
}

// TestAPaymentThatShrinksKeepsItsCheckers: content that needs fewer approvals leaves the number as it was.
func TestAPaymentThatShrinksKeepsItsCheckers(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "10000.00")
	created, err := h.Submission.Create(ctx, maker, order)
	if err != nil || created.Message.ApprovalsRequired != 2 {
		t.Fatalf("%d approvals: %v", created.Message.ApprovalsRequired, err)
	}
	order = h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "1.00")
	m, err := h.Submission.Amend(ctx, maker, created.Message.InternalID, order)
	if err != nil || m.ApprovalsRequired != 2 {
		t.Fatalf("%d approvals: %v", m.ApprovalsRequired, err)
	}
	m, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	if err != nil || m.State != payment.StateApprovalPending {
		t.Errorf("after one approval of two it is %s: %v", m.State, err)
	}
}

// TestAPolicyThatCameLaterIsAskedAtTheApproval: whatever the order of events, nothing is approved by fewer people than the policy in
// force asks for. It can still be rejected, and the refusal is in its audit trail.
func TestAPolicyThatCameLaterIsAskedAtTheApproval(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	checker := h.Person(t, "checker1")
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.DB.Owner(t).Exec(
		ctx,
		`INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at)
		VALUES ('demo', gen_random_uuid(), 50, 5000, 3, 3600, now())`,
	)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	wantPolicyRefusal(t, "approval", err)
	events, err := h.Reader.Audit(ctx, "demo", m.InternalID)
	if err != nil || len(events) != 2 || events[1].Event != "instruction.approve-refused" ||
		!strings.Contains(events[1].Detail, "3 approvals") {
		t.Errorf("the audit trail: %+v %v", events, err)
	}
	_, err = h.Approval.Reject(ctx, checker, service.Input{InternalID: m.InternalID}, "to be entered anew")
	if err != nil {
		t.Errorf("reject: %v", err)
	}
}

// TestAMessageWithFewerApprovalsThanItsPolicyAskedIsWithheld: the policy of its time asked for three approvals, but it was given one.
// Nobody sees it as good, nobody approves it, also when that policy is retired by now, and the auditor names it.
func TestAMessageWithFewerApprovalsThanItsPolicyAskedIsWithheld(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.DB.Owner(t).Exec(
		ctx,
		`INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at, retired_at)
		VALUES ('demo', gen_random_uuid(), 50, 5000, 3, 3600, $1::timestamptz - interval '1 day', $1::timestamptz + interval '1 second')`,
		m.CreatedAt,
	)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	const sentence = "The stored payment or request requires 1 approval, but the policy at the time of entry required 3 approvals. " +
		"Do not continue. Ask an operator to run “countersign check”."
	seen, err := h.Reader.Message(ctx, "demo", m.InternalID)
	if err != nil || seen.Withheld.String() != sentence {
		t.Errorf("shown as %q: %v", seen.Withheld, err)
	}
	var withheld *payment.WithheldError
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID, ContentHash: &m.ContentHash})
	if !errors.As(err, &withheld) {
		t.Errorf("approve: %v", err)
	}
	named := false
	for _, i := range h.Check(t).Invariants {
		for _, v := range i.Violations {
			named = named || i.ID == "I22" && v.Key == m.InternalID.String()+" 1" && strings.Contains(v.What, "asked for 3")
		}
	}
	if !named {
		t.Error("the auditor does not name it")
	}
}

// TestAPolicyOfAMomentAgoIsNoFault: a message that was read a moment before its policy was changed keeps what it was given then.
func TestAPolicyOfAMomentAgoIsNoFault(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	m := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.DB.Owner(t).Exec(
		ctx,
		`INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at, retired_at)
		VALUES ('demo', gen_random_uuid(), 50, 5000, 3, 3600, $1::timestamptz - interval '1 second', $1::timestamptz + interval '1 second')`,
		m.CreatedAt,
	)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	approved, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: m.InternalID})
	if err != nil || approved.State != payment.StateApproved {
		t.Errorf("%s %v", approved.State, err)
	}
}

func wantPolicyRefusal(t *testing.T, name string, err error) {
	t.Helper()
	var refused *payment.RefusalError
	if !errors.As(err, &refused) || refused.Findings[0].Rule != rulebook.RuleApprovalPolicy || !strings.Contains(refused.Error(), "again") {
		t.Errorf("%s: %v", name, err)
	}
}
