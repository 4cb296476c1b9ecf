package service_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// An administrator who gives roles must not be able to bring along a decider for what waits already.
func TestARoleGivenAfterwardsDoesNotDecide(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	waiting := h.Create(t, maker, rulebook.SchemeSIC)
	h.Clock.Add(time.Second)
	late := checkers(t, h, 1)[0]
	_, err := h.DB.Owner(t).Exec(ctx, "UPDATE user_role SET granted_at = $2 WHERE user_id = $1", late.UserID, h.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	late = h.Person(t, late.UserName)
	h.Clock.Add(time.Second)
	younger := h.Create(t, maker, rulebook.SchemeSIC)
	var forbidden *payment.ForbiddenError
	_, err = h.Approval.Approve(ctx, late, service.Input{InternalID: waiting.InternalID, ContentHash: &waiting.ContentHash, Version: 1})
	if !errors.As(err, &forbidden) || !strings.Contains(forbidden.Text.String(), "but this payment or request was entered earlier") {
		t.Errorf("approve: got %v, want a sentence about the role", err)
	}
	_, err = h.Approval.Reject(
		ctx, late, service.Input{InternalID: waiting.InternalID, ContentHash: &waiting.ContentHash, Version: 1}, "not ours",
	)
	if !errors.As(err, &forbidden) {
		t.Errorf("reject: got %v, want ForbiddenError", err)
	}
	after, err := h.Approval.Approve(ctx, late, service.Input{InternalID: younger.InternalID, ContentHash: &younger.ContentHash, Version: 1})
	if err != nil || after.State != payment.StateApproved {
		t.Errorf("a younger message: %s, %v", after.State, err)
	}
	seen, err := h.Messages.Message(ctx, "demo", younger.InternalID)
	grant, held := late.Grant("checker")
	if err != nil || !held || len(seen.Decisions) != 1 || seen.Decisions[0].Grant.ID != grant.ID {
		t.Errorf("the decision does not name its grant: %+v, %v", seen.Decisions, err)
	}
	after, err = h.Approval.Approve(
		ctx, h.Person(t, "checker1"), service.Input{InternalID: waiting.InternalID, ContentHash: &waiting.ContentHash, Version: 1},
	)
	if err != nil || after.State != payment.StateApproved {
		t.Errorf("a checker of before: %s, %v", after.State, err)
	}
}
