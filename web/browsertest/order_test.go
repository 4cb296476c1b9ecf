package browsertest

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Accounts of the demo and of creditors whose banks take instant payments.
const (
	swissDebtor    = "CH5021977000004331346"
	swissCreditor  = "CH4821966000009613388"
	germanDebtor   = "DE62007620110623852957"
	frenchCreditor = "FR1420041010050500013M02606"
)

// orders counts the payments of this run, so that no two are alike: the portal asks about payments that look like an earlier one.
var orders atomic.Int64

// order is a payment that no rule refuses. Its creditor's name tells it from all others; a number alone would stand in the references of
// some of them too, by chance.
type order struct {
	scheme, name, amount, endToEndID string
	creditor                         string // the account; swissCreditor or frenchCreditor if empty
}

// newOrder makes a payment of its own. The cents let the clearing simulator settle it at once.
func newOrder(scheme string) order {
	n := orders.Add(1)
	return order{
		scheme: scheme, name: fmt.Sprintf("Muster Werk N%03d AG", n), amount: fmt.Sprintf("%d.40", 1000+n),
		endToEndID: fmt.Sprintf("E2E-%03d-%d", n, time.Now().UnixNano()%1e9),
	}
}

// currency is that of the scheme.
func (o order) currency() string {
	if o.scheme == "sct-inst" {
		return "EUR"
	}
	return "CHF"
}

// shown is the amount as pages write it: "CHF 1'001.40".
func (o order) shown() string {
	whole, cents, _ := strings.Cut(o.amount, ".")
	if len(whole) > 3 {
		whole = whole[:len(whole)-3] + "'" + whole[len(whole)-3:]
	}
	return o.currency() + " " + whole + "." + cents
}

// form is the order as the form of the portal sends it.
func (o order) form() map[string]any {
	form := map[string]any{
		"act": "check", "scheme": o.scheme, "debtorAccount": swissDebtor, "creditorName": o.name, "creditorIban": swissCreditor,
		"addressKind": "structured", "street": "Seestrasse", "buildingNumber": "41", "postcode": "8002", "town": "Zuerich", "country": "CH",
		"amount": o.amount, "remittanceKind": "text", "remittanceText": "Rechnung 1107", "endToEndId": o.endToEndID,
	}
	if o.scheme == "sct-inst" {
		maps.Copy(form, map[string]any{
			"debtorAccount": germanDebtor, "creditorIban": frenchCreditor, "postcode": "75001", "town": "Paris", "country": "FR",
		})
	}
	if o.creditor != "" {
		form["creditorIban"] = o.creditor
	}
	return form
}

// ownCreditor is a Swiss account that no other test pays: payments to an account that was paid before carry other warnings.
func ownCreditor() string {
	account := fmt.Sprintf("21966%012d", 4_000_000_000+orders.Add(1))
	number, _ := new(big.Int).SetString(account+"121700", 10) // CH00 in digits
	return fmt.Sprintf("CH%02d%s", 98-new(big.Int).Mod(number, big.NewInt(97)).Int64(), account)
}

// submitted is a message as the database has it.
type submitted struct {
	id, reference, state, hash string
	about                      string // "CHF 12.50 to Beispiel AG"
	version, decisions         int
}

// submit hands an order in without pages, and returns the message it became.
func (p *person) submit(o order) submitted {
	p.t.Helper()
	check := p.post("/payments/new", o.form())
	if !strings.HasSuffix(check, "/check") {
		p.t.Fatalf("the order %+v is refused: %q", o, check)
	}
	done := p.post(strings.TrimSuffix(check, "check")+"submit", map[string]any{"checked": p.shown(check)})
	if !strings.HasSuffix(done, "/submitted") {
		p.t.Fatalf("the order %+v is not submitted: %q", o, done)
	}
	return load(p.t, strings.Split(done, "/")[2])
}

// decide approves or rejects a message without pages, as one who saw it.
func (p *person) decide(m submitted, verb, reason string) {
	p.t.Helper()
	form := map[string]any{"version": fmt.Sprint(m.version), "contentHash": m.hash, "looked": "First payment; Possible duplicate; Correction; New name; Unusual amount"}
	if verb == "reject" {
		form["category"], form["reason"] = "other", reason
	}
	if place := p.post("/queue/"+m.id+"/"+verb, form); place == "" {
		p.t.Fatalf("%s of %s is refused", verb, m.reference)
	}
}

// count asks the database for a number.
func count(t *testing.T, query string, arguments ...any) int {
	t.Helper()
	var n int
	err := shared.program.database.QueryRow(context.Background(), query, arguments...).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// payments is how many messages pay the order.
func (o order) payments(t *testing.T) int {
	t.Helper()
	return count(t, "SELECT count(DISTINCT message_id) FROM message_version WHERE end_to_end_id = $1", o.endToEndID)
}

// find loads the only message that pays the order.
func (o order) find(t *testing.T) submitted {
	t.Helper()
	if n := o.payments(t); n != 1 {
		t.Fatalf("%d messages pay %s, want 1", n, o.endToEndID)
	}
	var id uuid.UUID
	err := shared.program.database.QueryRow(
		context.Background(), "SELECT message_id FROM message_version WHERE end_to_end_id = $1 LIMIT 1", o.endToEndID,
	).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return load(t, id.String())
}

// load reads a message as it is now.
func load(t *testing.T, id string) submitted {
	t.Helper()
	m := submitted{id: id}
	var hash []byte
	err := shared.program.database.QueryRow(context.Background(), `SELECT m.global_id, m.state, m.version, v.content_hash,
		v.currency || ' ' || replace(to_char(v.amount / 100.0, 'FM999,999,990.00'), ',', '''') || ' to ' || v.creditor_name,
		(SELECT count(*) FROM decision d WHERE d.realm = m.realm AND d.message_id = m.message_id)
		FROM message m JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
		WHERE m.message_id = $1`, uuid.MustParse(id)).Scan(&m.reference, &m.state, &m.version, &hash, &m.about, &m.decisions)
	if err != nil {
		t.Fatal(err)
	}
	m.hash = hex.EncodeToString(hash)
	return m
}

// is fails the test unless the message is in the state with so many decisions.
func (m submitted) is(t *testing.T, state string, decisions int) {
	t.Helper()
	now := load(t, m.id)
	if now.state != state || now.decisions != decisions {
		t.Fatalf("%s is %s after %d decisions, want %s after %d", m.reference, now.state, now.decisions, state, decisions)
	}
}

// becomes waits until the message is in the state: clearing works on its own.
func (m submitted) becomes(t *testing.T, state string) {
	t.Helper()
	var now submitted
	for deadline := time.Now().Add(patience * time.Millisecond); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		now = load(t, m.id)
		if now.state == state {
			return
		}
	}
	t.Fatalf("%s is %s, want %s", m.reference, now.state, state)
}
