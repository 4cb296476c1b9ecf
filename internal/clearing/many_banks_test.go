package clearing_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/simulator"
	"countersign/internal/testutil"
)

// payIn is a payment of another bank and what becomes of it.
type payIn struct {
	message  string // MsgId, which is clearing's own
	document *iso20022.FIToFICustomerCreditTransfer
	late     bool // its time was over when it arrived
	copies   int  // how often it came again
	changed  bool // it came again with another amount
	recalled bool // its recall overtook it
	asked    bool // a question about it overtook it
	cents    int64
	end      string // what clearing says after our ACCP: ACSC, RJCT or "" for nothing
}

// manyBanks are the payments of many banks that number their payments alike.
type manyBanks struct {
	t      *testing.T
	h      *servicetest.Env
	scheme rulebook.Scheme
	random *rand.Rand
	banks  int
	all    []*payIn
	seen   int // documents delivered to clearing that were looked at
	said   map[string][]string
	ledger int64 // what clearing settled, in cents
	core   *simulator.Core
}

// next makes a payment of a bank under the number it has reached.
func (b *manyBanks) next(i int) *payIn {
	bank := i % b.banks
	bic := string([]byte{'B', byte('A' + bank/26), byte('A' + bank%26), 'X'}) + "DEFFXXX"
	p := &payIn{message: fmt.Sprintf("CSM%s%07d", b.scheme[:3], i), cents: 1 + b.random.Int64N(99_999)}
	p.document = transferOf(b.t, b.h, b.scheme, bic, fmt.Sprintf("20261129%08d", 1+i/b.banks), p.message)
	tx := &p.document.CreditTransferTransactionInformation[0]
	setIncoming(p.document, tx, string(profileOf(b.scheme).Currency), decimal.MustNew(p.cents, 2).String())
	tx.AcceptanceDateTime = ago(b.h, time.Second)
	p.end = "ACSC"
	switch b.random.IntN(25) {
	case 0:
		p.late, tx.AcceptanceDateTime = true, ago(b.h, 11*time.Second)
	case 1:
		p.copies = 1 + b.random.IntN(2)
	case 2:
		p.changed = true
	case 3:
		p.recalled = true
	case 4:
		p.asked = true
	case 5:
		p.end = "RJCT"
	case 6:
		p.end = ""
	}
	return p
}

// arrivals are the documents of a payment in the order they come in. Half of them come under an id of the transport that other banks use.
func (b *manyBanks) arrivals(p *payIn) []clearing.Document {
	reference := func(kind string) string {
		if b.random.IntN(2) == 0 {
			return kind + p.document.CreditTransferTransactionInformation[0].PaymentID.TransactionID
		}
		return kind + p.message
	}
	come := func(kind string, document iso20022.Document) clearing.Document {
		d := inbound(b.t, b.scheme, reference(kind), document, nil)
		d.ReceivedAt = b.h.Clock.Now()
		return d
	}
	var list []clearing.Document
	if p.recalled {
		recall := byCustomer(b.scheme)
		recall.ID = "RE" + p.message
		list = append(list, come("R", recalling(b.t, b.h, p.document, recall)))
	}
	if p.asked {
		question := askingAbout(b.t, b.h, b.scheme, p.document)
		question.GroupHeader.MessageID = "Q" + p.message
		question.GroupHeader.InstructingAgent = p.document.GroupHeader.InstructingAgent
		list = append(list, come("Q", question))
	}
	list = append(list, come("P", p.document))
	for range p.copies {
		list = append(list, come(fmt.Sprintf("C%d", b.random.Uint32()), p.document))
	}
	if p.changed {
		other := *p.document
		other.CreditTransferTransactionInformation = append([]iso20022.CreditTransferTransaction39{}, other.CreditTransferTransactionInformation...)
		setIncoming(&other, &other.CreditTransferTransactionInformation[0], string(profileOf(b.scheme).Currency), "123456.78")
		if b.scheme == rulebook.SchemeSIC {
			setIncoming(&other, &other.CreditTransferTransactionInformation[0], "CHF", "19999.99")
		}
		list = append(list, come("X", &other))
	}
	return list
}

// receive brings the documents of payments in, several payments at a time, those of one payment in their order.
func (b *manyBanks) receive(batch []*payIn) {
	lists := make([][]clearing.Document, len(batch))
	for i, p := range batch {
		lists[i] = b.arrivals(p)
	}
	var group sync.WaitGroup
	const senders = 8
	for worker := range senders {
		group.Go(func() {
			for i := worker; i < len(lists); i += senders {
				for _, d := range lists[i] {
					b.bring(d)
				}
			}
		})
	}
	group.Wait()
}

// bring sends a document until it is stored, as clearing does: a busy machine may end a transaction.
func (b *manyBanks) bring(d clearing.Document) {
	var err error
	for range 20 {
		err = b.h.Clearing.Receive(ctx, d)
		if err == nil || errors.Is(err, clearing.ErrDuplicate) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Errorf("%s: %v", d.Reference, err)
}

// deliver lets all answers out and notes the answer about each payment.
func (b *manyBanks) deliver() {
	for more := true; more; {
		b.h.Clock.Add(3 * time.Second)
		b.h.Clearing.RunOnce(ctx)
		sent := b.h.Network.Delivered()
		more = len(sent) > b.seen
		for _, d := range sent[b.seen:] {
			message := between(d.Content, "<OrgnlMsgId>", "</OrgnlMsgId>")
			if !strings.Contains(d.Content, "xsd:pacs.002") {
				continue
			}
			status := between(d.Content, "<TxSts>", "</TxSts>")
			if code := between(d.Content, "<Cd>", "</Cd>"); status == "RJCT" {
				status += " " + code
			}
			b.said[message] = append(b.said[message], status)
		}
		b.seen = len(sent)
	}
}

// settle has clearing say how the payments that we accepted ended.
func (b *manyBanks) settle(batch []*payIn) {
	for _, p := range batch {
		if !slices.Contains(b.said[p.message], "ACCP") || p.end == "" {
			continue
		}
		reason := ""
		if p.end == "RJCT" {
			reason = "AB06"
		} else {
			b.ledger += p.cents
		}
		d := inbound(b.t, b.scheme, "E"+p.message, reported(b.t, p.document, "E"+p.message, p.end, reason), nil)
		b.bring(d)
	}
}

// check holds that each payment was answered as it had to be, and that as much was booked as clearing settled.
func (b *manyBanks) check() {
	for _, p := range b.all {
		first := "ACCP"
		if p.late {
			first = "RJCT AB05"
		}
		want := 1 + p.copies
		if p.changed {
			want++
		}
		if p.asked {
			want++
		}
		answers, right := b.said[p.message], 0
		for _, said := range answers {
			if said == first || p.changed && said == "RJCT AM05" || p.late && said == "RJCT AB05" {
				right++
			}
		}
		if len(answers) != want || right != want {
			b.t.Errorf("%s %+v was answered %q, want %d times %s", p.message, *p, answers, want, first)
		}
	}
	var booked, accepted, wrong int64
	must(b.t, b.h.DB.Owner(b.t).QueryRow(ctx, `SELECT coalesce(sum(v.amount) FILTER (WHERE m.state = 'Booked'), 0),
			count(*) FILTER (WHERE m.state = 'Accepted'), count(*) FILTER (WHERE m.state NOT IN ('Booked', 'Accepted', 'Failed'))
		FROM message m JOIN message_version v USING (realm, message_id) WHERE m.kind = 'payment' AND m.scheme = $1`, b.scheme,
	).Scan(&booked, &accepted, &wrong))
	var unconfirmed int64
	for _, p := range b.all {
		if p.end == "" && !p.late {
			unconfirmed++
		}
	}
	if booked != b.ledger || accepted != unconfirmed || wrong != 0 {
		b.t.Errorf("%s: booked %d cents, clearing settled %d; %d wait for clearing, want %d; %d in other states", b.scheme, booked, b.ledger,
			accepted, unconfirmed, wrong)
	}
	for _, a := range b.core.Accounts() {
		if a.IBAN == receiving[b.scheme] && a.Balance-openingBalance != b.ledger {
			b.t.Errorf("%s: core banking booked %d cents, clearing settled %d", b.scheme, a.Balance-openingBalance, b.ledger)
		}
	}
	for _, p := range b.core.Payments() {
		if p.Bookings > 1 {
			b.t.Errorf("payment %s was booked %d times", p.GlobalID, p.Bookings)
		}
	}
}

// Many banks that number their payments alike pay in at the same time, some late, twice, with their recall or a question before them, and
// the gateway restarts: each payment is answered, booked once, here and by core banking, and only when it settled. make test-long brings 10,000
// payments of 200 banks.
func TestManyBanksPayIn(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	payments := testutil.Count(t, "COUNTERSIGN_PAYMENTS_IN", 240)
	profiles, err := profile.NewRegistry(nil)
	must(t, err)
	for scheme, name := range map[rulebook.Scheme]string{rulebook.SchemeSIC: "sic-iso", rulebook.SchemeSCT: "sct-epc"} {
		profiles, err = profiles.Choose(string(scheme), name, profile.Ends{})
		must(t, err)
	}
	core := simulator.NewCore(nil)
	options := servicetest.Options{Profiles: profiles, Core: portTo(t, core, 5*time.Second)}
	h := servicetest.With(t, options)
	for _, scheme := range rulebook.Schemes() {
		b := &manyBanks{
			t: t, h: h, core: core, scheme: scheme, random: rand.New(rand.NewPCG(47, 1)), banks: max(10, payments/50), said: map[string][]string{},
			seen: len(h.Network.Delivered()),
		}
		const batch = 60
		for from := 0; from < payments/2; from += batch {
			for i := from; i < min(from+batch, payments/2); i++ {
				b.all = append(b.all, b.next(i))
			}
			b.receive(b.all[from:])
			if from%(2*batch) == 0 { // the process dies before the answers leave
				h = h.Again(t, options)
				b.h = h
			}
			b.deliver()
			b.settle(b.all[from:])
			b.deliver()
		}
		b.h.Clock.Add(2 * time.Minute)
		b.deliver()
		b.check()
	}
	h.CheckInvariants(t)
}
