package integrity_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/administration"
	"countersign/internal/auditlog"
	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
)

// monthNow is the month of the clock, and later is a time by which it is over and the longest retention of the tests too.
func monthNow(h *servicetest.Env) (month string, later time.Time) {
	return h.Clock.Now().Format("2006-01"), h.Clock.Now().AddDate(2, 0, 0)
}

// archived archives the month of the clock.
func archived(t *testing.T, h *servicetest.Env) []byte {
	t.Helper()
	var file bytes.Buffer
	archiveTo(t, h, &file)
	return file.Bytes()
}

// archiveTo writes the archive of the month of the clock.
func archiveTo(t *testing.T, h *servicetest.Env, file io.Writer) {
	t.Helper()
	h.Notary.Sweep(ctx)
	s, err := integrity.Open(ctx, h.DB.OwnerURL)
	must(t, err)
	defer s.Close(ctx)
	keys := integrity.ContentKeys{URL: h.DB.OwnerURL}
	defer keys.Close(ctx)
	in := integrity.ArchiveInput{Realm: "demo", Seal: h.Seal, Trusted: publicKeys(t), Keys: &keys}
	in.Month, in.Now = monthNow(h)
	_, err = s.Archive(ctx, in, file)
	must(t, err)
}

// readArchive verifies an archive, with the data keys of a database or without, and returns its messages.
func readArchive(t *testing.T, file []byte, url string) (of auditlog.Archive, messages []auditlog.ArchivedMessage, err error) {
	t.Helper()
	keys := integrity.ContentKeys{URL: url}
	defer keys.Close(ctx)
	of, err = auditlog.ReadArchive(bytes.NewReader(file), publicKeys(t), keys.Keys(ctx), func(m auditlog.ArchivedMessage) error {
		messages = append(messages, m)
		return nil
	})
	return of, messages, err
}

// unpacked returns the text of an archive, "" for a broken one.
func unpacked(file []byte) string {
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return ""
	}
	return string(text)
}

// repacked changes the lines of an archive and writes number and digest anew, as somebody would who adjusts them.
func repacked(t *testing.T, file []byte, change func(lines []string) []string) []byte {
	t.Helper()
	lines := strings.SplitAfter(unpacked(file), "\n")
	lines = change(lines[:len(lines)-2])
	digest := sha256.Sum256([]byte(strings.Join(lines, "")))
	lines = append(lines, fmt.Sprintf("end %d %s\n", (len(lines)-1)/4, hex.EncodeToString(digest[:])))
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	_, err := out.Write([]byte(strings.Join(lines, "")))
	must(t, err)
	must(t, out.Close())
	return packed.Bytes()
}

// TestAnArchiveProvesItsMonthAndEveryChangeIsRefused archives messages of every kind that ended, and has both verifiers prove the file and
// refuse it cut, reordered, mixed with another, or edited, also where number and digest of the lines were written anew.
func TestAnArchiveProvesItsMonthAndEveryChangeIsRefused(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	fill(t, h, 4)
	file := archived(t, h)
	of, messages, err := readArchive(t, file, h.DB.OwnerURL)
	must(t, err)
	if of.Closed+of.Erased > 0 {
		t.Errorf("the contents of %d messages are not proven", of.Closed+of.Erased)
	}
	kinds := map[string]int{}
	for _, m := range messages {
		move := m.Proven.Events[len(m.Proven.Events)-1].Move
		kinds[move.Kind+" "+move.To]++
	}
	waiting := count(t, h, `message WHERE state NOT IN ('Settled', 'Booked', 'Rejected', 'Withdrawn', 'Answered', 'Failed')`)
	t.Logf("%d messages in %d bytes: %v; %d in other states stay", of.Messages, len(file), kinds, waiting)
	for _, kind := range []string{"instruction Settled", "instruction Rejected", "instruction Withdrawn", "payment Booked"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s is archived", kind)
		}
	}
	h.Clock.Add(time.Second)
	settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), "sic-inst")))
	other := archived(t, h)
	files := map[string][]byte{
		"cut":                 file[:len(file)-9],
		"followed by another": append(bytes.Clone(file), other...),
		"without a line":      repacked(t, file, func(l []string) []string { return append(l[:1:1], l[2:]...) }),
		"reordered":           repacked(t, file, func(l []string) []string { return append(append(l[:1:1], l[5:9]...), append(l[1:5:5], l[9:]...)...) }),
		"a message twice":     repacked(t, file, func(l []string) []string { return append(l[:5:5], l[1:]...) }),
		"mixed": repacked(t, file, func(l []string) []string {
			repacked(t, other, func(o []string) []string { l = append(l, o[len(o)-4:]...); return o })
			return l
		}),
		"of another month": repacked(t, file, func(l []string) []string {
			month, _ := monthNow(h)
			at, err := time.Parse("2006-01", month)
			must(t, err)
			until, err := auditlog.EndOf(at.AddDate(0, -1, 0).Format("2006-01"))
			must(t, err)
			now, err := auditlog.EndOf(month)
			must(t, err)
			l[0] = strings.ReplaceAll(l[0], month, at.AddDate(0, -1, 0).Format("2006-01"))
			l[0] = strings.ReplaceAll(l[0], now.Format(time.RFC3339), until.Format(time.RFC3339))
			return l
		}),
		"empty": repacked(t, file, func(l []string) []string { return l[:1] }),
		"edited": repacked(t, file, func(l []string) []string {
			l[2] = strings.Replace(l[2], `\"action\":\"`, `\"action\":\"x`, 1)
			return l
		}),
		"edited, with the digest of its bundle": repacked(t, file, func(l []string) []string {
			l[2] = strings.Replace(l[2], `\"action\":\"`, `\"action\":\"x`, 1)
			digest := sha256.Sum256([]byte(strings.TrimSuffix(l[2], "\n")))
			l[3] = hex.EncodeToString(digest[:]) + "\n"
			return l
		}),
	}
	asked := [][]byte{file}
	for what, changed := range files {
		_, _, err := readArchive(t, changed, "")
		if err == nil {
			t.Errorf("%s, and it proves all the same", what)
		}
		asked = append(asked, changed)
	}
	for i, verdict := range otherProgram(t, asked) {
		want := "proven, " + strconv.Itoa(of.Messages) + " messages"
		if strings.HasPrefix(verdict, want) != (i == 0) {
			t.Errorf("file %d: the other program says %s", i, verdict)
		}
	}
	for i := 0; i < len(file); i += 1 + len(file)/300 {
		changed := bytes.Clone(file)
		changed[i] ^= 4
		_, _, err := readArchive(t, changed, "")
		if err == nil && unpacked(changed) != unpacked(file) { // a packed text may have two forms
			t.Errorf("byte %d of the file flipped, and it proves all the same", i)
		}
	}
}

// kept makes the input that detaches an archive.
func kept(t *testing.T, h *servicetest.Env, file []byte) integrity.DetachInput {
	t.Helper()
	signer, err := auditlog.NewSigner(storetest.AuditKeys(t))
	must(t, err)
	_, later := monthNow(h)
	return integrity.DetachInput{
		OwnerURL: h.DB.OwnerURL, Archive: bytes.NewReader(file), Seal: h.Seal, Tokens: storetest.Keys(t), Signer: signer, Now: later, Batch: 5,
	}
}

// approvedArchive has two administrators approve an archive once its month is over; the clock goes back then.
func approvedArchive(t *testing.T, h *servicetest.Env, of auditlog.Archive) {
	t.Helper()
	now := h.Clock.Now()
	h.Clock.Set(of.Until)
	defer h.Clock.Set(now)
	applied(t, h, service.RequestInput{
		Kind: administration.KindRealmArchived, Values: administration.Values{"archivedMonth": of.Month, "archiveDigest": of.Digest},
	})
}

// mustHold checks the database: clean, or with findings of some invariants alone.
func mustHold(t *testing.T, h *servicetest.Env, url, when string) {
	t.Helper()
	for _, i := range audit(t, h, url).Invariants {
		for _, v := range i.Violations {
			t.Errorf("%s: %s is broken by %s %s: %s", when, i.ID, v.Table, v.Key, v.What)
		}
	}
}

// TestRowsLeaveWithTheirArchiveAlone has payments of every kind leave the database. They leave only with an archive that two administrators
// approved, after the retention, and only as the archive proves them; ended in the middle and run again, each leaves once. The check then
// accepts what left, and names every row that somebody removes, brings back or forges besides.
func TestRowsLeaveWithTheirArchiveAlone(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	fill(t, h, 4)
	_, recovery := enrol(t, h, "both1")
	for _, code := range recovery[:2] {
		signInWith(t, h, "both1", code)
		h.Clock.Add(time.Second)
	}
	file := archived(t, h)
	of, messages, err := readArchive(t, file, h.DB.OwnerURL)
	must(t, err)
	refusedFor := func(why string, in integrity.DetachInput) {
		t.Helper()
		_, err := integrity.Detach(ctx, in)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("detached without %q: %v", why, err)
		}
	}
	refusedFor("no retention", kept(t, h, file))
	applied(t, h, service.RequestInput{Kind: administration.KindRealmRetention, Values: administration.Values{"retentionMonths": "24"}})
	refusedFor("stay until", kept(t, h, file))
	h.Clock.Add(time.Second)
	applied(t, h, service.RequestInput{Kind: administration.KindRealmRetention, Values: administration.Values{"retentionMonths": "13"}})
	refusedFor("two administrators", kept(t, h, file))
	approvedArchive(t, h, of)
	early := kept(t, h, file)
	early.Now = of.Until.AddDate(0, 13, -1)
	refusedFor("stay until", early)
	refusedFor("proves nothing", kept(t, h, file[:len(file)-4]))

	// A message about a payment of the archive, made since, keeps that payment here.
	var paid *auditlog.ArchivedMessage
	for i, m := range messages {
		if move := m.Proven.Events[len(m.Proven.Events)-1].Move; move.Kind == "instruction" && move.To == "Settled" {
			paid = &messages[i]
		}
	}
	id, err := uuid.Parse(paid.Bundle.MessageID)
	must(t, err)
	m, err := h.Reader.Message(ctx, "demo", id)
	must(t, err)
	recallOf(t, h, m)
	h.Notary.Sweep(ctx)
	h.Clock.Add(65 * time.Second)
	h.Create(t, h.Principal(t, servicetest.Door{
		Realm: demo.SecondRealm, Name: "maker1", Client: demo.SecondClient, Channel: identity.ChannelAPI,
	}), rulebook.SchemeSIC)
	before := count(t, h, "message")
	names := namesOf(t, h)
	unmatched(t, h)

	// Ended after the first transaction: one row of a later payment is held.
	last, err := uuid.Parse(messages[len(messages)-1].Bundle.MessageID)
	must(t, err)
	holder, err := h.DB.Owner(t).Begin(ctx)
	must(t, err)
	_, err = holder.Exec(ctx, "SELECT FROM message WHERE message_id = $1 FOR UPDATE", last)
	must(t, err)
	killed, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := integrity.Detach(killed, kept(t, h, file))
		ended <- err
	}()
	for count(t, h, "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FamilyLock%'") == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	if <-ended == nil {
		t.Error("the detaching ended by itself")
	}
	must(t, holder.Rollback(ctx))
	between := count(t, h, "message")
	if between == before || between == before-of.Messages {
		t.Errorf("%d of %d messages are left after it was ended", between, before)
	}
	mustHold(t, h, h.DB.OwnerURL, "in the middle")

	done, err := integrity.Detach(ctx, kept(t, h, file))
	must(t, err)
	after := count(t, h, "message")
	if done.Stayed != 1 || done.Earlier != before-between || done.Messages != of.Messages-done.Earlier-1 || after != before-of.Messages+1 {
		t.Errorf("%+v of %d messages, %d before, %d between, %d after", done, of.Messages, before, between, after)
	}
	again, err := integrity.Detach(ctx, kept(t, h, file))
	must(t, err)
	if again.Messages != 0 || again.Rows != 0 || count(t, h, "message") != after {
		t.Errorf("a second run: %+v", again)
	}
	for _, table := range []string{"message_version", "message_history", "document", "decision", "release", "creation_key", "message_look"} {
		if n := count(t, h, table+" x WHERE NOT EXISTS (SELECT FROM message m WHERE m.message_id = x.message_id)"); n > 0 {
			t.Errorf("%d rows of %s are left of messages that left", n, table)
		}
	}
	mustHold(t, h, h.DB.OwnerURL, "after")
	leftByName(t, h, names, of)
	if n := count(t, h, oldUses); n > 0 {
		t.Errorf("%d uses of second factors are left of the month", n)
	}
	_, err = h.Auth.Login(ctx, auth.LoginInput{
		Realm: "demo", Client: backOffice, Name: "both1", Password: demo.UserPassword, SecondFactor: recovery[0],
	})
	if !errors.Is(err, auth.ErrFactor) {
		t.Errorf("a used recovery code after its use could leave: %v", err)
	}
	if count(t, h, "factor_use WHERE purpose = 'sign-in'") == 0 {
		t.Error("the newest use of a second factor left")
	}
	h.Notary.Sweep(ctx)
	settle(t, h, approve(t, h, h.Create(t, h.Person(t, "maker1"), "sic-inst")))
	bundleOf(t, h, m) // what stays is still proven by the tree
	mustHold(t, h, h.DB.OwnerURL, "after more payments")
	strikeAfterwards(t, h, file)
	documentsLeaveLast(t, h, file)
}

// documentsLeaveLast: documents without a message belong to no realm. They stay while the month did not leave every realm with messages.
func documentsLeaveLast(t *testing.T, h *servicetest.Env, file []byte) {
	t.Helper()
	if count(t, h, unmatchedDocuments) == 0 {
		t.Error("documents without a message left with the month of one realm, and the other realm has messages")
	}
	d := newDrill(t, h, 100)
	_, err := d.conn.Exec(ctx, `INSERT INTO archived_month (realm, change_id, month, digest, messages, leaves, at, key_id, seal)
		SELECT 'demo2', change_id, month, digest, messages, leaves, at, key_id, seal FROM archived_month`)
	must(t, err)
	in := kept(t, h, file)
	in.OwnerURL = d.url
	_, err = integrity.Detach(ctx, in)
	must(t, err)
	left := 0
	must(t, d.conn.QueryRow(ctx, "SELECT count(*) FROM "+unmatchedDocuments).Scan(&left))
	if left > 0 {
		t.Errorf("%d documents without a message stay after the month left every realm", left)
	}
}

// oldUses are uses of second factors that no decision names and that are not the newest ones; unmatchedDocuments are documents of clearing
// without a message.
const (
	oldUses = `factor_use u JOIN second_factor f USING (realm, factor_id) WHERE f.kind <> 'recovery' AND purpose <> 'enrol' AND NOT EXISTS (SELECT FROM decision d WHERE d.factor_use_id = u.use_id)
		AND EXISTS (SELECT FROM factor_use n WHERE n.factor_id = u.factor_id AND (n.at, n.use_id) > (u.at, u.use_id))`
	unmatchedDocuments = "inbox WHERE outcome <> 'matched'"
)

// unmatched adds a document without a message.
func unmatched(t *testing.T, h *servicetest.Env) {
	t.Helper()
	receive(t, h, rulebook.SchemeSIC, "UNKNOWN", &iso20022.FIToFIPaymentStatusReport{
		GroupHeader:                     iso20022.GroupHeader91{MessageID: "UNKNOWN", CreationDateTime: "2026-03-02T11:00:01Z"},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{{OriginalTransactionID: "UNKNOWN", TransactionStatus: "ACSC"}},
	})
	if count(t, h, oldUses) == 0 || count(t, h, unmatchedDocuments) == 0 {
		t.Errorf("%d uses of second factors and %d documents could leave", count(t, h, oldUses), count(t, h, unmatchedDocuments))
	}
}

// namesOf are the ids of the messages of a realm, each with its Global ID and its UETR.
func namesOf(t *testing.T, h *servicetest.Env) map[string][]string {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(ctx, `SELECT m.message_id::text, array_remove(ARRAY[m.global_id, v.uetr,
			(SELECT i.transaction_id FROM incoming_payment i WHERE i.realm = m.realm AND i.message_id = m.message_id)], NULL)
		FROM message m JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version WHERE m.realm = 'demo'`)
	must(t, err)
	names, id, of := map[string][]string{}, "", []string(nil)
	_, err = pgx.ForEachRow(rows, []any{&id, &of}, func() error { names[id] = of; return nil })
	must(t, err)
	return names
}

// leftByName: each message that left, of any kind, is said to have left by its id, its Global ID, its UETR and, of an incoming payment, its transaction ID, with the month.
func leftByName(t *testing.T, h *servicetest.Env, names map[string][]string, of auditlog.Archive) {
	t.Helper()
	left := 0
	for id, others := range names {
		if count(t, h, "message WHERE message_id = '"+id+"'") > 0 {
			continue
		}
		left++
		for _, name := range append(others, id) {
			var archived *payment.ArchivedError
			if err := h.Reader.Left(ctx, "demo", name); !errors.As(err, &archived) || archived.Month != of.Month {
				t.Errorf("message %s by %s: %v", id, name, err)
			}
		}
	}
	if left == 0 {
		t.Error("no message left")
	}
}

// strikeAfterwards strikes a database from which rows left, and has the check name each strike.
func strikeAfterwards(t *testing.T, h *servicetest.Env, file []byte) {
	t.Helper()
	round := 0
	for what, strike := range map[string]string{
		"I30 a settled payment deleted whole": `WITH one AS (SELECT message_id FROM message WHERE state = 'Settled' LIMIT 1),
			h AS (DELETE FROM message_history USING one WHERE message_history.message_id = one.message_id),
			a AS (DELETE FROM audit_event USING one WHERE audit_event.message_id = one.message_id)
			DELETE FROM message USING one WHERE message.message_id = one.message_id`,
		"I30 a row deleted, and its leaf marked as archived": `WITH one AS (DELETE FROM document WHERE document_id =
			(SELECT document_id FROM document LIMIT 1) RETURNING document_id)
			UPDATE audit_leaf SET kind = 'archived document' FROM one WHERE row_id = document_id`,
		"I30 a row brought back": `INSERT INTO audit_event (realm, event_id, event, actor_name, channel, detail, at, key_id, seal)
			SELECT realm, row_id, 'instruction.submit', 'Somebody', 'api', '{}', now(), key_id, seal FROM audit_leaf WHERE kind = 'archived event' LIMIT 1`,
		"I34 the newest use of a second factor deleted": `DELETE FROM factor_use u USING second_factor f
			WHERE f.factor_id = u.factor_id AND f.kind = 'totp' AND u.purpose = 'sign-in'`,
		"I34 the use of a recovery code deleted": `DELETE FROM factor_use u USING second_factor f
			WHERE f.factor_id = u.factor_id AND f.kind = 'recovery'`,
		"I36 the record of the month forged":  `UPDATE archived_month SET leaves = leaves + 1`,
		"I36 the record of the month deleted": `DELETE FROM archived_month`,
		"I36 without its two decisions": `DELETE FROM realm_change_decision d USING archived_month a
			WHERE d.change_id = a.change_id`,
		"I20 with another digest approved": `UPDATE realm_change SET content = replace(content, 'archiveDigest":"', 'archiveDigest":"0')
			WHERE kind = 'realm.archived'`,
		"I20 with another retention": `UPDATE realm_change SET content = replace(content, '"13"', '"14"') WHERE kind = 'realm.retention'`,
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
			found = found || i.ID == what[:3] && len(i.Violations) > 0
		}
		if !found {
			t.Errorf("%s: not named", what)
		}
		if strings.HasPrefix(what, "I20") {
			in := kept(t, h, file)
			in.OwnerURL = d.url
			_, err = integrity.Detach(ctx, in)
			if err == nil {
				t.Errorf("%s: detached all the same", what)
			}
		}
	}
}
