package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/clearing"
	"countersign/internal/demo"
	"countersign/internal/interbank"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/stationtest"
	"countersign/internal/store"
	"countersign/internal/store/provision"
	"countersign/internal/store/storetest"
)

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ground is a database on which schedules are played one after the other.
type ground struct {
	t      *testing.T
	db     *storetest.DB
	conn   *pgx.Conn // of the owner, past the wire
	clock  *stationtest.Clock
	wire   *wire
	url    string
	people people
	start  time.Time
}

func newGround(t *testing.T) *ground {
	t.Helper()
	db := storetest.New(t)
	realm, by := demo.Realms()[0], db.Provisioner(t)
	var err error
	realm.Directories, err = demo.Directories(by.At)
	must(t, err)
	must(t, provision.Apply(ctx, by, realm))
	h := stationtest.On(t, db, stationtest.Options{})
	s := &ground{t: t, db: h.DB, clock: stationtest.ClockAt(h.Clock.Now()), start: h.Clock.Now(), people: newPeople(t, h), conn: db.Connect(t)}
	s.wire, s.url = newWire(t, h.DB)
	return s
}

// game is one schedule.
type game struct {
	*ground
	seed   uint64
	number int // of orders and incoming payments so far; no two of a database are alike
	chance *rand.Rand
	bank   *bank
	house  *stationtest.House
	opened *store.Database
	orders []*order
	tried  map[string]bool // approvals whose outcome nobody knew
	blips  bool            // connections of this gateway broke, or will
	trace  []string
	wrong  []string
	count  tally
}

// tally counts what happened in schedules.
type tally struct{ schedules, calls, crashes, blips, refused, paid, incoming, statements int }

func (t *tally) add(other tally) {
	t.schedules, t.calls, t.crashes, t.blips = t.schedules+other.schedules, t.calls+other.calls, t.crashes+other.crashes, t.blips+other.blips
	t.refused += other.refused
	t.paid, t.incoming, t.statements = t.paid+other.paid, t.incoming+other.incoming, t.statements+other.statements
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
	g.house = stationtest.On(g.t, g.db, stationtest.Options{
		At: g.clock.Now(), Now: g.clock.Now, Clearing: g.bank, Log: slog.New(slog.DiscardHandler),
		Database: func(db *storetest.DB) *store.Database {
			cfg := store.Config{
				URL: g.url, Seal: db.Seal, TokenKeys: storetest.Keys(g.t), Log: slog.New(slog.DiscardHandler),
				Connections: store.Connections{Requests: 2, Clearing: 2, Pages: 1}, // each costs a process of the server
			}
			opened, err := store.Open(ctx, cfg)
			for tries := 0; err != nil && tries < 20; tries++ { // a busy machine
				opened, err = store.Open(ctx, cfg)
			}
			must(g.t, err)
			g.opened = opened
			return opened
		},
	})
}

// call has the gateway do something. When it died of that, the next one is started. What it says is returned; that the database was away is
// the only thing that may go wrong.
func (g *game) call(what string, do func(*stationtest.House) error) error {
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

// steps are what can happen, with how often.
var steps = []struct {
	weight int
	do     func(*game)
}{
	{7, (*game).enter},
	{14, func(g *game) { g.advance(g.some()) }},
	{9, (*game).send},
	{8, func(g *game) { g.pass(time.Duration(g.chance.IntN(4000)) * time.Millisecond) }},
	{1, func(g *game) { g.pass(time.Duration(g.chance.IntN(120)) * time.Second) }},
	{9, (*game).receive},
	{3, (*game).arrive},
	{2, func(g *game) {
		if o := g.some(); o.id != uuid.Nil {
			g.cheat(o)
		}
	}},
	{6, (*game).arm},
	{1, func(g *game) { g.note("restart"); g.open() }},
	{1, (*game).seal},
}

// step lets one thing of chance happen.
func (g *game) step() {
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

// mostOrders bounds the orders of a schedule.
const mostOrders = 4

func (g *game) enter() {
	if len(g.orders) < mostOrders {
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

// send has the jobs of this gateway run that are ready: they carry what it released to clearing. Those of a gateway that died are lost.
func (g *game) send() {
	_ = g.call("work", func(h *stationtest.House) error {
		working, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- h.Jobs.Run(working, h.Clearing.Handlers()) }()
		for busy := true; busy; {
			time.Sleep(time.Millisecond)
			busy = slices.ContainsFunc(h.Jobs.Waiting(), func(q store.Queue) bool { return q.Ready+q.Running > 0 })
		}
		stop()
		return <-ended
	})
}

// pass lets time go by, and then the clock and the lanes look once.
func (g *game) pass(d time.Duration) {
	g.clock.Add(d)
	_ = g.call(fmt.Sprintf("look after %s", d), func(h *stationtest.House) error {
		h.Clearing.Sweep(ctx)
		return nil
	})
}

// receive brings a letter of clearing.
func (g *game) receive() {
	l := g.bank.next(g.chance.IntN(100))
	if l == nil {
		return
	}
	err := g.call("receive "+l.reference[:2], func(h *stationtest.House) error {
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
	g.bank.incoming[transaction] = &arrival{transfer: transfer}
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
	_ = g.call("seal", func(h *stationtest.House) error {
		for range 4 {
			h.Notary.Sweep(ctx)
		}
		return nil
	})
}

// play plays a schedule from its first step to its end, and judges.
func (g *game) play() {
	g.open()
	for range 15 + g.chance.IntN(15) {
		g.step()
	}
	g.wire.arm(breakage{})
	g.finish(false)
	g.judge()
	g.finish(true)
	g.judgeEnd()
	g.opened.Close()
}

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
		for before := -1; before < len(g.trace); {
			before = len(g.trace)
			g.receive()
		}
		if g.bank.quiet() && g.settled(talks) {
			return
		}
		g.pass([]time.Duration{5 * time.Second, 12 * time.Second, 12 * time.Second, time.Minute, 20 * time.Minute}[min(round, 4)])
	}
	g.blame("it never comes to an end")
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
	var owed int // what is not noted as delivered leaves once more, which the clearing of the next schedule would not understand
	must(g.t, g.conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM outbox WHERE delivered_at IS NULL AND refused_at IS NULL)
		+ (SELECT count(*) FROM message WHERE accepted_at IS NOT NULL AND delivered_at IS NULL)`).Scan(&owed))
	return owed == 0
}

// ids are those of the orders.
func (g *game) ids() []string {
	ids := make([]string, len(g.orders))
	for i, o := range g.orders {
		ids[i] = o.id.String()
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
