package simtest

import (
	"errors"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// judge holds what people wanted, what the gateway says, and what took effect at clearing against each other: nothing is lost, nothing is
// there twice, and no amount or account is another one.
func (g *game) judge() {
	g.bank.mu.Lock()
	defer g.bank.mu.Unlock()
	wanted := map[string]*order{}
	for _, o := range g.orders {
		m, err := g.read(demo.Realm, o.id)
		if err != nil {
			g.blame("%s was acknowledged and is lost: %v", o.name, err)
			continue
		}
		if m.Summary.Amount != o.amount || m.Summary.EndToEndID != o.name || m.Withheld != "" {
			g.blame("%s is of %s and not %s; withheld: %q", o.name, m.Summary.Amount, o.amount, m.Withheld)
		}
		if o.released() {
			wanted[string(m.GlobalID)] = o
		}
	}
	for transaction, p := range g.bank.paid {
		o := wanted[transaction]
		delete(wanted, transaction)
		if o == nil {
			g.blame("%s (%s) took effect, and nobody wanted it", transaction, p.endToEnd)
			continue
		}
		asked := o.Document.PaymentInformation[0]
		creditor := asked.CreditTransferTransactionInformation[0].CreditorAccount.ID.IBAN
		if p.amount != o.amount || p.scheme != o.Scheme || p.debtor != asked.DebtorAccount.ID.IBAN || p.creditor != creditor {
			g.blame("%s was to move %s to %s, and %s moved to %s", o.name, o.amount, creditor, p.amount, p.creditor)
		}
		g.count.paid++
	}
	for _, o := range wanted {
		g.blame("%s was released and never took effect", o.name)
	}
	g.count.refused = g.bank.refused
	g.judgeIncoming()
	g.judgeRequests()
}

// read reads a message as the gateway has it. A connection that broke while it was idle is noticed at its next use.
func (g *game) read(realm string, id uuid.UUID) (m payment.Message, err error) {
	for range 5 {
		m, err = g.house.Messages.Message(ctx, realm, id)
		if !errors.Is(err, store.ErrUnavailable) {
			break
		}
	}
	return m, err
}

// judgeIncoming holds what other banks sent against what is booked. What is to nobody here is answered and becomes no message.
func (g *game) judgeIncoming() {
	for transaction, a := range g.bank.incoming {
		g.count.incoming++
		realm, id, err := g.house.Incoming(ctx, schemeOf(a), transaction)
		if errors.Is(err, store.ErrUnavailable) { // by a connection that broke before
			realm, id, err = g.house.Incoming(ctx, schemeOf(a), transaction)
		}
		ours := strings.HasPrefix(a.transfer.Creditor.IBAN, "CH50") || strings.HasPrefix(a.transfer.Creditor.IBAN, "DE")
		if !ours {
			if err == nil || a.answer != "RJCT" {
				g.blame("%s is to nobody here, and was answered %q: %v", transaction, a.answer, err)
			}
			continue
		}
		if err != nil {
			g.blame("%s came in and is lost: %v", transaction, err)
			continue
		}
		m, err := g.read(realm, id)
		if err != nil || m.Summary.Amount != a.transfer.Amount {
			g.blame("%s came in with %s and is booked with %s: %v", transaction, a.transfer.Amount, m.Summary.Amount, err)
		}
		booked := m.State == payment.StateBooked
		if refused := a.answer == "RJCT"; booked == refused {
			g.blame("%s is %s, and the other bank was told %s", transaction, m.State, a.answer)
		}
	}
}

// judgeEnd holds the end of every order against what clearing did with it, and has the gateway leave nothing behind.
func (g *game) judgeEnd() {
	for _, o := range g.orders {
		m, err := g.read(demo.Realm, o.id)
		if err != nil || m.State != g.ends(o, true) {
			g.blame("%s is %s and not %s: %v", o.name, m.State, g.ends(o, true), err)
		}
		if o.plan == toLeave {
			g.withdraw(o)
		}
	}
	for _, r := range g.requests {
		m, err := g.read(demo.Realm, r.id)
		if !r.void && (err != nil || m.State != g.endOf(r, true)) {
			g.blame("%s is %q and not %s: %v", r.name, m.State, g.endOf(r, true), err)
		}
	}
	g.judgeAnswered()
	if text := g.bank.accusations(); text != "" {
		g.blame("clearing says: %s", text)
	}
	g.seal()
}

// audit has the auditor look at the database, with all keys.
func (s *ground) audit() (wrong []string) {
	report, err := integrity.Check(ctx, integrity.Config{
		DatabaseURL: s.db.OwnerURL, Seal: s.db.Seal, Tokens: storetest.Keys(s.t), AuditKeys: storetest.AuditKeys(s.t), Now: s.clock.Now(),
		Zone: s.start.Location(),
	})
	must(s.t, err)
	for _, i := range report.Invariants {
		for _, v := range i.Violations {
			wrong = append(wrong, i.ID+" is broken by "+v.Table+" "+v.Key+": "+v.What)
		}
	}
	return wrong
}
