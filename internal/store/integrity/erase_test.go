package integrity_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// erasure is the request to erase payments.
func erasure(ids ...uuid.UUID) service.RequestInput {
	return service.RequestInput{
		Kind: administration.KindRealmErased, Note: "Request 7",
		Values: administration.Values{"erasedPayments": strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]")},
	}
}

// TestErasingAPaymentLeavesItsDecisionItsAmountAndItsDigestsProven erases a payment of an archive by two administrators, never by one and never
// while it is in the database. Both programs then prove its decision, amount and digests without a name of it, and the other payment with its
// contents. A changed content, bundle or key is refused. The check names each key that is gone, changed or put back by somebody else.
func TestErasingAPaymentLeavesItsDecisionItsAmountAndItsDigestsProven(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	order := func() payment.Message {
		return settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), "sic-inst")))
	}
	first, second := order(), order()
	refused := func(why string, in service.RequestInput) {
		t.Helper()
		_, err := h.Admin.Request(ctx, h.Person(t, "admin1"), in)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("asked without %q: %v", why, err)
		}
	}
	refused("No archived payment has this internal ID", erasure(uuid.New()))
	refused("has no retention", erasure(first.InternalID))
	applied(t, h, service.RequestInput{Kind: administration.KindRealmRetention, Values: administration.Values{"retentionMonths": "13"}})
	file := archived(t, h)
	of, _, err := readArchive(t, file, h.DB.OwnerURL)
	must(t, err)
	refused("cannot be archived before "+of.Until.In(i18n.Zone()).AddDate(0, 13, 0).Format(time.DateOnly)+".", erasure(first.InternalID))
	batches(t, h, h.Create(t, h.Person(t, "maker1"), "sic-inst").InternalID)
	approval(t, h, of, false)
	approvedArchive(t, h, of)
	approval(t, h, of, true)
	done, err := integrity.Detach(ctx, kept(t, h, file))
	must(t, err)
	if done.Messages != 2 || done.Stayed != 0 {
		t.Fatalf("%+v", done)
	}
	if n := count(t, h, "batch WHERE external_id = 'refused'") + count(t, h, "batch_payment WHERE file_name = 'refused'"); n > 0 {
		t.Errorf("%d rows of a batch of the month stay", n)
	}
	if n := count(t, h, "batch"); n != 2 {
		t.Errorf("%d batches stay, of one that is not done and one with a payment", n)
	}
	_, err = h.Reader.Message(ctx, "demo", first.InternalID)
	if err == nil || !strings.Contains(err.Error(), of.Month) {
		t.Errorf("the payment that left is answered with %v", err)
	}
	bare := erasure(first.InternalID)
	bare.Note = ""
	refused("Enter the request", bare)
	asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), erasure(first.InternalID))
	must(t, err)
	_, err = h.Admin.Decide(ctx, h.Person(t, "admin1"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
	if err == nil {
		t.Error("one administrator erased alone")
	}
	provesAll(t, h, file, []payment.Message{first, second}, uuid.Nil)
	var whole string
	must(t, h.DB.Owner(t).QueryRow(ctx, "SELECT to_jsonb(p)::text FROM archived_payment p WHERE payment_id = "+
		"$1", first.InternalID).Scan(&whole))
	keys := dataKeys(t, h)
	h.Notary.Sweep(ctx)
	besideCheck(t, h, func() {
		_, err = h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
		must(t, err)
	})
	refused("Remove the ID "+first.InternalID.String()+" from the list. The personal data in this payment has already been erased",
		erasure(second.InternalID, first.InternalID))
	if n := count(t, h, "archived_payment WHERE key IS NULL"); n != 1 {
		t.Errorf("%d keys are erased", n)
	}
	provesAll(t, h, file, []payment.Message{first, second}, first.InternalID)
	h.Notary.Sweep(ctx)
	mustHold(t, h, h.DB.OwnerURL, "after the erasure")
	strikeKeys(t, h, first.InternalID, keys[first.InternalID.String()], whole)
}

// approval compares an archive, and another of its month, with what two administrators approved.
func approval(t *testing.T, h *servicetest.Env, of auditlog.Archive, want bool) {
	t.Helper()
	s, err := integrity.Open(ctx, h.DB.OwnerURL)
	must(t, err)
	defer s.Close(ctx)
	is, err := s.Approved(ctx, storetest.Keys(t), of)
	if err != nil || is != want {
		t.Errorf("an archive is approved: %v, %v, want %v", is, err, want)
	}
	approved := of.Digest
	of.Digest = strings.Repeat("0", len(approved))
	is, err = s.Approved(ctx, storetest.Keys(t), of)
	var other *integrity.OtherArchiveError
	if errors.As(err, &other) != want || is || want && !slices.Equal(other.Digests, []string{approved}) {
		t.Errorf("another archive of the month is approved: %v, %v", is, err)
	}
}

// besideCheck runs work in the middle of a check, after it read the records of payments. The check has nothing to name.
func besideCheck(t *testing.T, h *servicetest.Env, work func()) {
	t.Helper()
	line, through := h.DB.Relay(t)
	relay, err := url.Parse(through)
	must(t, err)
	owner, err := url.Parse(h.DB.OwnerURL)
	must(t, err)
	query := owner.Query()
	query.Set("host", relay.Query().Get("host"))
	owner.RawQuery = query.Encode()
	records, done := false, false
	line.Before(func(message []byte) {
		records = records || bytes.Contains(message, []byte("name: ArchivedPaymentPage"))
		if records && !done && bytes.Contains(message, []byte("name: ApprovedChangeList")) {
			done = true
			work()
		}
	})
	mustHold(t, h, owner.String(), "beside an erasure")
	if !done {
		t.Error("the check read no approved changes after the records")
	}
}

// batches adds three batches before the end of the month: of one all payments were refused, one is not done, and one has a payment.
func batches(t *testing.T, h *servicetest.Env, id uuid.UUID) {
	t.Helper()
	_, err := h.DB.Owner(t).Exec(ctx, `WITH made AS (INSERT INTO batch (realm, batch_id, client_id, user_id, external_id, fingerprint, payments,
		sender, created_at, done_at)
		SELECT 'demo', gen_random_uuid(), 'c', u.user_id, n.name, sha256(''), 1, 'x', $2::timestamptz,
		CASE WHEN n.name <> 'going on' THEN $2::timestamptz END
		FROM user_account u, unnest(ARRAY['refused', 'going on', 'a payment']) n (name) WHERE u.realm = 'demo' AND u.name = 'maker1'
		RETURNING batch_id, external_id)
		INSERT INTO batch_payment (realm, batch_id, position, message_id, findings, file_name)
		SELECT 'demo', batch_id, 1, CASE WHEN external_id = 'a payment' THEN $1::uuid END, CASE WHEN external_id <> 'a payment' THEN 'x'::bytea END,
		external_id FROM made`, id, h.Clock.Now())
	must(t, err)
}

// dataKeys are the data keys in the database as digits, by their payments.
func dataKeys(t *testing.T, h *servicetest.Env) map[string]string {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(ctx, "SELECT payment_id::text, encode(key, 'hex') FROM archived_payment WHERE key IS NOT NULL")
	must(t, err)
	defer rows.Close()
	keys := map[string]string{}
	for rows.Next() {
		var id, key string
		must(t, rows.Scan(&id, &key))
		keys[id] = key
	}
	must(t, rows.Err())
	return keys
}

// provesAll has both programs prove an archive of payments, of which one is erased, with the data keys and without any, and refuse it with
// changed contents, changed keys and a changed bundle.
func provesAll(t *testing.T, h *servicetest.Env, file []byte, payments []payment.Message, erased uuid.UUID) {
	t.Helper()
	for _, name := range []string{"Peter Haller", payments[0].Summary.CreditorAccount, "CdtTrfTxInf"} {
		if strings.Contains(unpacked(file), name) {
			t.Errorf("the archive has %s in clear", name)
		}
	}
	keys := dataKeys(t, h)
	for url, open := range map[string]int{"": 0, h.DB.OwnerURL: len(keys)} {
		of, messages, err := readArchive(t, file, url)
		must(t, err)
		if of.Erased != (len(payments)-len(keys))*min(open, 1) || of.Messages-of.Erased-of.Closed != open {
			t.Errorf("with the keys of %q: %+v", url, of)
		}
		for i, m := range messages {
			proved(t, m, payments[i])
			if m.Opened != (url != "" && m.Bundle.MessageID != erased.String()) || m.Opened == (len(m.Bundle.Contents) == 0) {
				t.Errorf("with the keys of %q message %s is open: %v, %d contents", url, m.Bundle.MessageID, m.Opened, len(m.Bundle.Contents))
			}
		}
	}
	other := strings.Repeat("ab", 32)
	last := payments[len(payments)-1].InternalID.String()
	contents := repacked(t, file, func(l []string) []string { l[8] = "A" + l[8][1:]; l[8] = l[8][:40] + "AAAA" + l[8][44:]; return l })
	amount := repacked(t, file, func(l []string) []string {
		l[2] = strings.Replace(l[2], `\"amount\":\"`, `\"amount\":\"9`, 1)
		l[3] = string(redigested(bytes.TrimSuffix([]byte(l[2]), []byte("\n")))[len(l[2]):])
		return l
	})
	_, _, err := readArchive(t, contents, h.DB.OwnerURL)
	if err == nil || !strings.Contains(err.Error(), last) {
		t.Errorf("changed contents: %v", err)
	}
	_, _, err = readArchive(t, amount, "")
	if err == nil {
		t.Error("another amount is proven")
	}
	said := otherProgram(t, [][]byte{file, contents, amount}, keys)
	if want := fmt.Sprintf("proven, 2 messages, 4 of 4 rights shown, contents of %d", len(keys)); said[0] != want ||
		!strings.HasPrefix(said[1], "refused") || !strings.HasPrefix(said[2], "refused") {
		t.Errorf("the other program says %q, not %q", said, want)
	}
	keys[last] = other
	if said := otherProgram(t, [][]byte{file}, keys); !strings.HasPrefix(said[0], "refused") {
		t.Errorf("with another key the other program says %q", said)
	}
}

// proved compares what an archive proves of a payment, with its contents or without, with the payment.
func proved(t *testing.T, m auditlog.ArchivedMessage, of payment.Message) {
	t.Helper()
	decisions := 0
	for _, event := range m.Proven.Events {
		if event.Decision != nil && bytes.Equal(event.Decision.ContentHash, of.ContentHash[:]) && event.Decision.Action == "approve" {
			decisions++
		}
	}
	v, last := m.Proven.Events[0].Version, m.Proven.Events[len(m.Proven.Events)-1]
	if m.Bundle.MessageID != of.InternalID.String() || decisions != 1 || v == nil || v.Amount != of.Summary.Amount.String() ||
		v.Currency != string(of.Summary.Amount.Currency()) || last.Move.To != "Settled" {
		t.Errorf("of payment %s it proves %d decisions, %+v, %s", of.InternalID, decisions, v, last.Move.To)
	}
	if document := m.Proven.Documents[v.DocumentID]; !bytes.Equal(document.ContentHash, of.ContentHash[:]) {
		t.Errorf("of payment %s it proves another digest", of.InternalID)
	}
}

// strikeKeys changes the records of payments in archives as a superuser, and has the check name each.
func strikeKeys(t *testing.T, h *servicetest.Env, erased uuid.UUID, key, whole string) {
	t.Helper()
	_, err := hex.DecodeString(key)
	must(t, err)
	back := `DELETE FROM archived_payment WHERE payment_id = '` + erased.String() + `';
		INSERT INTO archived_payment SELECT * FROM jsonb_populate_record(NULL::archived_payment, '` + whole + `')`
	round := 10
	since := audit(t, h, h.DB.OwnerURL).Newest
	named36 := func(i integrity.Invariant) bool { return i.ID == "I36" && len(i.Violations) > 0 }
	for what, strike := range map[string]string{
		"the record of a payment deleted": `DELETE FROM archived_payment WHERE key IS NOT NULL`,
		"the record of an erased payment": `DELETE FROM archived_payment WHERE key IS NULL`,
		"a key deleted without a decision": `UPDATE archived_payment p SET key = NULL, erased_by = e.erased_by, seal = e.seal
			FROM archived_payment e WHERE e.key IS NULL AND p.key IS NOT NULL`,
		"a key changed":                `UPDATE archived_payment SET key = sha256(key) WHERE key IS NOT NULL`,
		"a key put back":               `UPDATE archived_payment SET key = '\x` + key + `', erased_by = NULL WHERE payment_id = '` + erased.String() + `'`,
		"a row put back from a backup": back,
		"a row put back, and its decision deleted": back + `; DELETE FROM realm_change_decision d USING realm_change c
			WHERE d.change_id = c.change_id AND c.kind = 'realm.erased'`,
		"a row put back, and its change deleted": back + `; DELETE FROM realm_change_decision d USING realm_change c
			WHERE d.change_id = c.change_id AND c.kind = 'realm.erased'; DELETE FROM realm_change WHERE kind = 'realm.erased'`,
		"its messages changed":        `UPDATE archived_payment SET messages = messages + 1 WHERE key IS NULL`,
		"the decision of the erasure": `DELETE FROM realm_change_decision d USING archived_payment p WHERE d.change_id = p.erased_by`,
		"a record added for a " +
			"payment": `INSERT INTO archived_payment SELECT realm, gen_random_uuid(), key, change_id, messages, NULL, key_id, seal FROM archived_payment WHERE key IS NOT NULL`,
	} {
		round++
		d := newDrill(t, h, round)
		rows, err := d.conn.Exec(ctx, strike)
		must(t, err)
		if rows.RowsAffected() == 0 {
			t.Errorf("%s: nothing struck", what)
		}
		found := false
		for _, i := range audit(t, h, d.url).Invariants {
			found = found || len(i.Violations) > 0 && (i.ID == "I36" || strings.Contains(what, "put back, "))
		}
		if !found {
			t.Errorf("%s: not named", what)
		}
		if seen := strings.Contains(what, "erase") || strings.HasPrefix(what, "a key deleted") || what == "a key put back"; seen &&
			!slices.ContainsFunc(audit(t, h, d.url, since...).Invariants, named36) {
			t.Errorf("%s: not named since a checkpoint", what)
		}
	}
}

// dataKeyFile writes data keys as the other program reads them.
func dataKeyFile(t *testing.T, keys map[string]string) string {
	t.Helper()
	var lines strings.Builder
	for id, key := range keys {
		fmt.Fprintf(&lines, "%s %s\n", id, key)
	}
	name := filepath.Join(t.TempDir(), "keys")
	must(t, os.WriteFile(name, []byte(lines.String()), 0o600))
	return name
}
