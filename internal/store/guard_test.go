package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
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

// TestFactorsAreReadBesideAChange: requests read a person's second factors while another one changes them. None is taken for forged.
func TestFactorsAreReadBesideAChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h := servicetest.New(t)
	checker := h.Person(t, "checker1")
	people := store.NewPeople(h.DB.Database)
	for range 8 {
		known, err := people.Factors(ctx, checker.Realm, checker.UserID)
		if err != nil {
			t.Fatal(err)
		}
		var read sync.WaitGroup
		var changed atomic.Bool
		for range 4 {
			read.Go(func() {
				for !changed.Load() {
					_, err := people.Factors(ctx, checker.Realm, checker.UserID)
					if err != nil {
						t.Errorf("read the factors: %v", err)
					}
				}
			})
		}
		codes := store.Factor{ID: uuid.New(), Kind: identity.FactorRecovery, Name: "Codes", Secret: make([]byte, 32), MadeAt: h.Clock.Now()}
		err = people.AddFactors(ctx, store.FactorAddition{By: checker, Known: known, New: []store.NewFactor{{
			By: checker, Factor: codes, Token: sha256.Sum256(codes.ID[:]), UseID: uuid.New(),
		}}})
		if err != nil {
			t.Error(err)
		}
		changed.Store(true)
		read.Wait()
	}
}
