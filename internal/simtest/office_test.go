package simtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// plan is what people want to become of an order.
type plan string

const (
	toApprove  plan = "approve"
	toPass     plan = "pass"     // needs no approval
	toReject   plan = "reject"   // by a checker
	toWithdraw plan = "withdraw" // by its maker
	toAmend    plan = "amend"    // another amount, then approved
	toLeave    plan = "leave"    // nobody decides
)

// order is a payment as the people who want it know it.
type order struct {
	payment.Order
	name      string // its end-to-end id
	plan      plan
	maker     string
	amount    money.Amount
	approvals int // that it needs
	amended   *payment.Order

	id       uuid.UUID // once its creation was acknowledged
	approved map[string]bool
	closed   bool // its rejection or withdrawal was acknowledged
	isNew    bool // its amendment was acknowledged
}

// passed says whether everything its people wanted was acknowledged.
func (o *order) passed() bool {
	switch o.plan {
	case toReject, toWithdraw:
		return o.closed
	case toLeave:
		return o.id != uuid.Nil
	case toAmend:
		return o.isNew && len(o.approved) >= o.approvals
	case toApprove, toPass:
	}
	return o.id != uuid.Nil && len(o.approved) >= o.approvals
}

// released says whether it is to reach clearing.
func (o *order) released() bool { return o.plan == toApprove || o.plan == toPass || o.plan == toAmend }

// newOrder makes an order of chance. number makes its identifiers, and no two of a database are alike.
func newOrder(chance *rand.Rand, number int, at time.Time) *order {
	scheme := rulebook.Schemes()[chance.IntN(2)]
	o := &order{
		maker: fmt.Sprint("maker", 1+chance.IntN(2)), approved: map[string]bool{}, approvals: 1, name: fmt.Sprintf("E2E-%d", number),
	}
	minor := int64(1 + chance.IntN(900_000))
	switch kind := chance.IntN(100); {
	case kind < 50:
		o.plan = toApprove
	case kind < 60:
		o.plan, o.approvals = toPass, 0
	case kind < 70:
		o.plan, o.approvals, minor = toApprove, 2, 1_000_000+minor
	case kind < 78:
		o.plan = toReject
	case kind < 85:
		o.plan = toWithdraw
	case kind < 93:
		o.plan = toAmend
	default:
		o.plan = toLeave
	}
	o.Order, o.amount = orderOf(scheme, number, minor, at)
	if o.plan == toAmend {
		other, amount := orderOf(scheme, number, minor+7, at)
		o.amended, o.amount = &other, amount
		o.amended.ExternalID = ""
	}
	return o
}

func orderOf(scheme rulebook.Scheme, number int, minor int64, at time.Time) (payment.Order, money.Amount) {
	currency := money.CHF
	if scheme == rulebook.SchemeSCT {
		currency = money.EUR
	}
	amount, err := money.FromMinor(currency, minor)
	if err != nil {
		panic(err)
	}
	document := servicetest.Document(scheme, number, at)
	servicetest.SetAmount(document, amount.String())
	return payment.Order{Scheme: scheme, ExternalID: fmt.Sprintf("order-%d", number), Document: document}, amount
}

// people sign in once for a database.
type people map[string]identity.Principal

func newPeople(t *testing.T, h *servicetest.Env) people {
	t.Helper()
	all := people{}
	for _, name := range []string{"maker1", "maker2", "checker1", "checker2"} {
		all[name] = h.Person(t, name)
		all[name+" straight"] = h.Principal(t, servicetest.Door{
			Realm: demo.Realm, Name: name, Client: demo.Straight, Channel: identity.ChannelAPI,
		})
	}
	return all
}

// maker is who enters the order, by the door it comes in through.
func (p people) maker(o *order) identity.Principal {
	if o.plan == toPass {
		return p[o.maker+" straight"]
	}
	return p[o.maker]
}

// submit enters an order, or enters it again.
func (g *game) submit(o *order) {
	err := g.call("submit "+o.name+" to "+string(o.plan), func(h *servicetest.Env) error {
		made, err := h.Submission.Create(ctx, g.people.maker(o), o.Order)
		if err != nil {
			return err
		}
		if o.id != uuid.Nil && o.id != made.Message.InternalID {
			g.blame("%s is two messages: %s and %s", o.name, o.id, made.Message.InternalID)
		}
		o.id = made.Message.InternalID
		return nil
	})
	if o.id == uuid.Nil && err != nil && !errors.Is(err, store.ErrUnknown) && !g.tried[o.name] {
		g.undone(err, "SELECT count(*) FROM message WHERE external_id = $1", o.ExternalID)
	}
	g.tried[o.name] = g.tried[o.name] || errors.Is(err, store.ErrUnknown)
}

// advance takes the next step that the people of an order want.
func (g *game) advance(o *order) {
	switch {
	case o.id == uuid.Nil:
		g.submit(o)
	case o.plan == toWithdraw:
		g.withdraw(o)
	case o.plan == toReject:
		g.reject(o)
	case o.plan == toAmend && !o.isNew:
		g.amend(o)
	case !o.passed():
		g.approve(o)
	}
}

// approve has the next checker approve.
func (g *game) approve(o *order) {
	checker := fmt.Sprint("checker", 1+(g.chance.IntN(2)+len(o.approved))%2)
	for name, other := range map[string]string{"checker1": "checker2", "checker2": "checker1"} {
		switch {
		case o.approved[name]:
			checker = other
		case g.tried[o.name+name] && !o.approved[other]: // nobody knows whether this one did
			checker = name
		}
	}
	err := g.call("approve "+o.name+" by "+checker, func(h *servicetest.Env) error {
		m, err := h.Messages.Message(ctx, demo.Realm, o.id)
		if err != nil {
			return err
		}
		_, err = h.Approval.Approve(ctx, g.people[checker], service.Input{InternalID: o.id, ContentHash: &m.ContentHash, Version: m.Version})
		var repeat *payment.RepeatError
		if err == nil || errors.As(err, &repeat) {
			o.approved[checker] = true
			return nil
		}
		return err
	})
	if err != nil && !errors.Is(err, store.ErrUnknown) && !g.tried[o.name+checker] {
		g.undone(err, `SELECT count(*) FROM decision d JOIN user_account u ON u.realm = d.realm AND u.user_id = d.checker_user
			WHERE u.name = $1 AND d.message_id = $2`, checker, o.id)
	}
	g.tried[o.name+checker] = g.tried[o.name+checker] || errors.Is(err, store.ErrUnknown)
}

// cheat has the maker try to approve, which nobody may.
func (g *game) cheat(o *order) {
	_ = g.call("cheat with "+o.name, func(h *servicetest.Env) error {
		_, err := h.Approval.Approve(ctx, g.people[o.maker], service.Input{InternalID: o.id})
		if err == nil {
			g.blame("%s was approved by its maker", o.name)
		}
		var forbidden *payment.ForbiddenError
		var fourEyes *payment.FourEyesError
		if errors.As(err, &forbidden) || errors.As(err, &fourEyes) {
			return nil
		}
		return err
	})
}

func (g *game) reject(o *order) {
	_ = g.call("reject "+o.name, func(h *servicetest.Env) error {
		_, err := h.Approval.Reject(ctx, g.people["checker1"], service.Input{InternalID: o.id}, "Not today.")
		return o.close(err)
	})
}

func (g *game) withdraw(o *order) {
	_ = g.call("withdraw "+o.name, func(h *servicetest.Env) error {
		_, err := h.Submission.Withdraw(ctx, g.people[o.maker], o.id, "Entered by mistake.")
		return o.close(err)
	})
}

// close notes that an order is closed, also when that is told for the second time.
func (o *order) close(err error) error {
	var repeat *payment.RepeatError
	if err == nil || errors.As(err, &repeat) {
		o.closed = true
		return nil
	}
	return err
}

func (g *game) amend(o *order) {
	_ = g.call("amend "+o.name, func(h *servicetest.Env) error {
		_, err := h.Submission.Amend(ctx, g.people[o.maker], o.id, *o.amended)
		var repeat *payment.RepeatError
		if err == nil || errors.As(err, &repeat) {
			o.isNew = true
			return nil
		}
		return err
	})
}
