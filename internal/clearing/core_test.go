package clearing_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/simulator"
	"countersign/internal/testutil"
)

// coreHouse is a gateway with a core bank, and a clearing that answers each payment: what it settled is its ledger.
type coreHouse struct {
	*servicetest.Env
	core *simulator.Core
	port *service.CoreBank

	mu       sync.Mutex
	ledger   map[string]int64 // settled by clearing, minor units by account; out is negative
	accepted map[string]int64 // amounts of incoming payments by transaction ID
	unfunded []string         // sent without a reservation
	sent     int
	group    sync.WaitGroup
}

// withCore is a gateway with a core bank that must answer within a time, on the clock of the machine.
func withCore(t *testing.T, within time.Duration, options servicetest.Options) *coreHouse {
	t.Helper()
	c := &coreHouse{core: simulator.NewCore(nil), ledger: map[string]int64{}, accepted: map[string]int64{}}
	c.port = portTo(t, c.core, within)
	options.At, options.Now, options.Core = time.Now(), time.Now, c.port
	c.Env = servicetest.With(t, options)
	c.Network.Refuse = func(d servicetest.Delivery) error { return c.answer(t, d) }
	return c
}

// portTo is the port to a core bank that must answer within a time.
func portTo(t *testing.T, core *simulator.Core, within time.Duration) *service.CoreBank {
	t.Helper()
	server := httptest.NewServer(core.Handler())
	t.Cleanup(server.Close)
	return service.NewCoreBank(service.CoreBankConfig{Address: server.URL, Within: within, Log: slog.New(slog.DiscardHandler)})
}

// openingBalance is the balance with which an account of the simulator begins.
const openingBalance = 100_000_000_00

// tag returns the content of the first element of a name.
func tag(content, name string) string {
	_, rest, _ := strings.Cut(content, "<"+name+">")
	value, _, _ := strings.Cut(rest, "<")
	return value
}

// answer plays clearing: it refuses every fourth payment and settles the others; it settles incoming payments that were accepted.
func (c *coreHouse) answer(t *testing.T, d servicetest.Delivery) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(d.Content, "pacs.002") {
		if tag(d.Content, "TxSts") == "ACCP" {
			id := tag(d.Content, "OrgnlTxId")
			c.ledger[receiving[d.Scheme]] += c.accepted[id]
			c.accepted[id] = 0
		}
		return nil
	}
	id := tag(d.Content, "TxId")
	_, msg, err := c.Messages.FindByGlobalID(ctx, payment.ID(id))
	if err != nil {
		return err
	}
	m, err := c.Messages.Message(ctx, "demo", msg)
	if err != nil {
		return err
	}
	known := false
	for _, p := range c.core.Payments() {
		known = known || p.ID == m.InternalID.String() && (p.Reserved || p.Result != "")
	}
	if !known {
		c.unfunded = append(c.unfunded, id)
	}
	c.sent++
	status, code := "ACCP", ""
	if c.sent%4 == 0 {
		status, code = "RJCT", "AC04"
	} else {
		c.ledger[m.OwnAccount()] -= m.Summary.Amount.Minor()
	}
	c.group.Go(func() {
		document := answer(t, m, "A-"+id, status, code)
		document.ReceivedAt = time.Now()
		if err := c.Clearing.Receive(ctx, document); err != nil {
			t.Error(err)
		}
	})
	return nil
}

// play makes n payments, half of them in, half of them out, four at a time.
func (c *coreHouse) play(t *testing.T, n int) {
	t.Helper()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := worker; i < n; i += 4 {
				scheme := rulebook.Schemes()[i/2%2]
				if i%2 == 0 {
					approved(t, c.Env, scheme)
					continue
				}
				id := fmt.Sprintf("CORE%06d", i)
				document := transfer(t, c.Env, scheme, id, receiving[scheme])
				tx := &document.CreditTransferTransactionInformation[0]
				tx.AcceptanceDateTime = nowISO()
				document.GroupHeader.CreationDateTime = nowISO()
				c.mu.Lock()
				c.accepted[id] = 100_00
				c.mu.Unlock()
				in := inbound(t, scheme, "IN-"+id, document, nil)
				in.ReceivedAt = time.Now()
				if err := c.Clearing.Receive(ctx, in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// untold counts the payments that are open, or whose end core banking was not told.
func (c *coreHouse) untold(t *testing.T) (count int) {
	t.Helper()
	must(t, c.DB.Owner(t).QueryRow(ctx, `SELECT count(*) FROM message m LEFT JOIN core_booking b USING (realm, message_id)
		WHERE m.state NOT IN ('Settled', 'Booked', 'Failed') OR b.message_id IS NOT NULL AND b.told_sequence IS DISTINCT FROM m.state_sequence`).
		Scan(&count))
	return count
}

// settle waits until everything ended and core banking knows it.
func (c *coreHouse) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); c.untold(t) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d payments are open or core banking was not told of their end", c.untold(t))
		}
	}
	c.group.Wait()
}

// check compares the ledger of core banking with that of clearing.
func (c *coreHouse) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unfunded) > 0 {
		t.Errorf("%d of %d payments left without a reservation: %v", len(c.unfunded), c.sent, c.unfunded[:min(3, len(c.unfunded))])
	}
	for _, a := range c.core.Accounts() {
		if a.Reserved != 0 || a.Balance-openingBalance != c.ledger[a.IBAN] {
			t.Errorf("%s: %d reserved, moved by %d, and by clearing's ledger %d", a.IBAN, a.Reserved, a.Balance-openingBalance, c.ledger[a.IBAN])
		}
		delete(c.ledger, a.IBAN)
	}
	for iban, moved := range c.ledger {
		if moved != 0 {
			t.Errorf("%s: core banking has no such account, clearing moved %d", iban, moved)
		}
	}
	for _, p := range c.core.Payments() {
		if p.Reserved || p.Bookings > 1 {
			t.Errorf("payment %s: reserved %t, booked %d times", p.GlobalID, p.Reserved, p.Bookings)
		}
	}
	var late int
	must(t, c.DB.Owner(t).QueryRow(ctx, `SELECT count(*) FROM message_history h JOIN message m USING (realm, message_id)
		WHERE h.to_state IN ('Settled', 'Failed', 'Unconfirmed') AND h.at > coalesce(m.accepted_at, m.created_at) + interval '10 seconds'`).Scan(&late))
	if late > 0 {
		t.Errorf("%d payments ended after the scheme's ten seconds", late)
	}
}

// states counts the messages of a direction by state.
func (c *coreHouse) states(t *testing.T, direction string) map[payment.State]int {
	t.Helper()
	rows, err := c.DB.Owner(t).Query(ctx, "SELECT state, count(*) FROM message WHERE direction = $1 GROUP BY state", direction)
	must(t, err)
	found := map[payment.State]int{}
	for rows.Next() {
		var state payment.State
		var count int
		must(t, rows.Scan(&state, &count))
		found[state] = count
	}
	must(t, rows.Err())
	return found
}

// No payment leaves without funds, no reservation is left over, and nothing is booked twice, with each fault of core banking.
func TestCoreBankingAndClearingAgreeInEveryFault(t *testing.T) {
	testutil.Long(t)
	n := testutil.Count(t, "COUNTERSIGN_CORE_PAYMENTS", 20)
	const within = 500 * time.Millisecond
	cases := []struct {
		name   string
		faults simulator.CoreFaults
		// sent and taken say whether payments leave, and come in.
		sent, taken bool
	}{
		{"in order", simulator.CoreFaults{}, true, true},
		{"slow", simulator.CoreFaults{Slow: 50 * time.Millisecond}, true, true},
		{"hangs", simulator.CoreFaults{Slow: 30 * time.Second}, false, false},
		{"down", simulator.CoreFaults{Down: true}, false, false},
		{"refuses", simulator.CoreFaults{Refuse: "AM04"}, false, false},
		{"works twice", simulator.CoreFaults{Twice: true}, true, true},
		{"answers are lost", simulator.CoreFaults{Lost: true}, false, false},
		{"answers late", simulator.CoreFaults{Late: time.Second}, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := withCore(t, within, servicetest.Options{})
			defer h.CheckInvariants(t)
			h.core.SetFaults(c.faults)
			h.Run(t)
			h.play(t, n)
			for deadline := time.Now().Add(20 * time.Second); h.states(t, "out")[payment.StateApproved] > 0 && time.Now().Before(deadline); {
				time.Sleep(20 * time.Millisecond)
			}
			h.core.SetFaults(simulator.CoreFaults{})
			h.settle(t)
			h.check(t)
			out, in := h.states(t, "out"), h.states(t, "in")
			if sent := h.sent > 0; sent != c.sent || c.sent && h.sent != n/2 || !c.sent && out[payment.StateFailed] != n/2 {
				t.Errorf("%d payments left, %v", h.sent, out)
			}
			if taken := in[payment.StateBooked]; c.taken && taken != n/2 || !c.taken && in[payment.StateFailed] != n/2 {
				t.Errorf("of the incoming ones: %v", in)
			}
		})
	}
}

// Restarts of core banking and of the gateway in the middle lose nothing.
func TestCoreBankingAndClearingAgreeThroughRestarts(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	n := testutil.Count(t, "COUNTERSIGN_CORE_PAYMENTS", 20)
	h := withCore(t, 2*time.Second, servicetest.Options{})
	defer h.CheckInvariants(t)
	playing, stop := context.WithCancel(ctx)
	var restarts sync.WaitGroup
	restarts.Go(func() {
		for playing.Err() == nil {
			end := h.Run(t)
			time.Sleep(150 * time.Millisecond)
			h.core.SetFaults(simulator.CoreFaults{Lost: true})
			time.Sleep(50 * time.Millisecond)
			h.core.SetFaults(simulator.CoreFaults{Down: true})
			time.Sleep(100 * time.Millisecond)
			h.core.SetFaults(simulator.CoreFaults{})
			end()
		}
	})
	h.play(t, n)
	stop()
	restarts.Wait()
	h.Run(t)
	h.settle(t)
	h.check(t)
}

// A process that ends between the reservation and its record, or between the record and the document, leaves no reservation over.
func TestACrashAroundAReservationLeavesNoneOver(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := withCore(t, time.Second, servicetest.Options{})
	defer h.CheckInvariants(t)
	h.core.SetFaults(simulator.CoreFaults{Late: 900 * time.Millisecond})
	m := approved(t, h.Env, rulebook.SchemeSIC)
	crashing, crash := context.WithCancel(ctx)
	go func() {
		for len(h.core.Payments()) == 0 {
			time.Sleep(time.Millisecond)
		}
		crash()
	}()
	err := h.Clearing.Send(crashing, m.Scheme, m.Realm, m.InternalID)
	if p := h.core.Payments(); err == nil || len(p) != 1 || !p[0].Reserved || h.sent != 0 {
		t.Fatalf("before the record: %v, %+v, %d sent", err, p, h.sent)
	}
	h.core.SetFaults(simulator.CoreFaults{})
	again := h.Again(t, servicetest.Options{Now: time.Now, Core: h.port})
	must(t, again.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID))
	h.group.Wait()
	h.Clearing.RunOnce(ctx)
	h.settle(t)
	h.check(t)
	want{state: payment.StateSettled}.check(t, h.Env, m)
}

// Without the answer of core banking the policy decides: a payment fails, leaves, or leaves unasked. A refusal ends it unless it is unasked.
func TestThePolicyDecidesWhenCoreBankingIsNotReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		funds         string
		down, refused payment.State
	}{
		{"", payment.StateFailed, payment.StateFailed},
		{"preferred", payment.StateSettled, payment.StateFailed},
		{"none", payment.StateSettled, payment.StateSettled},
	} {
		h := withCore(t, 100*time.Millisecond, servicetest.Options{CreditUnasked: c.funds != ""})
		askFunds(t, h.Env, c.funds)
		for faults, state := range map[simulator.CoreFaults]payment.State{{Down: true}: c.down, {Refuse: "AM04"}: c.refused} {
			h.core.SetFaults(faults)
			m := approved(t, h.Env, rulebook.SchemeSIC)
			send(t, h.Env, m)
			h.group.Wait()
			if now := current(t, h.Env, m); now.State != state {
				t.Errorf("funds %q, %+v: %s %s", c.funds, faults, now.State, now.StatusCode)
			}
		}
		h.core.SetFaults(simulator.CoreFaults{Down: true})
		in := transfer(t, h.Env, rulebook.SchemeSCT, "UNASKED", receiving[rulebook.SchemeSCT])
		in.GroupHeader.CreationDateTime, in.CreditTransferTransactionInformation[0].AcceptanceDateTime = nowISO(), nowISO()
		receive(t, h.Env, inbound(t, rulebook.SchemeSCT, "UNASKED", in, nil))
		state, code := payment.StateFailed, "AB05"
		if c.funds != "" {
			state, code = payment.StateBooked, ""
		}
		want{state: state, code: code}.check(t, h.Env, incoming(t, h.Env, rulebook.SchemeSCT, "UNASKED"))
		h.core.SetFaults(simulator.CoreFaults{})
		h.Clearing.RunOnce(ctx)
		h.settle(t)
	}
}

// A rejection by clearing after the booking takes the credit back.
func TestARejectionAfterTheBookingTakesTheCreditBack(t *testing.T) {
	t.Parallel()
	h := withCore(t, time.Second, servicetest.Options{})
	document := transfer(t, h.Env, rulebook.SchemeSIC, "BACK", receiving[rulebook.SchemeSIC])
	document.GroupHeader.CreationDateTime, document.CreditTransferTransactionInformation[0].AcceptanceDateTime = nowISO(), nowISO()
	receive(t, h.Env, inbound(t, rulebook.SchemeSIC, "BACK", document, nil))
	h.Clearing.RunOnce(ctx)
	if p := h.core.Payments(); len(p) != 1 || p[0].Booked != 100_00 {
		t.Fatalf("after the booking: %+v", p)
	}
	h.core.SetFaults(simulator.CoreFaults{Down: true}) // the first message is lost, and a poll finds it
	receive(t, h.Env, inbound(t, rulebook.SchemeSIC, "ST", reported(t, document, "ST", "RJCT", "AB05"), nil))
	h.Clearing.Drain(ctx)
	h.core.SetFaults(simulator.CoreFaults{})
	again := h.Again(t, servicetest.Options{Now: time.Now, Core: h.port})
	again.Clearing.RunOnce(ctx)
	if p := h.core.Payments(); p[0].Booked != 0 || p[0].Bookings != 2 || p[0].Result != "failed" {
		t.Errorf("after the rejection: %+v", p)
	}
	if h.untold(t) != 0 {
		t.Error("core banking confirmed, and the record does not say so")
	}
}

// A record that the gateway did not write lets no payment out.
func TestAPlantedReservationIsNoReservation(t *testing.T) {
	t.Parallel()
	h := withCore(t, time.Second, servicetest.Options{})
	log := &testutil.Log{}
	h.Log = log
	m := approved(t, h.Env, rulebook.SchemeSIC)
	_, err := h.DB.Owner(t).Exec(ctx, `INSERT INTO core_booking (realm, message_id, version, content_hash, asked_at, outcome, answered_at, key_id, mac)
		SELECT realm, message_id, version, content_hash, now(), 'accepted', now(), key_id, mac FROM release WHERE message_id = $1`, m.InternalID)
	must(t, err)
	err = h.Clearing.Send(ctx, m.Scheme, m.Realm, m.InternalID)
	if err == nil || h.sent != 0 || alarms(log) == 0 {
		t.Errorf("%v, %d sent, %d alarms", err, h.sent, alarms(log))
	}
}

var _ clearing.Core = (*service.CoreBank)(nil)

// askFunds makes a policy of the demo realm, for everything, by two administrators.
func askFunds(t *testing.T, h *servicetest.Env, funds string) {
	t.Helper()
	values := administration.Values{"approvals": "1", "rank": "1000"}
	if funds != "" {
		values["funds"] = funds
	}
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{Kind: administration.KindPolicyCreate, Values: values})
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	must(t, err)
}

// nowISO is the time of the machine as a document has it.
func nowISO() iso20022.ISODateTime { return iso20022.DateTimeOf(time.Now()) }
