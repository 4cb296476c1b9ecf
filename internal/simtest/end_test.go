package simtest

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/clearing"
	"countersign/internal/payment"
)

// finish has everybody repeat what they had no answer to, in a calm world, until nothing is left to do.
func (g *game) finish(talks bool) {
	g.note("nobody dies any more")
	for round := range 60 {
		g.bank.soothe(tired, talks)
		if talks || round > 2 {
			g.bank.soothe(calm, talks)
		}
		for _, o := range g.orders {
			for tries := 0; !o.passed() && tries < 5; tries++ {
				g.advance(o)
			}
		}
		for _, r := range g.requests {
			for tries := 0; tries < 5 && !g.advanceRequest(r); tries++ { //nolint:revive // each try is a step
			}
		}
		if round < 2 {
			g.send()
		}
		g.receiveAll()
		if g.bank.quiet() && g.settled(talks) {
			return
		}
		g.reconnect()
		g.pass([]time.Duration{5 * time.Second, 12 * time.Second, 12 * time.Second, time.Minute, 20 * time.Minute}[min(round, 4)])
	}
	g.blame("it never comes to an end: %+v %+v", g.house.Clearing.Connections(), g.house.Clearing.Stuck())
}

// reconnect waits until no connection to clearing is interrupted: that goes by the machine's clock, and a second of it is many rounds here.
func (g *game) reconnect() {
	interrupted := func(c clearing.ConnectionStatus) bool { return c.State == clearing.ConnectionInterrupted }
	for tries := 0; tries < 200 && slices.ContainsFunc(g.house.Clearing.Connections(), interrupted); tries++ {
		time.Sleep(20 * time.Millisecond)
	}
}

// receiveAll brings every letter of clearing, those too that are still on their way.
func (g *game) receiveAll() {
	for tries := 0; tries < 50; tries++ {
		due, any := g.bank.due()
		if !any {
			return
		}
		if wait := due.Sub(g.clock.Now()); wait > 0 {
			g.clock.Add(wait)
		}
		g.receive()
	}
}

// settled says whether every order is where it ends: one whose payment clearing is silent about is unconfirmed, until it talks.
func (g *game) settled(talks bool) bool {
	rows, err := g.conn.Query(ctx, "SELECT message_id, state FROM message WHERE message_id = ANY ($1)", g.ids())
	must(g.t, err)
	states := map[uuid.UUID]payment.State{}
	var id uuid.UUID
	var state payment.State
	_, err = pgx.ForEachRow(rows, []any{&id, &state}, func() error { states[id] = state; return nil })
	must(g.t, err)
	for _, o := range g.orders {
		if states[o.id] != g.ends(o, talks) {
			return false
		}
	}
	for _, r := range g.requests {
		if !r.void && states[r.id] != g.endOf(r, talks) {
			return false
		}
	}
	// What is not noted as delivered leaves once more, which the clearing of the next schedule would not understand. A recall whose answer was
	// sent is noted as answered by the next look of the clock, where the gateway died in between.
	var owed int
	must(g.t, g.conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL)
		+ (SELECT count(*) FROM message WHERE accepted_at IS NOT NULL AND delivered_at IS NULL)
		+ (SELECT count(*) FROM message recall JOIN message answer USING (realm)
		   WHERE answer.answers_id = recall.message_id AND answer.state IN ('Settled', 'Communicated') AND recall.state = 'Awaiting Decision')`,
	).Scan(&owed))
	return owed == 0
}

// ids are those of the orders and requests.
func (g *game) ids() []string {
	var ids []string
	for _, o := range g.orders {
		ids = append(ids, o.id.String())
	}
	for _, r := range g.requests {
		ids = append(ids, r.id.String())
	}
	return ids
}

// ends is the state an order comes to.
func (g *game) ends(o *order, talks bool) payment.State {
	switch o.plan {
	case toReject:
		return payment.StateRejected
	case toWithdraw:
		return payment.StateWithdrawn
	case toLeave:
		return payment.StateApprovalPending
	case toApprove, toPass, toAmend:
	}
	g.bank.mu.Lock()
	defer g.bank.mu.Unlock()
	for _, p := range g.bank.paid {
		switch {
		case p.endToEnd != o.name:
		case p.ending.mute && !talks:
			return payment.StateUnconfirmed
		case p.ending.settles:
			return payment.StateSettled
		default:
			return payment.StateFailed
		}
	}
	return payment.StateProcessing // not there yet
}
