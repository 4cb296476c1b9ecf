package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Limits of a day: it is a convenience, so it gives up rather than stand in anybody's way.
const (
	dayLimit     = 2 * time.Minute
	stateLimit   = 20 * time.Second // for a payment to come to its end; clearing has ten
	statePause   = 200 * time.Millisecond
	requestLimit = 15 * time.Second
	answerLimit  = 1 << 20 // bytes of an answer
)

// Day fills the demo realm with one day of payments, so that no page is empty: payments of both schemes in all usual states, recalls, a
// return, a resolution, and incoming documents. It uses the gateway and the simulator only by the calls of an integrator, so every row
// comes from the services, by permitted people, with true times. A role grant does not reach back before the demo was made, so nothing can
// be dated to earlier hours. One payment expires: the first of the day, through a client whose payments expire after a minute.
type Day struct {
	GatewayURL   string // without path
	SimulatorURL string // without path
	Now          func() time.Time
	Zone         *time.Location // of the banking day
	Log          *slog.Logger
}

// Play plays the day once, and reports whether it did: a realm with any message is left as it is, also when its day was interrupted.
// Errors: the failed steps; the demo works without them.
func (d Day) Play(ctx context.Context) (played bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, dayLimit)
	defer cancel()
	p := &player{Day: d, client: &http.Client{Timeout: requestLimit}, tokens: make(map[string]string)}
	began, err := p.begun(ctx)
	if err != nil || began {
		return false, err
	}
	for _, act := range []func(context.Context) error{p.payments, p.arrivals, p.recalls} {
		err = errors.Join(err, act(ctx))
	}
	return true, err
}

// payments are entered, decided and sent; the cents say what clearing does with them.
func (p *player) payments(ctx context.Context) (err error) {
	for i, o := range orders {
		stepErr := p.pay(ctx, i+1, o)
		if stepErr != nil {
			err = errors.Join(err, fmt.Errorf("payment %d to %s: %w", i+1, o.creditor, stepErr))
		}
	}
	return err
}

// pay takes one payment to where the day leaves it.
func (p *player) pay(ctx context.Context, number int, o order) error {
	id, err := p.create(ctx, number, o)
	if err != nil {
		return err
	}
	switch o.end {
	case endPending, endExpired:
		return nil
	case endRejected:
		return p.decide(
			ctx, checkerOf(number), id,
			`"reject","rejectReason":"The invoice is addressed to another company of the group: ask for a new one."`,
		)
	case endWithdrawn:
		_, err = p.call(ctx, makerOf(number), "/api/"+o.scheme+"/v1/instruction/cancel",
			`{"identifiers":{"internalId":"`+id+`"},"reason":"Entered twice; the other one stays."}`)
		return err
	case endReleased, endHalf: // both need an approval
	}
	err = p.decide(ctx, checkerOf(number), id, `"approve"`)
	if err != nil || o.end == endHalf {
		return err
	}
	if o.large {
		err = p.decide(ctx, checkerOf(number+1), id, `"approve"`)
	}
	if err == nil && o.recall != "" {
		p.recalled = append(p.recalled, recall{scheme: o.scheme, id: id, reason: o.recall})
	}
	return err
}

// recalls recalls settled payments; the cents of the payment choose the answer of the other bank. The last recall waits for its checker.
func (p *player) recalls(ctx context.Context) (err error) {
	for i, r := range p.recalled {
		settled := p.until(ctx, r.id, "Settled")
		if settled != nil {
			err = errors.Join(err, settled)
			continue
		}
		id, stepErr := p.request(
			ctx, makerOf(i), r.scheme+" recall",
			`{"identifiers":{"internalId":"`+r.id+`"},"RecallDetails":{"reason":"`+r.reason+`"}}`,
		)
		if stepErr == nil && i < len(p.recalled)-1 {
			stepErr = p.decide(ctx, checkerOf(i), id, `"approve"`)
		}
		err = errors.Join(err, stepErr)
	}
	return err
}

// arrivals come in: some can be returned, one goes back because its creditor asks for it, one is recalled and waits for a decision, and the
// recall of the last one is refused.
func (p *player) arrivals(ctx context.Context) (err error) {
	for _, in := range []arrival{
		{scheme: "sct-inst", amount: "1840.00", debtor: "Beispiel GmbH", remittance: "Invoice 2231"},
		{scheme: "sct-inst", amount: "640.10", debtor: "Voorbeeld BV", remittance: "Order 8120"},
		{scheme: "sic-inst", amount: "480.00", debtor: "Peter Haller", remittance: "Invoice 2026-91"},
		{scheme: "sic-inst", amount: "1120.30", debtor: "Muster Handels AG", remittance: "Invoice 2026-93"},
	} {
		_, kept := p.arrive(ctx, in)
		err = errors.Join(err, kept)
	}
	return errors.Join(err, p.sendBack(ctx), p.waitForDecision(ctx), p.refuseRecall(ctx))
}

func (p *player) sendBack(ctx context.Context) error {
	in, err := p.arrive(ctx, arrival{scheme: "sic-inst", amount: "260.00", debtor: "Petra Muster", remittance: "Paid to the wrong account"})
	if err != nil {
		return err
	}
	id, err := p.request(ctx, "maker1", "sic-inst return", `{"identifiers":{"creditId":"`+in.id+`"},"ReturnDetails":{"reason":"CUST"}}`)
	if err != nil {
		return err
	}
	return p.decide(ctx, "checker2", id, `"approve"`)
}

func (p *player) waitForDecision(ctx context.Context) error {
	in, err := p.arrive(ctx, arrival{scheme: "sct-inst", amount: "975.20", debtor: "Beispiel GmbH", remittance: "Order 7714"})
	if err != nil {
		return err
	}
	_, err = p.recallArrived(ctx, in)
	return err
}

func (p *player) refuseRecall(ctx context.Context) error {
	in, err := p.arrive(ctx, arrival{scheme: "sic-inst", amount: "3120.50", debtor: "Muster Handels AG", remittance: "Invoice 2026-88"})
	if err != nil {
		return err
	}
	received, err := p.recallArrived(ctx, in)
	if err != nil {
		return err
	}
	id, err := p.request(ctx, "maker2", "sic-inst resolution",
		`{"identifiers":{"creditId":"`+in.id+`","recallId":"`+received+`"},"ResolutionDetails":{"reason":"CUST"}}`)
	if err != nil {
		return err
	}
	return p.decide(ctx, "checker1", id, `"approve"`)
}
