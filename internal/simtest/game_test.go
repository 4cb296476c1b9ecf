package simtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/clearing"
	"countersign/internal/interbank"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// game is one schedule.
type game struct {
	*ground
	seed     uint64
	number   int // of orders and incoming payments so far; no two of a database are alike
	chance   *rand.Rand
	bank     *bank
	house    *servicetest.Env
	opened   *store.Database
	orders   []*order
	requests []*request
	asked    map[string]bool // what is under way or done for a payment
	tried    map[string]bool // creations and approvals whose outcome nobody knew
	blips    bool            // connections of this gateway broke, or will
	trace    []string
	wrong    []string
	count    tally
}

// tally counts what happened in schedules.
type tally struct{ schedules, calls, crashes, blips, refused, paid, incoming, requests, statements int }

func (t *tally) add(other tally) {
	t.schedules, t.calls, t.crashes, t.blips = t.schedules+other.schedules, t.calls+other.calls, t.crashes+other.crashes, t.blips+other.blips
	t.refused += other.refused
	t.paid, t.incoming, t.requests = t.paid+other.paid, t.incoming+other.incoming, t.requests+other.requests
	t.statements += other.statements
}

func (g *game) blame(format string, values ...any) {
	g.wrong = append(g.wrong, fmt.Sprintf(format, values...))
}

func (g *game) note(format string, values ...any) {
	g.trace = append(g.trace, g.clock.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, values...))
}

// open starts a gateway, as after a crash: nothing of the last one is left but the database.
func (g *game) open() {
	if g.opened != nil {
		g.opened.Close()
	}
	g.wire.revive()
	g.blips = false
	g.house = servicetest.On(g.t, g.db, servicetest.Options{
		At: g.clock.Now(), Now: g.clock.Now, Clearing: g.bank, Log: slog.New(slog.DiscardHandler),
		Database: func(db *storetest.DB) *store.Database {
			cfg := store.Config{
				URL: g.url, Seal: db.Seal, TokenKeys: storetest.Keys(g.t), Log: slog.New(slog.DiscardHandler),
				Connections: store.Connections{Requests: 2, Clearing: 2, Pages: 1}, // each costs a process of the server
			}
			opened, err := store.Open(ctx, cfg)
			for tries := 0; err != nil && tries < 50; tries++ { // a busy machine: processes of the last gateway may still end
				time.Sleep(100 * time.Millisecond)
				opened, err = store.Open(ctx, cfg)
			}
			must(g.t, err)
			g.opened = opened
			return opened
		},
	})
	g.house.Nudges.Start()
}

// call has the gateway do something. When it died of that, the next one is started. What it says is returned; that the database was away is
// the only thing that may go wrong.
func (g *game) call(what string, do func(*servicetest.Env) error) error {
	err := do(g.house)
	dead := g.wire.broken()
	told := "done"
	if err != nil {
		told, _, _ = strings.Cut(err.Error(), "\n")
	}
	if dead {
		told += " · the gateway died"
	}
	g.note("%s: %s", what, told)
	g.count.calls++
	away := errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrBusy)
	if err != nil && !away {
		g.blame("%s: %v", what, err)
	}
	if away && !dead && !g.blips {
		g.blame("%s: the database was said to be away, and was not: %v", what, err)
	}
	if dead {
		g.count.crashes++
		g.open()
	}
	return err
}

// undone holds that nothing was stored of what the gateway said was not done.
func (g *game) undone(told error, query string, values ...any) {
	var stored int
	must(g.t, g.conn.QueryRow(ctx, query, values...).Scan(&stored))
	if stored > 0 {
		g.blame("the gateway said that nothing was done, and it was: %v", told)
	}
}

// chance is what can happen, with how often.
type chance struct {
	weight int
	do     func(*game)
}

// first are the steps of the first act.
var first = []chance{
	{7, (*game).enter},
	{14, func(g *game) { g.advance(g.some()) }},
	{9, (*game).send},
	{8, func(g *game) { g.pass(time.Duration(g.chance.IntN(4000)) * time.Millisecond) }},
	{1, func(g *game) { g.pass(time.Duration(g.chance.IntN(120)) * time.Second) }},
	{9, (*game).receive},
	{3, (*game).arrive},
	{3, (*game).ask},
	{2, (*game).wantBack},
	{3, (*game).pursue},
	{2, func(g *game) {
		if o := g.some(); o.id != uuid.Nil {
			g.cheat(o)
		}
	}},
	{6, (*game).arm},
	{1, func(g *game) { g.note("restart"); g.open() }},
	{1, (*game).seal},
}

// later are the steps of the second act, when payments are settled and booked: people and banks want them back.
var later = []chance{
	{7, (*game).ask},
	{6, (*game).wantBack},
	{7, (*game).pursue},
	{6, (*game).send},
	{6, (*game).receive},
	{3, func(g *game) { g.pass(time.Duration(g.chance.IntN(4000)) * time.Millisecond) }},
	{5, (*game).arm},
	{1, func(g *game) { g.note("restart"); g.open() }},
}

// step lets one thing of chance happen.
func (g *game) step(steps []chance) {
	sum := 0
	for _, s := range steps {
		sum += s.weight
	}
	number := g.chance.IntN(sum)
	for _, s := range steps {
		if number < s.weight {
			s.do(g)
			return
		}
		number -= s.weight
	}
}

// maxOrders bounds the orders of a schedule.
const maxOrders = 3

func (g *game) enter() {
	if len(g.orders) < maxOrders {
		g.number++
		o := newOrder(g.chance, g.number, g.clock.Now())
		g.orders = append(g.orders, o)
		g.submit(o)
	}
}

// some is an order of chance.
func (g *game) some() *order {
	if len(g.orders) == 0 {
		g.enter()
	}
	return g.orders[g.chance.IntN(len(g.orders))]
}

// send runs the deliveries that this gateway's commits made necessary. Those of a gateway that died are lost.
func (g *game) send() {
	_ = g.call("work", func(h *servicetest.Env) error {
		h.Clearing.Drain(ctx)
		return nil
	})
}

// pass lets time go by, and then clearing polls once.
func (g *game) pass(d time.Duration) {
	g.clock.Add(d)
	_ = g.call(fmt.Sprintf("look after %s", d), func(h *servicetest.Env) error {
		h.Clearing.RunOnce(ctx)
		return nil
	})
}

// receive brings a letter of clearing.
func (g *game) receive() {
	l := g.bank.next(g.chance.IntN(100))
	if l == nil {
		return
	}
	err := g.call("receive "+l.reference[:2], func(h *servicetest.Env) error {
		err := h.Clearing.Receive(ctx, clearing.Document{
			Scheme: l.scheme, Reference: l.reference, Content: l.content, ReceivedAt: g.clock.Now(),
		})
		if errors.Is(err, clearing.ErrDuplicate) {
			return nil
		}
		return err
	})
	if err != nil || g.bank.mood == wild && g.chance.IntN(6) == 0 {
		g.bank.back(l) // clearing sends it again
	}
}

// arrive has another bank send money to an account here.
func (g *game) arrive() {
	g.number++
	scheme := rulebook.Schemes()[g.chance.IntN(2)]
	sent, amount := orderOf(scheme, g.number, int64(1+g.chance.IntN(900_000)), g.clock.Now())
	transaction := fmt.Sprintf("TX-%d", g.number)
	to := map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH5021977000004331346", rulebook.SchemeSCT: "DE62007620110623852957"}[scheme]
	if g.chance.IntN(5) == 0 {
		to = map[rulebook.Scheme]string{rulebook.SchemeSIC: "CH4821966000009613388", rulebook.SchemeSCT: "FR1420041010050500013M02606"}[scheme]
	}
	sent.Document.PaymentInformation[0].CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN = to
	document, err := interbank.CreditTransfer(interbank.CreditTransferInput{
		Scheme: scheme, Order: sent.Document, TransactionID: transaction, Reference: "IN-" + transaction,
		UETR: "7a1d3e52-1f55-4c0a-9a3e-0d5a5b3c9e10", From: interbank.Account{
			IBAN: "CH4821966000009613388", Holder: interbank.Holder{Name: "Peter Haller", Town: "Zuerich", Country: "CH"},
			AgentBIC: "BBBBCHZZXXX", AgentIID: "21966",
		},
		CreditorAgent: "AAAADEFFXXX", AcceptedAt: g.clock.Now(), Day: g.clock.Now(),
	})
	must(g.t, err)
	transfer, err := interbank.ReadTransfer(document)
	must(g.t, err)
	if transfer.Amount != amount {
		g.blame("the other bank sends %s and not %s", transfer.Amount, amount)
	}
	g.bank.mu.Lock()
	defer g.bank.mu.Unlock()
	g.bank.incoming[transaction] = &arrival{transfer: transfer, document: document}
	g.bank.mail(scheme, "IN-"+transaction, 0, document)
	g.note("another bank sends %s", transaction)
}

// arm chooses where the gateway dies, or loses its connections, next.
func (g *game) arm() {
	b := breakage{after: 1 + g.chance.IntN(9), done: g.chance.IntN(2) == 0, blip: g.chance.IntN(4) == 0}
	if b.blip {
		g.blips = true
		g.count.blips++
	}
	g.note("the wire breaks in %d statements (done there: %t, lives on: %t)", b.after, b.done, b.blip)
	g.wire.arm(b)
}

// seal has the notary look, which it does twice a second: what keeps it from sealing once is a connection that broke before.
func (g *game) seal() {
	looks := 1
	if g.blips {
		looks = 4
	}
	_ = g.call("seal", func(h *servicetest.Env) error {
		for range looks {
			h.Notary.Sweep(ctx)
		}
		return nil
	})
}

// play plays a schedule from its first step to its end, and judges.
func (g *game) play() {
	g.open()
	for range 8 + g.chance.IntN(14) {
		g.step(first)
	}
	g.wire.arm(breakage{})
	g.finish(false)
	if g.chance.IntN(2) == 0 {
		g.bank.soothe(wild, false)
		for range 6 + g.chance.IntN(10) {
			g.step(later)
		}
		g.wire.arm(breakage{})
		g.finish(false)
	}
	g.judge()
	g.finish(true)
	g.judgeEnd()
	g.opened.Close()
}
