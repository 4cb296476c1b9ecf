package clearing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// halfDead is a clearing side of which SEPA accepts connections and never answers. The Swiss one takes everything and settles it, unless
// it is silent.
type halfDead struct {
	house  *servicetest.Env
	silent atomic.Bool
	tried  atomic.Int64 // of SEPA
	number atomic.Int64
}

// Deliver takes what is Swiss, and lets the rest wait.
func (n *halfDead) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, _ []byte) error {
	if scheme == rulebook.SchemeSCT {
		n.tried.Add(1)
		<-ctx.Done()
		return ctx.Err()
	}
	return n.take(ctx, scheme, reference)
}

// take settles a payment, unless the clearing is silent.
func (n *halfDead) take(ctx context.Context, scheme rulebook.Scheme, reference string) error {
	id, ours := payment.ParseReference(reference)
	if !ours || n.silent.Load() {
		return nil
	}
	settled := clearing.Document{
		Scheme: scheme, Reference: fmt.Sprintf("ANS%d", n.number.Add(1)), Content: settlement(string(id)), ReceivedAt: n.house.Now(),
	}
	return n.house.Clearing.Receive(ctx, settled)
}

// settlement is a pacs.002 that settles a payment.
func settlement(transaction string) []byte {
	return []byte(
		`<?xml version="1.0" encoding="UTF-8"?><Document ` +
			`xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10"><FIToFIPmtStsRpt><GrpHdr><MsgId>S` +
			transaction + `</MsgId><CreDtTm>2026-03-02T11:00:01Z</CreDtTm></GrpHdr><TxInfAndSts><OrgnlTxId>` + transaction +
			`</OrgnlTxId><TxSts>ACSC</TxSts></TxInfAndSts></FIToFIPmtStsRpt></Document>`,
	)
}

// goingOn runs the clearing of a gateway until stop.
func goingOn(t *testing.T, h *servicetest.Env) (stop func()) {
	t.Helper()
	return h.Run(t)
}

// runningClock goes on from noon of 2 March 2026.
func runningClock() func() time.Time {
	began := time.Now()
	noon := time.Date(2026, time.March, 2, 11, 0, 0, 0, time.UTC)
	return func() time.Time { return noon.Add(time.Since(began)) }
}

// clockAhead is a running clock that goes forward: time in which nothing happens is not waited for.
func clockAhead() (now func() time.Time, forward func(time.Duration)) {
	running := runningClock()
	var ahead atomic.Int64
	now = func() time.Time { return running().Add(time.Duration(ahead.Load())) }
	return now, func(by time.Duration) { ahead.Add(int64(by)) }
}

// approveMany makes payments of a scheme and approves them.
func approveMany(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, count int) {
	t.Helper()
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	for range count {
		approveOne(t, h, scheme, maker, checker)
	}
}

func approveOne(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, maker, checker identity.Principal) {
	t.Helper()
	m := h.Create(t, maker, scheme)
	_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for a count of rows. The time is generous: what is judged are the times that were stored.
func until(t *testing.T, h *servicetest.Env, want int, query string) {
	t.Helper()
	conn := h.DB.Connect(t)
	var found int
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		err := conn.QueryRow(ctx, query).Scan(&found)
		if err != nil {
			t.Fatal(err)
		}
		if found >= want {
			return
		}
	}
	t.Fatalf("%d of %d: %s", found, want, query)
}

// longest is the longest of the stored times between acceptance and a state of a scheme's payments made since a time.
func longest(t *testing.T, h *servicetest.Env, scheme rulebook.Scheme, state payment.State, since time.Time) time.Duration {
	t.Helper()
	var seconds float64
	err := h.DB.Owner(t).QueryRow(ctx, `SELECT coalesce(extract(epoch FROM max(y.at - m.accepted_at)), -1) FROM message m
		JOIN message_history y USING (realm, message_id) WHERE m.scheme = $1 AND y.to_state = $2 AND y.from_state <> y.to_state
		  AND m.created_at >= $3`,
		string(scheme), string(state), since).Scan(&seconds)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// busyMachine is what the bounds leave to a machine that does other things at the time. Without lanes of their own, Swiss payments of these
// numbers took 7 to 24 s, and the last SEPA payments were marked after 50 s to 200 s.
const busyMachine = 4 * time.Second

// TestASchemeThatHangsHoldsUpNothingElse lets SEPA's clearing hang with hundreds of payments under way: Swiss payments settle as ever, and
// every SEPA payment is unconfirmed when its time is over. The same after a restart, when they are all found at once.
func TestASchemeThatHangsHoldsUpNothingElse(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	network := &halfDead{}
	log := &testutil.Log{}
	h := servicetest.With(t, servicetest.Options{Now: runningClock(), Clearing: network})
	h.Log, network.house = log, h
	defer h.CheckInvariants(t)
	stop := goingOn(t, h)
	began := h.Now()
	var makers sync.WaitGroup
	for range 2 {
		makers.Go(func() { approveMany(t, h, rulebook.SchemeSCT, 150) })
	}
	makers.Go(func() { approveMany(t, h, rulebook.SchemeSIC, 40) })
	makers.Wait()
	until(t, h, 40, "SELECT count(*) FROM message WHERE scheme = 'sic-inst' AND state = 'Settled'")
	until(t, h, 300, "SELECT count(*) FROM message WHERE scheme = 'sct-inst' AND state = 'Unconfirmed'")
	settled, unconfirmed := longest(t, h, rulebook.SchemeSIC, payment.StateSettled, began), longest(
		t, h, rulebook.SchemeSCT, payment.StateUnconfirmed, began,
	)
	t.Logf("the longest: Swiss to settled %s, SEPA to unconfirmed %s; %d deliveries to SEPA tried", settled, unconfirmed, network.tried.Load())
	if settled > time.Second+busyMachine || unconfirmed < 10*time.Second || unconfirmed > 11*time.Second+busyMachine {
		t.Errorf("Swiss payments took up to %s to settle, SEPA payments %s to be unconfirmed", settled, unconfirmed)
	}
	if lines := strings.Count(log.String(), "clearing takes no documents"); lines != 1 || strings.Count(log.String(), "\n") > 100 {
		t.Errorf("the log tells of one interruption %d times, in all:\n%s", lines, log.String())
	}
	stop()

	again := h.Again(t, servicetest.Options{Now: h.Now, Clearing: network})
	network.house = again
	network.silent.Store(true)
	goingOn(t, again)
	began = h.Now()
	approveMany(t, again, rulebook.SchemeSIC, 10)
	until(t, again, 10, "SELECT count(*) FROM message WHERE scheme = 'sic-inst' AND state = 'Unconfirmed'")
	taken, unconfirmed := longest(t, h, rulebook.SchemeSIC, payment.StateProcessing, began), longest(
		t, h, rulebook.SchemeSIC, payment.StateUnconfirmed, began,
	)
	t.Logf("after a restart, the longest: Swiss to clearing %s, to unconfirmed %s", taken, unconfirmed)
	if taken > time.Second+busyMachine || unconfirmed > 11*time.Second+busyMachine {
		t.Errorf("after a restart Swiss payments took up to %s to clearing, %s to be unconfirmed", taken, unconfirmed)
	}
}

// TestWhatCannotBeSentIsNotInTheWayOfNewerMessages: documents that clearing does not take pause, are named once, and the newer ones go.
func TestWhatCannotBeSentIsNotInTheWayOfNewerMessages(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := listen(h)
	const stuck = 70 // more than a lane takes up at a time
	approveMany(t, h, rulebook.SchemeSIC, stuck)
	h.Clock.Add(time.Second)
	late := approved(t, h, rulebook.SchemeSIC)
	looking, end := context.WithCancel(ctx)
	defer end()
	var tried atomic.Int64
	h.Network.Refuse = func(d servicetest.Delivery) error {
		if tried.Add(1) > 10*stuck {
			end() // or it would go on for ever
		}
		if strings.Contains(d.Reference, string(late.GlobalID)) {
			return nil
		}
		return clearing.ErrNotAccepted
	}
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(looking)
	h.Clearing.RunOnce(looking)
	if looking.Err() != nil {
		t.Fatalf("%d messages that clearing does not take were tried %d times without a pause", stuck, tried.Load())
	}
	if sent := h.Network.Delivered(); len(sent) != 1 || sent[0].Reference != late.Reference() {
		t.Fatalf("clearing got %v, want the newest payment", sent)
	}
	for range 5 {
		h.Clock.Add(time.Minute)
		h.Clearing.RunOnce(ctx)
	}
	if named := strings.Count(log.String(), "a task of clearing failed and is retried"); named != stuck {
		t.Errorf("%d messages that clearing does not take are named %d times", stuck, named)
	}
	if state := h.Clearing.Connections()[0].State; state != clearing.ConnectionWorking {
		t.Errorf("documents that are not taken for themselves interrupt the connection: %s", state)
	}
}

// TestAConnectionIsInterruptedAndTried: when clearing takes nothing, deliveries are no longer tried, but for one now and then.
func TestAConnectionIsInterruptedAndTried(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	log := listen(h)
	approveMany(t, h, rulebook.SchemeSCT, 30)
	var tried atomic.Int64
	h.Network.Refuse = func(d servicetest.Delivery) error {
		tried.Add(1)
		if d.Scheme == rulebook.SchemeSCT {
			return errors.New("down")
		}
		return nil
	}
	h.Clock.Add(5 * time.Second)
	h.Clearing.RunOnce(ctx)
	if n := tried.Load(); n > 20 {
		t.Errorf("%d deliveries were tried of 30, want the ten that show that nothing is taken, and those under way", n)
	}
	swiss, sepa := h.Clearing.Connections()[0], h.Clearing.Connections()[1]
	if swiss.State != clearing.ConnectionWorking || sepa.State == clearing.ConnectionWorking || sepa.Since.IsZero() {
		t.Errorf("the connections are %v", h.Clearing.Connections())
	}
	other := approved(t, h, rulebook.SchemeSIC)
	send(t, h, other)
	h.Network.Refuse = nil
	for deadline := time.Now().Add(time.Minute); h.Clearing.Connections()[1].State != clearing.ConnectionWorking &&
		time.Now().Before(deadline); {
		h.Clock.Add(30 * time.Second)
		h.Clearing.RunOnce(ctx)
		time.Sleep(10 * time.Millisecond)
	}
	h.Clock.Add(30 * time.Second)
	h.Clearing.RunOnce(ctx)
	var left int
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT count(*) FROM message WHERE delivered_at IS NULL").Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d messages are not with clearing, which is back: %v", left, err)
	}
	for _, line := range []string{"clearing takes no documents", "clearing takes documents again"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("the log says %d times: %s", n, line)
		}
	}
}

// tried waits until connections that were interrupted are tried again.
func tried(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(
			h.Clearing.Connections(), func(c clearing.ConnectionStatus) bool { return c.State == clearing.ConnectionInterrupted },
		) {
			return
		}
	}
	t.Fatalf("the connections stay interrupted: %v", h.Clearing.Connections())
}

// stopped is a network on which the payments of realm demo never end, until they are let go.
type stopped struct {
	waiting   atomic.Int64
	letGo     chan struct{}
	delivered atomic.Int64 // of other realms
}

// Deliver waits with what is of realm demo, whose Global IDs begin with its mark.
func (n *stopped) Deliver(_ context.Context, _ rulebook.Scheme, reference string, _ []byte) error {
	if !strings.HasPrefix(reference, "P8DM") {
		n.delivered.Add(1)
		return nil
	}
	n.waiting.Add(1)
	<-n.letGo
	return clearing.ErrNotAccepted
}

// TestARealmThatFloodsAQueueDoesNotKeepOutAnother: with all deliveries that one realm may have under way stuck, and more waiting, the payment
// of another realm is sent.
func TestARealmThatFloodsAQueueDoesNotKeepOutAnother(t *testing.T) {
	t.Parallel()
	network := &stopped{letGo: make(chan struct{})}
	h := servicetest.With(t, servicetest.Options{Clearing: network, Workers: 8})
	const share = 6
	approveMany(t, h, rulebook.SchemeSIC, 20)
	h.Clock.Add(5 * time.Second)
	stop := h.Run(t)
	t.Cleanup(func() { close(network.letGo); stop() })
	eventually(t, "the realm has all it may have under way", func() bool { return network.waiting.Load() >= share })
	in := func(name string) identity.Principal {
		return h.Principal(t, servicetest.Door{Realm: "demo2", Name: name, Client: identity.PortalClient, Channel: identity.ChannelPortal})
	}
	approveOne(t, h, rulebook.SchemeSIC, in("maker1"), in("checker1"))
	eventually(t, "the payment of the other realm is sent", func() bool { return network.delivered.Load() == 1 })
	if n := network.waiting.Load(); n != share {
		t.Errorf("%d documents of one realm are under way, want no more than its share", n)
	}
}

// eventually waits for something that happens at once where nothing is in its way.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("it never happens that %s", what)
}
