package clearing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// life is one message as the database has it and as the pure state machine has it, fed with the same events.
type life struct {
	h      *servicetest.Env
	model  payment.Message
	people map[string]identity.Principal
	number int
}

// event is something that may happen at any time, in any order, to anybody's surprise.
type event struct {
	name string
	// database does it to the stored message, pure to the model. A pure event that is refused leaves the model as it is.
	database func(*life) error
	pure     func(*life) (payment.Transition, error)
}

func (l *life) document(status, code string) clearing.Document {
	l.number++
	t := &testing.T{}
	return answer(t, l.model, fmt.Sprintf("%s-%d", l.model.GlobalID, l.number), status, code)
}

var events = []event{
	{"approve", func(l *life) error {
		_, err := l.h.Approval.Approve(ctx, l.people["checker1"], service.Input{InternalID: l.model.InternalID})
		return err
	}, func(l *life) (payment.Transition, error) {
		return l.model.Approve(payment.Verdict{By: l.people["checker1"], At: l.h.Clock.Now()}, l.terms())
	}},
	{"approve as the maker", func(l *life) error {
		_, err := l.h.Approval.Approve(ctx, l.people["both1"], service.Input{InternalID: l.model.InternalID})
		return err
	}, func(l *life) (payment.Transition, error) {
		return l.model.Approve(payment.Verdict{By: l.people["both1"], At: l.h.Clock.Now()}, l.terms())
	}},
	{"reject", func(l *life) error {
		_, err := l.h.Approval.Reject(ctx, l.people["checker2"], service.Input{InternalID: l.model.InternalID}, "no")
		return err
	}, func(l *life) (payment.Transition, error) {
		return l.model.Reject(payment.Verdict{By: l.people["checker2"], At: l.h.Clock.Now()}, "no")
	}},
	{"withdraw", func(l *life) error {
		_, err := l.h.Submission.Withdraw(ctx, l.people["both1"], l.model.InternalID, "")
		return err
	}, func(l *life) (payment.Transition, error) {
		return l.model.Withdraw(l.people["both1"], "", l.h.Clock.Now())
	}},
	{
		"send", func(l *life) error { return l.h.Clearing.Send(ctx, l.model.Scheme, l.model.Realm, l.model.InternalID) },
		func(l *life) (payment.Transition, error) {
			if l.model.AcceptedAt.IsZero() {
				return payment.Transition{}, payment.ErrNotFound
			}
			return moved(l.model.Deliver(l.h.Clock.Now(), l.h.Clock.Now()))
		},
	},
	{
		"positive answer", func(l *life) error { return l.h.Clearing.Receive(ctx, l.document("ACSC", "")) },
		func(l *life) (payment.Transition, error) {
			return moved(l.model.Settle(l.h.Clock.Now()))
		},
	},
	{
		"negative answer", func(l *life) error { return l.h.Clearing.Receive(ctx, l.document("RJCT", "AC04")) },
		func(l *life) (payment.Transition, error) {
			return moved(l.model.RejectByClearing("AC04", "x", l.h.Clock.Now()))
		},
	},
	{"pending answer", func(l *life) error { return l.h.Clearing.Receive(ctx, l.document("PDNG", "")) }, nothing},
	{"garbage", func(l *life) error {
		return l.h.Clearing.Receive(ctx, clearing.Document{Scheme: l.model.Scheme, Content: []byte("<Document>" + string(l.model.GlobalID))})
	}, nothing},
	{"eleven seconds", func(l *life) error {
		l.h.Clock.Add(11 * time.Second)
		return nil
	}, nothing},
}

// terms are those of the approval service.
func (l *life) terms() payment.ApprovalContext {
	return payment.ApprovalContext{Today: l.h.Clock.Now(), Seal: l.h.Seal}
}

func moved(t payment.Transition, _ bool, err error) (payment.Transition, error) { return t, err }

func nothing(*life) (payment.Transition, error) { return payment.Transition{}, nil }

// apply lets the model follow a transition that was made.
func (l *life) apply(t payment.Transition, err error) {
	if err == nil && t.Valid() {
		l.model = t.After()
	}
}

// tick is what the watch does with time, on both sides.
func (l *life) tick() {
	l.h.Clearing.RunOnce(ctx)
	now := l.h.Clock.Now()
	if !l.model.AcceptedAt.IsZero() && l.model.DeliveredAt.IsZero() && !l.model.AcceptedAt.Add(4*time.Second).After(now) {
		l.apply(moved(l.model.Deliver(now, now)))
	}
	l.apply(l.model.TimeOut(10*time.Second, now))
	l.apply(l.model.Expire(now))
}

// TestAnyOrderOfEventsEndsAlike feeds random events to the database and to the pure machine. After each, both must stand in the same
// state; at the end no invariant may be broken.
func TestAnyOrderOfEventsEndsAlike(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	defer h.CheckInvariants(t, "I17") // deliveries are moves here, without a document
	people := map[string]identity.Principal{}
	for _, name := range []string{"both1", "checker1", "checker2"} {
		people[name] = h.Person(t, name)
	}
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		scheme := rulebook.Schemes()[seed%2]
		l := &life{h: h, model: h.Create(t, people["both1"], scheme), people: people}
		var told []string
		for range 14 {
			e := events[random.IntN(len(events))]
			told = append(told, e.name)
			transition, refused := e.pure(l)
			err := e.database(l)
			l.apply(transition, refused)
			if e.name == "eleven seconds" {
				l.tick()
			}
			now := current(t, h, l.model)
			if now.State != l.model.State {
				t.Fatalf("seed %d, after %v: the database says %s, the machine %s (%v, %v)", seed, told, now.State, l.model.State, err, refused)
			}
			var mine *clearing.RefusedError
			if e.name == "garbage" && !errors.As(err, &mine) {
				t.Fatalf("seed %d: garbage got %v", seed, err)
			}
		}
	}
}
