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

// TestARoleThatEndsBetweenSignInAndTheStep: a person who lost the role after the request was let in is told so, whatever the step, and nothing
// of it is stored but its refusal.
func TestARoleThatEndsBetweenSignInAndTheStep(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t, "I33")
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	settled := h.Create(t, maker, rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: settled.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	stored := func() (rows string) {
		err := h.DB.Owner(t).QueryRow(ctx, `SELECT concat_ws(' ', (SELECT count(*) FROM message), (SELECT count(*) FROM message_version),
			(SELECT count(*) FROM decision), (SELECT count(*) FROM message_history), (SELECT count(*) FROM document))`).Scan(&rows)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	before := stored()
	_, err = h.DB.Owner(t).Exec(
		ctx, "UPDATE user_role SET ended_at = $1 WHERE user_id = ANY ($2)", h.Clock.Now(), []any{maker.UserID, checker.UserID},
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, step := range map[string]struct {
		role identity.Role
		take func() error
	}{
		"create": {identity.RoleMaker, func() error { _, err := h.Submission.Create(ctx, maker, h.Order(rulebook.SchemeSIC)); return err }},
		"amend": {identity.RoleMaker, func() error {
			_, err := h.Submission.Amend(ctx, maker, m.InternalID, h.Order(rulebook.SchemeSIC))
			return err
		}},
		"approve": {identity.RoleChecker, func() error {
			_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
			return err
		}},
		"reject": {identity.RoleChecker, func() error {
			_, err := h.Approval.Reject(ctx, checker, service.Input{InternalID: m.InternalID}, "no")
			return err
		}},
	} {
		err := step.take()
		var forbidden *payment.ForbiddenError
		want := "You no longer have the role " + string(step.role) + ", so nothing was changed"
		if !errors.As(err, &forbidden) || !strings.HasPrefix(forbidden.Text.String(), want) {
			t.Errorf("%s: got %v, want a sentence about the role", name, err)
		}
	}
	if after := stored(); after != before {
		t.Errorf("something of it was stored: %s rows, before %s", after, before)
	}
	events, err := h.Reader.Audit(ctx, "demo", m.InternalID)
	if err != nil || len(events) != 4 {
		t.Errorf("%d rows in the trail, want the submission and three refusals: %v", len(events), err)
	}
}
