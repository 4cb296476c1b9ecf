package clearing_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/clearing"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// auditedRefusal is a row of the audit trail that tells of a refusal.
type auditedRefusal struct{ realm, event, message, detail string }

func auditedRefusals(t *testing.T, h *servicetest.Env) []auditedRefusal {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(ctx, `SELECT realm, event, coalesce(message_id::text, ''), detail FROM audit_event
		WHERE outcome = 'refused' ORDER BY event_id`)
	if err != nil {
		t.Fatal(err)
	}
	var list []auditedRefusal
	for rows.Next() {
		var r auditedRefusal
		err = rows.Scan(&r.realm, &r.event, &r.message, &r.detail)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// stranger is a status report about a payment that nobody sent.
func stranger(t *testing.T, number int) clearing.Document {
	t.Helper()
	reference := fmt.Sprintf("LOST-%d", number)
	return inbound(t, rulebook.SchemeSIC, reference, &iso20022.FIToFIPaymentStatusReport{
		GroupHeader:                     iso20022.GroupHeader91{MessageID: reference, CreationDateTime: "2026-03-02T11:00:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{OriginalTransactionID: reference, TransactionStatus: "ACSC"}},
	}, nil)
}

func TestWhatIsQuarantinedOrRefusedIsAudited(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	m := approved(t, h, rulebook.SchemeSIC)
	send(t, h, m)
	disagrees := answer(t, m, "DISAGREES", "ACSC", "")
	disagrees.Scheme = rulebook.SchemeSCT
	receive(t, h, disagrees)
	receive(t, h, stranger(t, 1))
	another := stranger(t, 2) // under a used id
	another.Reference = "LOST-1"
	receive(t, h, another)
	execute(t, h.DB.ConnectAsApplication(t, "demo2"), `INSERT INTO outbox (scheme, reference, name, content, created_at, key_id, mac)
		VALUES ('sic-inst', 'FORGED', 'pacs.002.001.10', 'x', $1, 'test', sha256('x'))`, h.Clock.Now())
	look(h)
	want := []struct{ realm, event, message, says string }{
		{"demo", "document.quarantined", m.InternalID.String(), "this document came through"},
		{"demo", "document.quarantined", "", "LOST-1"},
		{"demo", "document.quarantined", "", "was already used for another document"},
		{"demo2", "answer.refused", "", "FORGED"},
	}
	got := auditedRefusals(t, h)
	if len(got) != len(want) {
		t.Fatalf("%d refusals in the audit trail, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		if g := got[i]; g.realm != w.realm || g.event != w.event || g.message != w.message || !strings.Contains(g.detail, w.says) {
			t.Errorf("refusal %d is %v, want %v", i, g, w)
		}
	}
	if now := current(t, h, m); now.State == payment.StateSettled {
		t.Errorf("the payment is %s", now.State)
	}
}

func TestAFloodOfStrangeDocumentsFillsNoAuditTrail(t *testing.T) {
	t.Parallel()
	const flood = 130
	h := servicetest.New(t)
	for number := range flood {
		receive(t, h, stranger(t, number))
	}
	var counted int
	err := h.DB.Owner(t).QueryRow(ctx, "SELECT sum(refused) FROM refusal_count WHERE realm = 'demo' AND event = 'document.quarantined'").
		Scan(&counted)
	if rows := len(auditedRefusals(t, h)); err != nil || rows != 100 || counted != flood {
		t.Errorf("%d rows and %d counted of %d, want 100 rows and all counted: %v", rows, counted, flood, err)
	}
}
