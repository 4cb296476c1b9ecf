package store_test

import (
	"context"
	"errors"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestADecisionAboutAnOlderStateChangesNothing: the statement that moves a message asks itself where the message stands, besides the lock
// under which it was read. The decision here was made about the message as it was before the first of two approvals, which left its state
// as it was.
func TestADecisionAboutAnOlderStateChangesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := servicetest.New(t)
	defer h.CheckInvariants(t)
	maker := h.Person(t, "maker1")
	order := h.Order(rulebook.SchemeSIC)
	servicetest.SetAmount(order.Document, "20000.00")
	created, err := h.Submission.Create(ctx, maker, order)
	if err != nil || created.Message.ApprovalsRequired != 2 {
		t.Fatal(created.Message.ApprovalsRequired, err)
	}
	id := created.Message.InternalID
	before, err := h.Messages.Message(ctx, maker.Realm, id)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: id})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Messages.Transact(ctx, maker.Realm, id, func(payment.Message) (payment.Transition, error) {
		return before.Withdraw(maker, "", h.Clock.Now())
	})
	var moved *payment.StateError
	if !errors.As(err, &moved) {
		t.Errorf("a withdrawal decided before the first approval: %v", err)
	}
	after, err := h.Messages.Message(ctx, maker.Realm, id)
	if err != nil || after.State != payment.StateApprovalPending || after.Sequence != 2 || len(after.Decisions) != 1 {
		t.Errorf("the message is %s at step %d with %d decisions: %v", after.State, after.Sequence, len(after.Decisions), err)
	}
}
