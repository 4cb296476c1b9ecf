package service_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
)

// TestAPairIsFiveTransactions: a payment that nobody else competes with is created in two transactions, one that reads and one that writes,
// and approved in three. Each takes three round trips.
func TestAPairIsFiveTransactions(t *testing.T) {
	t.Parallel()
	n := &storetest.Trips{}
	h := servicetest.Traced(t, n, 0)
	defer h.CheckInvariants(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	h.Create(t, maker, rulebook.SchemeSIC) // reads the directory of banks, once for all
	before := n.Load()
	m := h.Create(t, maker, rulebook.SchemeSIC)
	created := n.Load()
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	if create, approve := created-before, n.Load()-created; create != 6 || approve != 9 {
		t.Errorf("a creation takes %d round trips and an approval %d, not 6 and 9", create, approve)
	}
}

// TestEachOfManyGetsItsOwnAnswer: 64 clients create and approve at the same time, and every fourth of their calls must fail, each in its
// own way. Statements are shared, answers are not: each call has the outcome it would have alone, what was refused left nothing, and far
// fewer round trips were made than one call after the other would have needed.
func TestEachOfManyGetsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	const clients, rounds = 64, 8
	n := &storetest.Trips{}
	h := servicetest.Traced(t, n, 0)
	defer h.CheckInvariants(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	refused := h.Create(t, maker, rulebook.SchemeSIC)
	rejected, err := h.Approval.Reject(ctx, h.Person(t, "checker2"), service.Input{InternalID: refused.InternalID}, "taken already")
	if err != nil || len(rejected.Decisions) != 1 || rejected.Decisions[0].Reason != "taken already" {
		t.Fatalf("rejected: %+v, %v", rejected.Decisions, err)
	}
	taken := h.Order(rulebook.SchemeSIC)
	_, err = h.Submission.Create(ctx, maker, taken)
	if err != nil {
		t.Fatal(err)
	}
	before := n.Load()
	var group sync.WaitGroup
	var approved atomic.Int64
	for client := range clients {
		group.Go(func() {
			for round := range rounds {
				m := h.Create(t, maker, rulebook.SchemeSIC)
				number := client*rounds + round
				if number%4 != 3 {
					_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
					if err != nil {
						t.Errorf("an approval that nothing stands against: %v", err)
						continue
					}
					approved.Add(1)
					continue
				}
				err := wrong{h: h, maker: maker, checker: checker, pending: m, ended: refused}.try(t, number/4, taken.ExternalID)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	used := n.Load() - before
	var decisions, stored int64
	err = h.DB.Owner(t).QueryRow(ctx, "SELECT (SELECT count(*) FROM decision), (SELECT count(*) FROM message)").Scan(&decisions, &stored)
	if err != nil {
		t.Fatal(err)
	}
	if approved.Load() != clients*rounds*3/4 || decisions != approved.Load()+1 || stored != clients*rounds+2 {
		t.Errorf("%d approved; %d decisions and %d messages are stored", approved.Load(), decisions, stored)
	}
	if alone := int64(15 * clients * rounds); used >= alone {
		t.Errorf("%d round trips, where each call for itself takes %d", used, alone)
	}
}

// wrong are calls that must fail.
type wrong struct {
	h              *servicetest.Env
	maker, checker identity.Principal
	pending, ended payment.Message
}

// try makes one of them, and says what is wrong with its answer.
func (w wrong) try(t *testing.T, kind int, takenID string) error {
	t.Helper()
	var fourEyes *payment.FourEyesError
	var content *payment.ContentError
	var state *payment.StateError
	var rules *payment.RefusalError
	approve := func(by identity.Principal, in service.Input) error {
		_, err := w.h.Approval.Approve(ctx, by, in)
		return err
	}
	both := w.checker
	both.UserID, both.PersonID = w.maker.UserID, w.maker.PersonID
	switch kind % 5 {
	case 0:
		if err := approve(both, service.Input{InternalID: w.pending.InternalID}); !errors.As(err, &fourEyes) {
			return fmt.Errorf("by its maker: %w", errors.Join(errors.New("not refused as it should be"), err))
		}
	case 1:
		other := payment.Digest{1}
		if err := approve(w.checker, service.Input{InternalID: w.pending.InternalID, ContentHash: &other}); !errors.As(err, &content) {
			return fmt.Errorf("of other content: %w", errors.Join(errors.New("not refused as it should be"), err))
		}
	case 2:
		if err := approve(w.checker, service.Input{InternalID: w.ended.InternalID}); !errors.As(err, &state) {
			return fmt.Errorf("of one that was rejected: %w", errors.Join(errors.New("not refused as it should be"), err))
		}
	case 3:
		if err := approve(w.checker, service.Input{InternalID: uuid.New()}); !errors.Is(err, payment.ErrNotFound) {
			return fmt.Errorf("of none: %w", errors.Join(errors.New("not refused as it should be"), err))
		}
	default:
		order := w.h.Order(rulebook.SchemeSIC)
		order.ExternalID = takenID
		if _, err := w.h.Submission.Create(ctx, w.maker, order); !errors.As(err, &rules) || rules.Findings[0].Code != "DU01" {
			return fmt.Errorf("an externalId that was used: %w", errors.Join(errors.New("not refused as it should be"), err))
		}
	}
	return nil
}
